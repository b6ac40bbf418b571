/* Points that a search has found, and their order over the lanes of a warp. */
#ifndef SKYJOIN_FOUND_CUH
#define SKYJOIN_FOUND_CUH

#include "common.cuh"

#define NO_ROW 0xffffffffu

/* A point found, or none. */
struct Found {
	double d2;
	u32 row;
};

__device__ static __forceinline__ Found not_found() {
	Found e;
	e.d2 = INFINITY;
	e.row = NO_ROW;
	return e;
}

__device__ static __forceinline__ bool before(const Found &a, const Found &b) { return a.d2 < b.d2 || (a.d2 == b.d2 && a.row < b.row); }

__device__ static __forceinline__ Found found_of(const Found &e, u32 lane) {
	Found o;
	o.d2 = __shfl_sync(FULL, e.d2, (int)lane);
	o.row = __shfl_sync(FULL, e.row, (int)lane);
	return o;
}

/* The lesser of this lane's and that of the lane at the distance if low, else
 * the greater. */
__device__ static __forceinline__ Found found_exchange(const Found &e, int distance, bool low) {
	Found o;
	o.d2 = __shfl_xor_sync(FULL, e.d2, distance);
	o.row = __shfl_xor_sync(FULL, e.row, distance);
	return low == before(o, e) ? o : e;
}

/* Sorts a bitonic sequence over the lanes. */
__device__ static __forceinline__ Found found_merge(Found e) {
#pragma unroll
	for (int d = 16; d > 0; d >>= 1) e = found_exchange(e, d, (lane_id() & (u32)d) == 0);
	return e;
}

__device__ static __forceinline__ Found found_sort(Found e) {
#pragma unroll
	for (int size = 2; size <= 32; size <<= 1)
#pragma unroll
		for (int d = size / 2; d > 0; d >>= 1) e = found_exchange(e, d, ((lane_id() & (u32)d) == 0) == ((lane_id() & (u32)size) == 0));
	return e;
}

__device__ static __forceinline__ u32 warp_least(u32 v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	return __reduce_min_sync(FULL, v);
#else
	for (int d = 16; d > 0; d >>= 1) {
		u32 o = __shfl_xor_sync(FULL, v, d);
		v = o < v ? o : v;
	}
	return v;
#endif
}

#endif

/* What every kernel file shares. The same sources compile under nvcc and, for
 * tests without a card, under g++ with internal/cuda/emulator/device.h. */
#ifndef SKYJOIN_COMMON_CUH
#define SKYJOIN_COMMON_CUH

#ifdef SKYJOIN_EMULATOR
#include "device.h"
#else
/* A kernel takes one struct by value, whose Go twin is copied at launch. */
#define KERNEL(name, Params) extern "C" __global__ void name(const Params p)
/* For large kernels, with functions that are not inlined: they take the struct
 * where it is. */
#define KERNEL_IN_PLACE(name, Params, threads) \
	extern "C" __global__ void __launch_bounds__(threads) name(const __grid_constant__ Params p)
#define KERNEL_BOUNDS(name, Params, threads, blocks) \
	extern "C" __global__ void __launch_bounds__(threads, blocks) name(const Params p)
#define DYNAMIC_SHARED(type, name)                          \
	extern __shared__ __align__(16) char skyjoin_shared[]; \
	type *name = (type *)skyjoin_shared
#endif

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define FULL 0xffffffffu
#define MAX_DIM 8
#define MAX_GRID 8

__device__ static __forceinline__ u32 lane_id() { return threadIdx.x & 31u; }

/* The lanes below this one. */
__device__ static __forceinline__ u32 lanes_below() { return (1u << lane_id()) - 1u; }

template <typename T>
__device__ static __forceinline__ T warp_sum(T v) {
	for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(FULL, v, d);
	return v;
}

/* Inclusive sum over the lanes of a warp. */
template <typename T>
__device__ static __forceinline__ T warp_scan(T v) {
	for (u32 d = 1; d < 32; d <<= 1) {
		T o = __shfl_up_sync(FULL, v, d);
		if (lane_id() >= d) v += o;
	}
	return v;
}

/* Doubles as integers of the same order, for atomicMin and atomicMax. */
__device__ static __forceinline__ u64 ordered(double v) {
	u64 b = (u64)__double_as_longlong(v);
	return b >> 63 ? ~b : b | 1ull << 63;
}
__device__ static __forceinline__ double unordered(u64 b) {
	return __longlong_as_double((long long)(b >> 63 ? b & ~(1ull << 63) : ~b));
}

#endif

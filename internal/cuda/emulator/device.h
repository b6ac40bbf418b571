/* CUDA's device side for g++: each thread of a block is a fiber, blocks run one
 * after the other on the calling thread. __syncthreads, warp votes and shuffles
 * and atomics behave as on a card; races between warps do not show. Included in
 * place of CUDA's own headers when kernels are compiled for the emulator. */
#ifndef SKYJOIN_EMULATOR_DEVICE_H
#define SKYJOIN_EMULATOR_DEVICE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __constant__ static const
#define __shared__ static thread_local

struct dim3 {
	unsigned x, y, z;
};
struct uint2 {
	unsigned x, y;
};
struct uint4 {
	unsigned x, y, z, w;
};
struct float2 {
	float x, y;
};
struct float3 {
	float x, y, z;
};
struct float4 {
	float x, y, z, w;
};
struct double2 {
	double x, y;
};
static inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
static inline double2 make_double2(double x, double y) { return {x, y}; }
static inline float2 make_float2(float x, float y) { return {x, y}; }

namespace emulator {

/* A warp's meeting place: each lane leaves a value and the lane it wants one
 * from, or a vote. The lane that completes the meeting deals out the results,
 * so that one meeting is enough. */
struct Warp {
	uint32_t arrived;
	uint32_t runnable;  // lanes that wait for nothing
	uint64_t value[32];
	uint32_t from[32];
	uint64_t result[32];
};

struct Thread {
	dim3 threadIdx;
	Warp *warp;
	unsigned lane;
};

extern thread_local Thread *self;
extern thread_local dim3 block_index, block_size, grid_size;
extern thread_local char *dynamic_shared;

void sync_block();
void sync_warp(unsigned mask, bool vote);

typedef void (*Body)(const void *args);
struct Kernel {
	const char *name;
	Body body;
	size_t args;
	int image;
	Kernel *next;
	Kernel(const char *name, Body body, size_t args, int image);
};

template <typename T>
uint64_t pack(T v) {
	static_assert(sizeof(T) <= 8, "a shuffled value has at most 8 bytes");
	uint64_t w = 0;
	memcpy(&w, &v, sizeof v);
	return w;
}

template <typename T>
T unpack(uint64_t w) {
	T v;
	memcpy(&v, &w, sizeof v);
	return v;
}

/* exchange meets the lanes of mask and returns what lane from left. */
template <typename T>
T exchange(unsigned mask, T v, unsigned from) {
	Warp *w = self->warp;
	unsigned lane = self->lane;
	w->value[lane] = pack(v);
	w->from[lane] = (mask >> from & 1) ? from : lane;
	sync_warp(mask, false);
	return unpack<T>(w->result[lane]);
}

}  // namespace emulator

#define threadIdx (emulator::self->threadIdx)
#define blockIdx (emulator::block_index)
#define blockDim (emulator::block_size)
#define gridDim (emulator::grid_size)
static const int warpSize = 32;

/* Dynamic shared memory, as a macro because the emulator has no extern array. */
#define DYNAMIC_SHARED(type, name) type *name = (type *)emulator::dynamic_shared

/* Which image a file of kernels belongs to: 0 is that of default runs, and of generated
 * sources, 1 that of published methods. */
#ifndef SKYJOIN_IMAGE
#define SKYJOIN_IMAGE 0
#endif

/* KERNEL defines a kernel that takes one struct by value, and makes it known to
 * the module loader. */
#define KERNEL(name, Params)                                                            \
	static void name##_body(const Params p);                                            \
	static void name##_entry(const void *args) {                                        \
		Params p;                                                                       \
		memcpy(&p, args, sizeof p);                                                     \
		name##_body(p);                                                                 \
	}                                                                                   \
	static emulator::Kernel name##_kernel(#name, name##_entry, sizeof(Params), SKYJOIN_IMAGE); \
	static void name##_body(const Params p)
#define KERNEL_BOUNDS(name, Params, threads, blocks) KERNEL(name, Params)
#define KERNEL_IN_PLACE(name, Params, threads) KERNEL(name, Params)

static inline void __syncthreads() { emulator::sync_block(); }
static inline void __syncwarp(unsigned mask = 0xffffffffu) {
	emulator::sync_warp(mask, true);
}
static inline void __threadfence() {}
static inline void __threadfence_block() {}

template <typename T>
static inline T __shfl_sync(unsigned mask, T v, int lane, int width = 32) {
	unsigned base = emulator::self->lane & ~(unsigned)(width - 1);
	return emulator::exchange(mask, v, base + ((unsigned)lane & (unsigned)(width - 1)));
}
template <typename T>
static inline T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) {
	unsigned lane = emulator::self->lane, base = lane & ~(unsigned)(width - 1);
	return emulator::exchange(mask, v, lane - base >= delta ? lane - delta : lane);
}
template <typename T>
static inline T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) {
	unsigned lane = emulator::self->lane, base = lane & ~(unsigned)(width - 1);
	return emulator::exchange(mask, v, lane - base + delta < (unsigned)width ? lane + delta : lane);
}
template <typename T>
static inline T __shfl_xor_sync(unsigned mask, T v, int with, int width = 32) {
	(void)width;
	return emulator::exchange(mask, v, emulator::self->lane ^ (unsigned)with);
}
static inline unsigned __ballot_sync(unsigned mask, int predicate) {
	emulator::Warp *w = emulator::self->warp;
	w->value[emulator::self->lane] = predicate != 0;
	emulator::sync_warp(mask, true);
	return (unsigned)w->result[emulator::self->lane];
}
static inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
static inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) == mask; }

/* Lanes run one after another here: each is active alone. */
static inline unsigned __activemask() { return 1u << emulator::self->lane; }
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline int __ffs(unsigned v) { return __builtin_ffs((int)v); }
static inline int __clz(int v) { return v == 0 ? 32 : __builtin_clz((unsigned)v); }
static inline int __clzll(long long v) { return v == 0 ? 64 : __builtin_clzll((unsigned long long)v); }
template <typename T>
static inline T __ldg(const T *p) { return *p; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline float __fadd_rd(float a, float b) {
	float s = a + b;
	return (double)s > (double)a + (double)b ? nextafterf(s, -INFINITY) : s;
}
/* Rounded down, for products whose bits and those of c fit a double. */
static inline float __fmaf_rd(float a, float b, float c) {
	double exact = (double)a * (double)b;
	float s = fmaf(a, b, c);
	return (double)s - (double)c > exact ? nextafterf(s, -INFINITY) : s;
}
static inline long long __double_as_longlong(double v) { return emulator::unpack<long long>(emulator::pack(v)); }
static inline double __longlong_as_double(long long v) { return emulator::unpack<double>(emulator::pack(v)); }
static inline int __float_as_int(float v) { return emulator::unpack<int>(emulator::pack(v)); }

/* Fibers of a block share one OS thread, so plain operations are atomic. Several
 * streams run on several OS threads but never on the same memory at once. */
template <typename T, typename U>
static inline T atomicAdd(T *p, U v) {
	T old = *p;
	*p = old + (T)v;
	return old;
}
template <typename T, typename U>
static inline T atomicMin(T *p, U v) {
	T old = *p;
	if ((T)v < old) *p = (T)v;
	return old;
}
template <typename T, typename U>
static inline T atomicMax(T *p, U v) {
	T old = *p;
	if ((T)v > old) *p = (T)v;
	return old;
}
template <typename T, typename U>
static inline T atomicOr(T *p, U v) {
	T old = *p;
	*p = old | (T)v;
	return old;
}
template <typename T, typename U, typename V>
static inline T atomicCAS(T *p, U compare, V v) {
	T old = *p;
	if (old == (T)compare) *p = (T)v;
	return old;
}
template <typename T, typename U>
static inline T atomicExch(T *p, U v) {
	T old = *p;
	*p = (T)v;
	return old;
}

#endif

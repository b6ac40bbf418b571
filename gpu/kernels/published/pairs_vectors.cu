/* Vectorized loads (section 3.1): float32 columns are loaded one, two, three or four
 * numbers at a time, so that a thread holds as many consecutive queries, and a datum of a
 * tile is as many consecutive points. Counts pairs within a distance in three dimensions,
 * with the data in shared memory or through the read-only cache:
 * vectors_TILING_WIDTH. */
#include "pairs_functions.cuh"

template <int V>
struct Vector; /* one load of V numbers */
template <>
struct Vector<1> {
	float v[1];
	__device__ __forceinline__ void load(const float *from) { v[0] = *from; }
	__device__ __forceinline__ void cached(const float *from) { v[0] = __ldg(from); }
};
template <>
struct Vector<2> {
	float v[2];
	__device__ __forceinline__ void set(float2 w) { v[0] = w.x, v[1] = w.y; }
	__device__ __forceinline__ void load(const float *from) { set(*(const float2 *)from); }
	__device__ __forceinline__ void cached(const float *from) { set(__ldg((const float2 *)from)); }
};
template <>
struct Vector<3> {
	float v[3];
	__device__ __forceinline__ void load(const float *from) {
		float3 w = *(const float3 *)from;
		v[0] = w.x, v[1] = w.y, v[2] = w.z;
	}
	/* There is no load of a float3 through the cache: it is one of its numbers each. */
	__device__ __forceinline__ void cached(const float *from) {
#pragma unroll
		for (int k = 0; k < 3; k++) v[k] = __ldg(from + k);
	}
};
template <>
struct Vector<4> {
	float v[4];
	__device__ __forceinline__ void set(float4 w) { v[0] = w.x, v[1] = w.y, v[2] = w.z, v[3] = w.w; }
	__device__ __forceinline__ void load(const float *from) { set(*(const float4 *)from); }
	__device__ __forceinline__ void cached(const float *from) { set(__ldg((const float4 *)from)); }
};

/* Columns are readable to the end of the last vector. */
template <int V, bool SHARED>
__device__ static __forceinline__ void pairs_vectors(const PairsParams &p) {
	typedef near_within_3 F;
	enum { D = 3 };
	RegisterOutput<F> out(p);
	DYNAMIC_SHARED(float, tile);
	u32 size = blockDim.x * V;
	u32 first = (blockIdx.x * blockDim.x + threadIdx.x) * V; /* query of this thread */
	Vector<V> a[D];
#pragma unroll
	for (int c = 0; c < D; c++) a[c].load(&p.query_near[(size_t)c * p.query_stride + (first < p.queries ? first : 0u)]);
	for (u32 base = blockIdx.x * size; base < p.points; base += size) {
		u32 there = p.points - base < size ? p.points - base : size;
		if (SHARED) {
			__syncthreads(); /* nobody reads the last tile any more */
			u32 at = threadIdx.x * V;
			if (at < there)
#pragma unroll
				for (int c = 0; c < D; c++) {
					Vector<V> b;
					b.load(&p.data_near[(size_t)c * p.data_stride + base + at]);
#pragma unroll
					for (int k = 0; k < V; k++) tile[c * size + at + k] = b.v[k];
				}
			__syncthreads();
		}
		for (u32 at = 0; at < there; at += V) {
			Vector<V> b[D];
#pragma unroll
			for (int c = 0; c < D; c++) {
				if (SHARED) b[c].load(&tile[c * size + at]);
				else b[c].cached(&p.data_near[(size_t)c * p.data_stride + base + at]);
			}
#pragma unroll
			for (int v = 0; v < V; v++) {
				u32 i = first + v;
#pragma unroll
				for (int k = 0; k < V; k++) {
					u32 j = base + at + k;
					if (i >= p.queries || j >= p.points || j <= i) continue;
					float q[D] = {a[0].v[v], a[1].v[v], a[2].v[v]}, d[D] = {b[0].v[k], b[1].v[k], b[2].v[k]};
					pair<F>(p, out, q, d, i, j);
				}
			}
		}
	}
	out.finish(p);
}

#define VECTORS(V)                                                                                       \
	KERNEL_IN_PLACE(vectors_shm_##V, PairsParams, PAIRS_THREADS) { pairs_vectors<V, true>(p); }           \
	KERNEL_IN_PLACE(vectors_roc_##V, PairsParams, PAIRS_THREADS) { pairs_vectors<V, false>(p); }
VECTORS(1)
VECTORS(2)
VECTORS(3)
VECTORS(4)

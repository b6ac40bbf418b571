/* The ε-join, one warp per group of queries of one cell: lanes take the
 * candidates of the cell's runs side by side and test each against all queries
 * of the group, so a candidate is loaded once per group. Counting first, then
 * filling at offsets from the counts' prefix sum, writes CSR without a sort,
 * without atomics and without overflow. */
#include "grid.cuh"

#define JOIN_THREADS 128
#define JOIN_WARPS (JOIN_THREADS / 32)

struct JoinParams {
	Grid query; /* the same as data in a self-join */
	Grid data;
	double t;        /* accept d² <= t */
	float near, far; /* float32 d² <= near is within, > far is not; else recheck */
	u32 *count;      /* per query position from lo: counted, or null */
	const u64 *offset; /* fill: of position lo + i in out, plus base */
	u32 *out;
	u64 base;
	const double *side; /* periodic: per dimension, 0 open; null */
	u32 lo, hi;      /* query positions */
	int self;
	int pad;
};

template <int DIM>
__device__ static __forceinline__ double squared(const double *q, const double *x, size_t stride, u32 j) {
	double sum = 0;
	for (int c = 0; c < DIM; c++) {
		double d = q[c] - x[(size_t)c * stride + j];
		sum += d * d;
	}
	return sum;
}

template <int DIM>
__device__ static __forceinline__ float squared(const float *q, const float *x, size_t stride, u32 j) {
	float sum = 0;
	for (int c = 0; c < DIM; c++) {
		float d = q[c] - x[(size_t)c * stride + j];
		sum += d * d;
	}
	return sum;
}

/* Up to GROUP queries [from, to) of one cell against the runs around it. */
template <int DIM, int GROUP, bool FILL, bool SINGLE>
__device__ static __forceinline__ void join_group(const JoinParams &p, u32 from, u32 to) {
	const Grid &d = p.data;
	double q[GROUP][DIM];
	float s[GROUP][DIM];
	u64 at[GROUP];
	u32 found[GROUP];
	for (int k = 0; k < GROUP; k++) {
		u32 i = from + (u32)k < to ? from + (u32)k : to - 1u;
		for (int c = 0; c < DIM; c++) {
			if (SINGLE) s[k][c] = p.query.single[(size_t)c * p.query.stride + i];
			else q[k][c] = p.query.x[(size_t)c * p.query.stride + i];
		}
		found[k] = 0;
		if (FILL) at[k] = p.offset[i - p.lo] - p.base;
	}
	u64 key = p.query.cell_keys[p.query.cell_of[from]];
	for (u32 r0 = 0; r0 < d.runs; r0 += 32) {
		uint2 mine = make_uint2(0, 0);
		if (r0 + lane_id() < d.runs) mine = run_of(d, key + (u64)d.offset[r0 + lane_id()]);
		u32 left = __ballot_sync(FULL, mine.y > mine.x);
		while (left) {
			int r = __ffs(left) - 1;
			left &= left - 1u;
			u32 lo = __shfl_sync(FULL, mine.x, r), hi = __shfl_sync(FULL, mine.y, r);
			for (u32 j0 = lo; j0 < hi; j0 += 32) {
				u32 j = j0 + lane_id();
				bool live = j < hi;
				u32 jj = live ? j : lo;
				u32 id = FILL ? d.id[jj] : 0;
				double x[DIM];
				float y[DIM];
				for (int c = 0; c < DIM; c++) {
					if (SINGLE) y[c] = d.single[(size_t)c * d.stride + jj];
					else x[c] = d.x[(size_t)c * d.stride + jj];
				}
#pragma unroll
				for (int k = 0; k < GROUP; k++) {
					if (from + (u32)k >= to) break;
					bool in;
					if (SINGLE) {
						float sum = 0;
						for (int c = 0; c < DIM; c++) {
							float e = s[k][c] - y[c];
							sum += e * e;
						}
						in = sum <= p.near;
						if (!in && sum <= p.far) {
							double exact = 0;
							for (int c = 0; c < DIM; c++) {
								double e = p.query.x[(size_t)c * p.query.stride + from + (u32)k] - d.x[(size_t)c * d.stride + jj];
								exact += e * e;
							}
							in = exact <= p.t;
						}
					} else {
						double sum = 0;
						for (int c = 0; c < DIM; c++) {
							double e = q[k][c] - x[c];
							sum += e * e;
						}
						in = sum <= p.t;
					}
					in = in && live && !(p.self && j == from + (u32)k);
					if (FILL) {
						u32 votes = __ballot_sync(FULL, in);
						if (in) p.out[at[k] + (u32)__popc(votes & lanes_below())] = id;
						at[k] += (u32)__popc(votes);
					} else {
						found[k] += in;
					}
				}
			}
		}
	}
	if (!FILL) {
		for (int k = 0; k < GROUP; k++) {
			u32 sum = warp_sum(found[k]);
			if (lane_id() == 0 && from + (u32)k < to) p.count[from + (u32)k - p.lo] = sum;
		}
	}
}

/* A warp takes GROUP consecutive positions and splits them where the cell
 * changes. */
template <int DIM, int GROUP, bool FILL, bool SINGLE>
__device__ static __forceinline__ void join_warp(const JoinParams &p) {
	u64 warp = (u64)blockIdx.x * JOIN_WARPS + threadIdx.x / 32;
	u64 first = p.lo + warp * GROUP;
	if (first >= p.hi) return;
	u32 from = (u32)first, end = p.hi - from < GROUP ? p.hi : from + GROUP;
	while (from < end) {
		u32 stop = p.query.cell_start[p.query.cell_of[from] + 1u];
		u32 to = stop < end ? stop : end;
		join_group<DIM, GROUP, FILL, SINGLE>(p, from, to);
		from = to;
	}
}

#define JOIN(D, G)                                                                                                       \
	KERNEL_BOUNDS(join_count_##D, JoinParams, JOIN_THREADS, 1) { join_warp<D, G, false, false>(p); }                     \
	KERNEL_BOUNDS(join_fill_##D, JoinParams, JOIN_THREADS, 1) { join_warp<D, G, true, false>(p); }                       \
	KERNEL_BOUNDS(join_count_single_##D, JoinParams, JOIN_THREADS, 1) { join_warp<D, G, false, true>(p); }               \
	KERNEL_BOUNDS(join_fill_single_##D, JoinParams, JOIN_THREADS, 1) { join_warp<D, G, true, true>(p); }

/* Queries a group: what registers allow. */
JOIN(1, 8)
JOIN(2, 8)
JOIN(3, 8)
JOIN(4, 4)
JOIN(5, 4)
JOIN(6, 4)
JOIN(7, 4)
JOIN(8, 4)

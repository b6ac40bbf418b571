/* The K nearest of queries whose neighbours within some radius are listed and
 * are at least K: then they are among these (Gowanlock, HybridKNN-Join,
 * §4.2.2). A warp takes a query. The place of a candidate is the number of
 * others before it by (d², row), so that the results come out in order without
 * a sort. */
#include "grid.cuh"

#define RANK_THREADS 128
#define RANK_WARPS (RANK_THREADS / 32)

struct RankParams {
	Grid query;
	Grid data;
	Box box;
	const u32 *list;   /* query positions; null: all in order */
	const u64 *offset; /* lists of entry lo + i at i, less base */
	u32 *found;        /* data positions; become rows */
	double *d2;        /* room for one each */
	u32 *row_out;      /* k of each entry */
	double *dist_out;  /* likewise: roots of d² */
	u64 base;
	u32 lo, hi, k;
	u32 pad;
};

template <int DIM, bool WRAP>
__device__ static __forceinline__ void rank(const RankParams &p) {
	u32 entry = blockIdx.x * RANK_WARPS + threadIdx.x / 32;
	if (entry >= p.hi - p.lo) return;
	u32 i = p.list ? p.list[p.lo + entry] : p.lo + entry;
	u64 from = p.offset[entry] - p.base;
	u32 n = (u32)(p.offset[entry + 1u] - p.base - from);
	if (n < p.k) return;
	u32 *row = p.found + from;
	double *d2 = p.d2 + from;
	for (u32 c = lane_id(); c < n; c += 32) {
		u32 j = row[c];
		double sum = 0;
		for (int d = 0; d < DIM; d++) {
			double e = gap<WRAP>(p.query.x[(size_t)d * p.query.stride + i], p.data.x[(size_t)d * p.data.stride + j], p.box.side[d]);
			sum += e * e;
		}
		d2[c] = sum;
		row[c] = p.data.id[j];
	}
	__syncwarp();
	for (u32 c = lane_id(); c < n; c += 32) {
		double mine = d2[c];
		u32 id = row[c], place = 0;
		for (u32 o = 0; o < n; o++) {
			double other = d2[o];
			place += other < mine || (other == mine && row[o] < id);
		}
		if (place >= p.k) continue;
		p.row_out[(size_t)entry * p.k + place] = id;
		p.dist_out[(size_t)entry * p.k + place] = sqrt(mine);
	}
}

#define RANK(D)                                                                                             \
	KERNEL_BOUNDS(rank_##D, RankParams, RANK_THREADS, 1) { rank<D, false>(p); }                    \
	KERNEL_BOUNDS(rank_wrapped_##D, RankParams, RANK_THREADS, 1) { rank<D, true>(p); }

RANK(1)
RANK(2)
RANK(3)
RANK(4)
RANK(5)
RANK(6)
RANK(7)
RANK(8)

struct PositionsParams {
	u32 *out;
	u32 n;
	u32 pad;
};

/* 0, 1, 2, …: for rows, where a fill is to write positions. */
KERNEL(positions, PositionsParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.n) p.out[i] = i;
}

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
	Box box;           /* of the periodic kernels */
	double t;          /* accept d² <= t */
	const u32 *list;   /* query positions, sorted; null: all in order */
	u32 *count;        /* count: of entry lo + i at i */
	const u64 *offset; /* fill: of entry lo + i at i; base + where in out */
	u32 *out;
	u64 base;
	u32 lo, hi; /* entries of the list */
	int self;
	int positions; /* periodic fill: write data positions instead of rows */
};

/* One candidate a lane against all queries of the group. */
template <int DIM, int GROUP, bool FILL, bool WRAP, bool HALF>
__device__ static __forceinline__ void test_group(const JoinParams &p, u32 from, u32 to, const double (&q)[GROUP][DIM],
                                                  const u32 (&position)[GROUP], u64 (&at)[GROUP], u32 (&found)[GROUP], u32 j, bool live) {
	const Grid &d = p.data;
	u32 jj = live ? j : 0u;
	u32 id = FILL || WRAP ? d.id[jj] : 0;
	u32 other = WRAP ? id : j;
	if (FILL && WRAP && p.positions) id = j;
	double x[DIM];
	for (int c = 0; c < DIM; c++) x[c] = d.x[(size_t)c * d.stride + jj];
#pragma unroll
	for (int k = 0; k < GROUP; k++) {
		if (from + (u32)k >= to) break;
		double sum = 0;
		for (int c = 0; c < DIM; c++) {
			double e = gap<WRAP>(q[k][c], x[c], p.box.side[c]);
			sum += e * e;
		}
		/* Points of greater number: each pair is met once. */
		bool in = sum <= p.t && live && (HALF ? other > position[k] : other != position[k]);
		if (FILL) {
			u32 votes = __ballot_sync(FULL, in);
			if (in) p.out[at[k] + (u32)__popc(votes & lanes_below())] = id;
			at[k] += (u32)__popc(votes);
		} else {
			found[k] += in;
			if (HALF && in) atomicAdd(&p.count[j], 1u);
		}
	}
}

/* The entries [from, to) of the list, all of one cell and at most GROUP,
 * against the runs around it. */
template <int DIM, int GROUP, bool FILL, bool WRAP, bool HALF, bool PACKED>
__device__ static __forceinline__ void join_group(const JoinParams &p, u32 from, u32 to) {
	enum { PRUNE = DIM > 2, NARROW = DIM == 3 && PACKED }; /* few runs are not worth it */
	const Grid &d = p.data;
	double q[GROUP][DIM];
	u32 position[GROUP];
	u64 at[GROUP];
	u32 found[GROUP];
	for (int k = 0; k < GROUP; k++) {
		u32 e = from + (u32)k < to ? from + (u32)k : to - 1u;
		u32 i = p.list ? p.list[e] : e;
		/* Itself: in a periodic grid, where a point can stand twice, by row. */
		position[k] = !p.self ? ~0u : WRAP ? p.query.id[i] : i;
		for (int c = 0; c < DIM; c++) q[k][c] = p.query.x[(size_t)c * p.query.stride + i];
		found[k] = 0;
		if (FILL) at[k] = p.offset[e - p.lo] - p.base;
	}
	u64 key = p.query.cell_keys[p.query.cell_of[p.list ? p.list[from] : from]];
	Inside in;
	inside_start<DIM>(in);
	for (u32 e = from; PRUNE && e < to; e++) inside_add<DIM, NARROW>(d, in, p.query.x, p.query.stride, p.list ? p.list[e] : e);
	for (u32 r0 = 0; r0 < d.runs; r0 += 32) {
		uint2 mine = make_uint2(0, 0);
		u32 r = r0 + lane_id();
		if (r < d.runs && (!HALF || d.offset[r] + d.g.reach >= 0)) mine = PRUNE ? reached<DIM, NARROW>(d, in, key, r) : run_of(d, key + (u64)d.offset[r], d.span);
		if (PACKED) {
			/* Many short runs: dealt out to the lanes point by point. */
			u32 end = warp_scan(mine.y - mine.x);
			u32 total = __shfl_sync(FULL, end, 31);
			u32 shift = mine.y - end; /* from the number of a point to its position */
			for (u32 c0 = 0; c0 < total; c0 += 32) {
				u32 c = c0 + lane_id();
				int l = 0;
#pragma unroll
				for (int d2 = 16; d2 > 0; d2 >>= 1)
					if (__shfl_sync(FULL, end, l + d2 - 1) <= c) l += d2;
				u32 j = c + __shfl_sync(FULL, shift, l & 31);
				test_group<DIM, GROUP, FILL, WRAP, HALF>(p, from, to, q, position, at, found, j, c < total);
			}
			continue;
		}
		u32 left = __ballot_sync(FULL, mine.y > mine.x);
		while (left) {
			int l = __ffs((int)left) - 1;
			left &= left - 1u;
			u32 lo = __shfl_sync(FULL, mine.x, l), hi = __shfl_sync(FULL, mine.y, l);
			for (u32 j0 = lo; j0 < hi; j0 += 32) {
				u32 j = j0 + lane_id();
				test_group<DIM, GROUP, FILL, WRAP, HALF>(p, from, to, q, position, at, found, j, j < hi);
			}
		}
	}
	if (!FILL) {
		for (int k = 0; k < GROUP; k++) {
			u32 sum = warp_sum(found[k]);
			if (lane_id() != 0 || from + (u32)k >= to) continue;
			if (HALF) atomicAdd(&p.count[from + (u32)k], sum);
			else p.count[from + (u32)k - p.lo] = sum;
		}
	}
}

/* Where the run of entries of the same cell that begins at from ends, at most
 * at end. */
__device__ static __forceinline__ u32 same_cell(const JoinParams &p, u32 from, u32 end) {
	if (!p.list) {
		u32 stop = p.query.cell_start[p.query.cell_of[from] + 1u];
		return stop < end ? stop : end;
	}
	u32 cell = p.query.cell_of[p.list[from]];
	u32 to = from + 1u;
	while (to < end && p.query.cell_of[p.list[to]] == cell) to++;
	return to;
}

/* A warp takes GROUP consecutive entries and splits them where the cell
 * changes. */
template <int DIM, int GROUP, bool FILL, bool WRAP, bool HALF, bool PACKED>
__device__ static __forceinline__ void join_warp(const JoinParams &p) {
	u64 warp = (u64)blockIdx.x * JOIN_WARPS + threadIdx.x / 32;
	u64 first = p.lo + warp * GROUP;
	if (first >= p.hi) return;
	u32 from = (u32)first, end = p.hi - from < GROUP ? p.hi : from + GROUP;
	while (from < end) {
		u32 to = same_cell(p, from, end);
		join_group<DIM, GROUP, FILL, WRAP, HALF, PACKED>(p, from, to);
		from = to;
	}
}

#define JOIN_KERNEL(name, D, G, FILL, WRAP, HALF, PACKED) \
	KERNEL_BOUNDS(name##_##D, JoinParams, JOIN_THREADS, 1) { join_warp<D, G, FILL, WRAP, HALF, PACKED>(p); }
#define JOIN(D, G)                                                     \
	JOIN_KERNEL(join_count, D, G, false, false, false, (D > 3))        \
	JOIN_KERNEL(join_fill, D, G, true, false, false, (D > 3))          \
	JOIN_KERNEL(join_count_wrapped, D, G, false, true, false, (D > 3)) \
	JOIN_KERNEL(join_fill_wrapped, D, G, true, true, false, (D > 3))

/* Counts of all points of a self-join, into counts that are zero: a run of
 * cells is looked at from one side. Where few of the candidates are neighbours
 * that saves more than the atomics cost. */
#define HALF(D, G) JOIN_KERNEL(join_half, D, G, false, false, true, true)
HALF(4, 4)
HALF(5, 4)
HALF(6, 4)
HALF(7, 4)
HALF(8, 4)

/* For short runs. */
JOIN_KERNEL(join_count_packed, 3, 8, false, false, false, true)
JOIN_KERNEL(join_fill_packed, 3, 8, true, false, false, true)

/* Queries a group: what registers allow. */
JOIN(1, 8)
JOIN(2, 8)
JOIN(3, 8)
JOIN(4, 4)
JOIN(5, 4)
JOIN(6, 4)
JOIN(7, 4)
JOIN(8, 4)

struct PlacesParams {
	const u32 *id; /* row of each position */
	u32 *place;    /* position of each row */
	u32 n;
	u32 pad;
};

KERNEL(places, PlacesParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.n) p.place[p.id[i]] = i;
}

struct ByRowParams {
	const u32 *in; /* by position */
	const u32 *id; /* row of each position */
	u32 *out;      /* by row */
	u32 n;
	u32 pad;
};

KERNEL(by_row, ByRowParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.n) p.out[p.id[i]] = p.in[i];
}

struct AddCountsParams {
	const u32 *in;
	u32 *out;
	u32 n;
	u32 pad;
};

/* What another card has counted of the same positions. */
KERNEL(add_counts, AddCountsParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.n) p.out[i] += p.in[i];
}

struct LookupParams {
	const u32 *place;
	const u32 *rows;
	u64 *keys; /* the position of each row, to be sorted */
	u32 n;
	u32 pad;
};

KERNEL(lookup, LookupParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.n) p.keys[i] = p.place[p.rows[i]];
}

struct NarrowParams {
	const u64 *in;
	u32 *out;
	u32 n;
	u32 pad;
};

KERNEL(narrow, NarrowParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.n) p.out[i] = (u32)p.in[i];
}

/* Histograms of the distances up to a radius, on the grid: a warp takes queries
 * of one cell and the lanes the candidates around it, as in join.cu. */
#include "grid.cuh"
#include "pairs.cuh"

#define GRID_BINS_THREADS 128
#define GRID_BINS_GROUP 4  /* queries of a warp at a time */
#define GRID_BINS_ROUNDS 4 /* times */

struct GridBinsParams {
	Grid query; /* the same as data where one set meets itself in an open space */
	Grid data;
	Box box;
	const double *edge; /* of d² */
	const u32 *start;   /* as in PairsParams */
	u64 *count;
	u32 bins, copies;
	u32 first_key, last_key, shift;
	int self;
	u32 card, cards; /* this one of so many, among which blocks of queries are dealt out */
};

template <int DIM, bool WRAP>
__device__ static __forceinline__ void grid_bins_test(const GridBinsParams &p, u32 *counters, double last, u32 from, u32 to, const double (&q)[GRID_BINS_GROUP][DIM],
                                                      const u32 (&row)[GRID_BINS_GROUP], u32 j, bool live) {
	const Grid &d = p.data;
	u32 jj = live ? j : 0u;
	u32 other = WRAP && p.self ? d.id[jj] : jj;
	double x[DIM];
#pragma unroll
	for (int c = 0; c < DIM; c++) x[c] = d.x[(size_t)c * d.stride + jj];
#pragma unroll
	for (int k = 0; k < GRID_BINS_GROUP; k++) {
		if (from + (u32)k >= to) break;
		double sum = 0;
#pragma unroll
		for (int c = 0; c < DIM; c++) {
			double e = gap<WRAP>(q[k][c], x[c], p.box.side[c]);
			sum += e * e;
		}
		if (!live || !(sum < last) || p.self && other <= row[k]) continue;
		u32 key = (u32)((u64)__double_as_longlong(sum) >> 32) >> p.shift;
		key = key < p.first_key ? p.first_key : key > p.last_key ? p.last_key : key;
		u32 at = __ldg(&p.start[key - p.first_key]);
		while (at <= p.bins && __ldg(&p.edge[at]) <= sum) at++;
		atomicAdd(&counters[at * p.copies], 1u);
	}
}

template <int DIM, bool WRAP>
__device__ static __forceinline__ void grid_bins_group(const GridBinsParams &p, u32 *counters, double last, u32 from, u32 to) {
	enum { PRUNE = DIM > 2 };
	const Grid &d = p.data;
	double q[GRID_BINS_GROUP][DIM];
	u32 row[GRID_BINS_GROUP];
#pragma unroll
	for (int k = 0; k < GRID_BINS_GROUP; k++) {
		u32 i = from + (u32)k < to ? from + (u32)k : to - 1u;
		row[k] = WRAP ? p.query.id[i] : i;
#pragma unroll
		for (int c = 0; c < DIM; c++) q[k][c] = p.query.x[(size_t)c * p.query.stride + i];
	}
	u64 key = p.query.cell_keys[p.query.cell_of[from]];
	Inside in;
	inside_start<DIM>(in);
	for (u32 e = from; PRUNE && e < to; e++) inside_add<DIM, false>(d, in, p.query.x, p.query.stride, e);
	bool half = p.self && !WRAP; /* only points of greater number */
	for (u32 r0 = 0; r0 < d.runs; r0 += 32) {
		uint2 mine = make_uint2(0, 0);
		u32 r = r0 + lane_id();
		if (r < d.runs && (!half || d.offset[r] + d.g.reach >= 0)) mine = PRUNE ? reached<DIM, false>(d, in, key, r) : run_of(d, key + (u64)d.offset[r], d.span);
		if (half && mine.x <= from) mine.x = from + 1u;
		u32 left = __ballot_sync(FULL, mine.y > mine.x);
		while (left) {
			int l = __ffs((int)left) - 1;
			left &= left - 1u;
			u32 lo = __shfl_sync(FULL, mine.x, l), hi = __shfl_sync(FULL, mine.y, l);
			for (u32 j0 = lo; j0 < hi; j0 += 32) {
				u32 j = j0 + lane_id();
				grid_bins_test<DIM, WRAP>(p, counters, last, from, to, q, row, j, j < hi);
			}
		}
	}
}

template <int DIM, bool WRAP>
__device__ static __forceinline__ void grid_bins(const GridBinsParams &p) {
	DYNAMIC_SHARED(u32, counters);
	for (u32 k = threadIdx.x; k < (p.bins + 2) * p.copies; k += blockDim.x) counters[k] = 0;
	__syncthreads();
	double last = p.edge[p.bins];
	u64 warp = ((u64)blockIdx.x * p.cards + p.card) * (GRID_BINS_THREADS / 32) + threadIdx.x / 32;
	u64 first = warp * GRID_BINS_GROUP * GRID_BINS_ROUNDS, beyond = first + GRID_BINS_GROUP * GRID_BINS_ROUNDS;
	u32 end = beyond < p.query.n ? (u32)beyond : p.query.n; /* first may be beyond it */
	for (u64 f = first; f < end;) {
		u32 from = (u32)f;
		u32 to = p.query.cell_start[p.query.cell_of[from] + 1u]; /* of the same cell */
		to = to < end ? to : end;
		if (to - from > GRID_BINS_GROUP) to = from + GRID_BINS_GROUP;
		grid_bins_group<DIM, WRAP>(p, counters + (lane_id() & (p.copies - 1u)), last, from, to);
		f = to;
	}
	__syncthreads();
	for (u32 k = threadIdx.x; k < p.bins + 2; k += blockDim.x) {
		u64 sum = 0;
		for (u32 c = 0; c < p.copies; c++) sum += counters[k * p.copies + c];
		if (sum) atomicAdd(&p.count[k], sum);
	}
}

#define GRID_BINS(D)                                                                                          \
	KERNEL_BOUNDS(grid_bins_##D, GridBinsParams, GRID_BINS_THREADS, 1) { grid_bins<D, false>(p); }          \
	KERNEL_BOUNDS(grid_bins_wrapped_##D, GridBinsParams, GRID_BINS_THREADS, 1) { grid_bins<D, true>(p); }

GRID_BINS(1)
GRID_BINS(2)
GRID_BINS(3)
GRID_BINS(4)

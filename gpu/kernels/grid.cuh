/* A built index, as the join kernels see it. */
#ifndef SKYJOIN_GRID_CUH
#define SKYJOIN_GRID_CUH

#include "common.cuh"

struct Geometry {
	double origin[MAX_GRID];
	double inverse[MAX_GRID];        /* cells per unit */
	const double *starts[MAX_GRID];  /* lower ends of slabs, ascending; null: even cells */
	u32 top[MAX_GRID];               /* largest cell coordinate */
	u64 stride[MAX_GRID];
	int dim[MAX_GRID];               /* which coordinate */
	int n;
	int reach;                       /* cells that neighbours can be apart, in each dimension */
	u32 wraps;                       /* bit j: cell 0 follows the last */
	u32 pad;
};

__device__ static __forceinline__ u32 cell_in(const Geometry &g, int j, double x) {
	if (g.starts[j]) {
		u32 lo = 0, hi = g.top[j] + 1u; /* the last start that is at most x */
		while (hi - lo > 1) {
			u32 mid = lo + (hi - lo) / 2;
			if (g.starts[j][mid] <= x) lo = mid;
			else hi = mid;
		}
		return lo;
	}
	double c = (x - g.origin[j]) * g.inverse[j];
	/* Clamping keeps order, so points within the radius stay in adjacent cells. */
	return c < 0 ? 0u : c < (double)g.top[j] ? (u32)c : g.top[j];
}

struct Grid {
	Geometry g;
	float scale[MAX_GRID];  /* width of a cell of each axis in radii; 0: of no use for pruning */
	const double *x;        /* [dim][stride], points in cell order */
	const u32 *id;          /* row of each point */
	const u32 *cell_of;     /* of each point */
	const u64 *cell_keys;   /* of each non-empty cell */
	const u32 *cell_start;  /* of each non-empty cell; one more than there are */
	const u32 *table;       /* points below a key; null: search */
	const u32 *buckets;     /* cells below a bucket of keys; null: search all */
	const signed char *by;  /* of each run, 8 bytes: cells it is away in each axis but the last */
	const long long *offset;/* keys of the first cell of each run less the query's */
	u64 table_size;
	u32 n, stride, cells, runs;
	u32 span;  /* cells in a run */
	u32 shift; /* of keys to buckets */
};

/* The first cell whose key is at least key. */
__device__ static __forceinline__ u32 cell_from(const Grid &g, u64 key) {
	u32 lo = 0, hi = g.cells;
	if (g.buckets) {
		lo = g.buckets[key >> g.shift];
		hi = g.buckets[(key >> g.shift) + 1];
	}
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;
		if (g.cell_keys[mid] < key) lo = mid + 1;
		else hi = mid;
	}
	return lo;
}

/* The points of the cells key, key+1, … key+span-1. */
__device__ static __forceinline__ uint2 run_of(const Grid &g, u64 key, u32 span) {
	if (g.table) return make_uint2(g.table[key], g.table[key + span]);
	u32 lo = cell_from(g, key), hi = lo;
	while (hi < g.cells && g.cell_keys[hi] < key + span) hi++;
	return make_uint2(g.cell_start[lo], g.cell_start[hi]);
}

/* The points of one cell. */
__device__ static __forceinline__ uint2 cell_points(const Grid &g, u64 key) {
	if (g.table) return make_uint2(g.table[key], g.table[key + 1]);
	u32 cell = cell_from(g, key);
	if (cell == g.cells || g.cell_keys[cell] != key) return make_uint2(0, 0);
	return make_uint2(g.cell_start[cell], g.cell_start[cell + 1]);
}

/* Where queries of one cell lie inside it, in cells, by axis. */
struct Inside {
	float low[MAX_GRID], high[MAX_GRID];
};

template <int DIM>
__device__ static __forceinline__ void inside_start(Inside &in) {
#pragma unroll
	for (int j = 0; j < DIM; j++) {
		in.low[j] = 1;
		in.high[j] = 0;
	}
}

template <int DIM, bool NARROW>
__device__ static __forceinline__ void inside_add(const Grid &g, Inside &in, const double *x, u32 stride, u32 i) {
#pragma unroll
	for (int j = 0; j < DIM; j++) {
		if (j >= (NARROW ? g.g.n : g.g.n - 1) || g.scale[j] == 0) continue;
		double v = x[(size_t)g.g.dim[j] * stride + i];
		float f = (float)((v - g.g.origin[j]) * g.g.inverse[j] - (double)cell_in(g.g, j, v));
		in.low[j] = f < in.low[j] ? f : in.low[j];
		in.high[j] = f > in.high[j] ? f : in.high[j];
	}
}

/* The square, in radii, of the distance between the queries and the cells of
 * run r, by all axes but the last. The margin covers the rounding of cell
 * coordinates. */
template <int DIM>
__device__ static __forceinline__ float apart(const Grid &g, const Inside &in, u32 r) {
	float sum = 0;
#pragma unroll
	for (int j = 0; j < DIM; j++) {
		if (j >= g.g.n - 1) break;
		int by = g.by[(size_t)r * MAX_GRID + j];
		if (by == 0) continue;
		float gap = (by < 0 ? in.low[j] - (float)(by + 1) : (float)by - in.high[j]) - 1e-4f;
		gap = gap > 0 ? gap * g.scale[j] : 0;
		sum += gap * gap;
	}
	return sum;
}

/* The points of run r that can be neighbours of the queries of the cell key. A
 * narrowed run leaves out the cells at its ends that are too far away in the
 * last axis: that pays where runs have few points for each cell. */
template <int DIM, bool NARROW>
__device__ static __forceinline__ uint2 reached(const Grid &g, const Inside &in, u64 key, u32 r) {
	float sum = apart<DIM>(g, in, r);
	if (sum > 1.001f) return make_uint2(0, 0);
	key += (u64)g.offset[r];
	int last = g.g.n - 1;
	if (!NARROW || last < 0 || g.scale[last] == 0) return run_of(g, key, g.span);
	float low = 0, high = 0;
#pragma unroll
	for (int j = 0; j < DIM; j++) {
		if (j != last) continue;
		low = in.low[j];
		high = in.high[j];
	}
	float left = sqrtf(1.001f - sum) / g.scale[last] + 1e-4f;
	int reach = g.g.reach;
	float from = floorf(low - left), to = floorf(high + left);
	int lo = from > (float)-reach ? (int)from : -reach, hi = to < (float)reach ? (int)to : reach;
	return run_of(g, key + (u64)(lo + reach), (u32)(hi - lo + 1));
}

/* The sides of a periodic box, +Inf where an axis is open. */
struct Box {
	double side[MAX_DIM];
};

/* One term of the squared distance: the difference, or the shorter way around. */
template <bool WRAP>
__device__ static __forceinline__ double gap(double x, double y, double side) {
	double e = x - y;
	if (WRAP) {
		e = e < 0 ? -e : e;
		double around = side - e;
		e = around < e ? around : e;
	}
	return e;
}

#endif

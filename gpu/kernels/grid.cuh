/* A built index, as the join kernels see it. */
#ifndef SKYJOIN_GRID_CUH
#define SKYJOIN_GRID_CUH

#include "common.cuh"

struct Grid {
	const double *x;        /* [dim][stride], points in cell order */
	const u32 *id;          /* row of each point */
	const u32 *cell_of;     /* of each point */
	const u64 *cell_keys;   /* of each non-empty cell */
	const u32 *cell_start;  /* of each non-empty cell; one more than there are */
	const u32 *table;       /* points below a key; null: search */
	const long long *offset;/* keys of the first cell of each run less the query's */
	u64 table_size;
	u32 n, stride, cells, runs;
	u32 span; /* cells in a run */
	u32 pad;
};

/* The points of the cells key, key+1, … key+span-1. */
__device__ static __forceinline__ uint2 run_of(const Grid &g, u64 key) {
	if (g.table) return make_uint2(g.table[key], g.table[key + g.span]);
	u32 lo = 0, hi = g.cells;
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;
		if (g.cell_keys[mid] < key) lo = mid + 1;
		else hi = mid;
	}
	hi = lo;
	while (hi < g.cells && g.cell_keys[hi] < key + g.span) hi++;
	return make_uint2(g.cell_start[lo], g.cell_start[hi]);
}

/* The points of one cell. */
__device__ static __forceinline__ uint2 cell_points(const Grid &g, u64 key) {
	if (g.table) return make_uint2(g.table[key], g.table[key + 1]);
	u32 lo = 0, hi = g.cells;
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;
		if (g.cell_keys[mid] < key) lo = mid + 1;
		else hi = mid;
	}
	if (lo == g.cells || g.cell_keys[lo] != key) return make_uint2(0, 0);
	return make_uint2(g.cell_start[lo], g.cell_start[lo + 1]);
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

/* DBSCAN on the grid. Elements are joined by a lock-free union-find whose roots
 * are the lowest of their sets. Where the cells are tight, no two points of a
 * cell are further apart than the radius: the core points of a cell are one
 * component whatever their distances, cells of min points or more are all core,
 * and the elements are cells. Elsewhere they are rows. */
#include "grid.cuh"

#define NONE 0xffffffffu

/* Dimensions in which it pays to narrow the runs of single queries. */
#define FEW(DIM) ((DIM) <= 3)
#define CLUSTER_THREADS 128
#define CLUSTER_WARPS (CLUSTER_THREADS / 32)

struct ClusterParams {
	Grid query; /* without images; the same as data but in a periodic box */
	Grid data;
	Box box;
	double t;
	const long long *half; /* tight: key offsets of the cells that follow a cell, nearest first */
	u32 *parent;           /* of each element; NONE: no core point */
	u32 *lowest;           /* of each root: its lowest core row */
	u32 *number;           /* per row: 1 at the lowest of each cluster; then the sums before */
	u32 *cluster;          /* of each element */
	const u32 *count;      /* by position: neighbours, itself not included */
	u8 *core;              /* by position where cells are tight, else by row */
	int *label_out;        /* by row */
	u8 *core_out;          /* by row */
	u32 *count_out;        /* by row, itself included; may be null */
	u32 min;               /* points in the ball of a core point, itself included */
	u32 half_lo, half_hi;
	u32 elements, rows;
	int star;
};

__device__ static __forceinline__ u32 seen(const u32 *p) { return *(const volatile u32 *)p; }

/* The root of a set, halving the path. Another thread's store can only put an
 * ancestor where an ancestor was. */
__device__ static __forceinline__ u32 find(u32 *parent, u32 i) {
	u32 up = seen(&parent[i]);
	while (up != i) {
		u32 over = seen(&parent[up]);
		if (over != up) *(volatile u32 *)&parent[i] = over;
		i = up;
		up = over;
	}
	return i;
}

__device__ static __forceinline__ void unite(u32 *parent, u32 a, u32 b) {
	for (;;) {
		a = find(parent, a);
		b = find(parent, b);
		if (a == b) return;
		if (a < b) {
			u32 swap = a;
			a = b;
			b = swap;
		}
		if (atomicCAS(&parent[a], a, b) == a) return;
	}
}

template <int DIM, bool WRAP>
__device__ static __forceinline__ bool within(const ClusterParams &p, const double *q, u32 j) {
	double sum = 0;
	for (int c = 0; c < DIM; c++) {
		double e = gap<WRAP>(q[c], p.data.x[(size_t)c * p.data.stride + j], p.box.side[c]);
		sum += e * e;
	}
	return sum <= p.t;
}

template <int DIM>
__device__ static __forceinline__ void load(const Grid &g, u32 i, double *q) {
	for (int c = 0; c < DIM; c++) q[c] = g.x[(size_t)c * g.stride + i];
}

/* Tight cells: a point of a crowded cell is core; others count until they
 * are. The runs come nearest first. */
template <int DIM>
__device__ static __forceinline__ void core_test(const ClusterParams &p) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.data.n) return;
	u32 cell = p.data.cell_of[i];
	u32 found = p.data.cell_start[cell + 1u] - p.data.cell_start[cell];
	if (found < p.min) {
		double q[DIM];
		load<DIM>(p.data, i, q);
		u64 key = p.data.cell_keys[cell];
		found = 0;
		Inside in;
		inside_start<DIM>(in);
		inside_add<DIM, FEW(DIM)>(p.data, in, p.data.x, p.data.stride, i);
		for (u32 r = 0; r < p.data.runs && found < p.min; r++) {
			uint2 run = reached<DIM, FEW(DIM)>(p.data, in, key, r);
			for (u32 j = run.x; j < run.y && found < p.min; j++) found += within<DIM, false>(p, q, j);
		}
	}
	p.core[i] = found >= p.min;
}

KERNEL(cluster_core_1, ClusterParams) { core_test<1>(p); }
KERNEL(cluster_core_2, ClusterParams) { core_test<2>(p); }
KERNEL(cluster_core_3, ClusterParams) { core_test<3>(p); }

/* The core test where all neighbours have been counted. */
KERNEL(cluster_counted, ClusterParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.query.n) return;
	u32 row = p.query.id[i], count = p.count[i] + 1u;
	p.core[p.half ? i : row] = count >= p.min;
	if (p.count_out) p.count_out[row] = count;
}

/* Each element begins as a set of its own. */
KERNEL(cluster_elements, ClusterParams) {
	u32 e = blockIdx.x * blockDim.x + threadIdx.x;
	if (e >= p.elements) return;
	bool core = false;
	if (p.half) {
		for (u32 i = p.data.cell_start[e]; !core && i < p.data.cell_start[e + 1u]; i++) core = p.core[i];
	} else {
		core = p.core[e];
	}
	p.parent[e] = core ? e : NONE;
	p.lowest[e] = NONE;
}

/* A warp takes a cell. Lanes look at the cells after it; those not known to be
 * connected are searched by the whole warp for a pair of core points. */
template <int DIM>
__device__ static __forceinline__ void unite_cells(const ClusterParams &p) {
	const Grid &g = p.data;
	u32 cell = blockIdx.x * CLUSTER_WARPS + threadIdx.x / 32;
	if (cell >= p.elements || seen(&p.parent[cell]) == NONE) return;
	u64 key = g.cell_keys[cell];
	u32 lo = g.cell_start[cell], n = g.cell_start[cell + 1u] - lo;
	for (u32 h = p.half_lo; h < p.half_hi; h += 32) {
		uint2 other = make_uint2(0, 0);
		u32 peer = NONE;
		if (h + lane_id() < p.half_hi) other = cell_points(g, key + (u64)p.half[h + lane_id()]);
		if (other.y > other.x) {
			peer = g.cell_of[other.x];
			if (seen(&p.parent[peer]) == NONE) peer = NONE;
		}
		bool apart = peer != NONE && find(p.parent, peer) != find(p.parent, cell);
		u32 left = __ballot_sync(FULL, apart);
		while (left) {
			int l = __ffs((int)left) - 1;
			left &= left - 1u;
			u32 b = __shfl_sync(FULL, peer, l);
			u32 from = __shfl_sync(FULL, other.x, l), m = __shfl_sync(FULL, other.y, l) - from;
			bool hit = false;
			for (u64 k0 = 0; k0 < (u64)n * m && !hit; k0 += 32) {
				u64 k = k0 + lane_id();
				bool in = false;
				if (k < (u64)n * m) {
					u32 i = lo + (u32)(k / m), j = from + (u32)(k % m);
					double q[DIM];
					load<DIM>(g, i, q);
					in = p.core[i] && p.core[j] && within<DIM, false>(p, q, j);
				}
				hit = __any_sync(FULL, in);
			}
			if (hit && lane_id() == 0) unite(p.parent, cell, b);
		}
	}
}

KERNEL_BOUNDS(cluster_unite_cells_1, ClusterParams, CLUSTER_THREADS, 1) { unite_cells<1>(p); }
KERNEL_BOUNDS(cluster_unite_cells_2, ClusterParams, CLUSTER_THREADS, 1) { unite_cells<2>(p); }
KERNEL_BOUNDS(cluster_unite_cells_3, ClusterParams, CLUSTER_THREADS, 1) { unite_cells<3>(p); }

/* A warp takes a core point and joins it with the core points of lower rows in
 * its ball. */
template <int DIM, bool WRAP>
__device__ static __forceinline__ void unite_points(const ClusterParams &p) {
	u32 i = blockIdx.x * CLUSTER_WARPS + threadIdx.x / 32;
	if (i >= p.query.n) return;
	u32 row = p.query.id[i];
	if (!p.core[row]) return;
	double q[DIM];
	load<DIM>(p.query, i, q);
	u64 key = p.query.cell_keys[p.query.cell_of[i]];
	Inside in;
	inside_start<DIM>(in);
	inside_add<DIM, FEW(DIM)>(p.data, in, p.query.x, p.query.stride, i);
	for (u32 r0 = 0; r0 < p.data.runs; r0 += 32) {
		uint2 mine = make_uint2(0, 0);
		u32 r = r0 + lane_id();
		if (r < p.data.runs) mine = reached<DIM, FEW(DIM)>(p.data, in, key, r);
		u32 left = __ballot_sync(FULL, mine.y > mine.x);
		while (left) {
			int l = __ffs((int)left) - 1;
			left &= left - 1u;
			u32 lo = __shfl_sync(FULL, mine.x, l), hi = __shfl_sync(FULL, mine.y, l);
			for (u32 j = lo + lane_id(); j < hi; j += 32) {
				u32 other = p.data.id[j];
				if (other >= row || !p.core[other]) continue;
				if (!within<DIM, WRAP>(p, q, j)) continue;
				if (find(p.parent, other) != find(p.parent, row)) unite(p.parent, other, row);
			}
		}
	}
}

/* The element of a data position. */
template <bool TIGHT>
__device__ static __forceinline__ u32 element(const ClusterParams &p, u32 j) {
	return TIGHT ? p.data.cell_of[j] : p.data.id[j];
}

/* The lowest core row of every root. */
KERNEL(cluster_lowest, ClusterParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.query.n) return;
	u32 row = p.query.id[i];
	if (!p.core[p.half ? i : row]) return;
	u32 root = find(p.parent, p.half ? p.query.cell_of[i] : row);
	if (row < seen(&p.lowest[root])) atomicMin(&p.lowest[root], row);
}

KERNEL(cluster_flags, ClusterParams) {
	u32 e = blockIdx.x * blockDim.x + threadIdx.x;
	if (e < p.elements && p.parent[e] == e) p.number[p.lowest[e]] = 1u;
}

KERNEL(cluster_number, ClusterParams) {
	u32 e = blockIdx.x * blockDim.x + threadIdx.x;
	if (e >= p.elements) return;
	p.cluster[e] = p.parent[e] == NONE ? NONE : p.number[p.lowest[find(p.parent, e)]];
}

/* Labels: a core point has that of its element, another the lowest among the
 * core points in its ball. */
template <int DIM, bool TIGHT, bool WRAP>
__device__ static __forceinline__ void label(const ClusterParams &p) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.query.n) return;
	u32 row = p.query.id[i];
	bool core = p.core[TIGHT ? i : row];
	u32 best = NONE;
	if (core) {
		best = p.cluster[TIGHT ? p.query.cell_of[i] : row];
	} else if (!p.star) {
		double q[DIM];
		load<DIM>(p.query, i, q);
		u64 key = p.query.cell_keys[p.query.cell_of[i]];
		Inside in;
		inside_start<DIM>(in);
		inside_add<DIM, FEW(DIM)>(p.data, in, p.query.x, p.query.stride, i);
		for (u32 r = 0; r < p.data.runs; r++) {
			uint2 run = reached<DIM, FEW(DIM)>(p.data, in, key, r);
			for (u32 j = run.x; j < run.y; j++) {
				if (!p.core[TIGHT ? j : p.data.id[j]]) continue;
				u32 c = p.cluster[element<TIGHT>(p, j)];
				if (c < best && within<DIM, WRAP>(p, q, j)) best = c;
			}
		}
	}
	p.core_out[row] = core;
	p.label_out[row] = best == NONE ? -1 : (int)best;
}

KERNEL(cluster_label_tight_1, ClusterParams) { label<1, true, false>(p); }
KERNEL(cluster_label_tight_2, ClusterParams) { label<2, true, false>(p); }
KERNEL(cluster_label_tight_3, ClusterParams) { label<3, true, false>(p); }

#define CLUSTER(D)                                                                                          \
	KERNEL_BOUNDS(cluster_unite_##D, ClusterParams, CLUSTER_THREADS, 1) { unite_points<D, false>(p); }          \
	KERNEL_BOUNDS(cluster_unite_wrapped_##D, ClusterParams, CLUSTER_THREADS, 1) { unite_points<D, true>(p); }   \
	KERNEL(cluster_label_##D, ClusterParams) { label<D, false, false>(p); }                                     \
	KERNEL(cluster_label_wrapped_##D, ClusterParams) { label<D, false, true>(p); }

CLUSTER(1)
CLUSTER(2)
CLUSTER(3)
CLUSTER(4)
CLUSTER(5)
CLUSTER(6)
CLUSTER(7)
CLUSTER(8)

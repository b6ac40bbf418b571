/* The grid index on the device: bounds, cell keys, and after the sort the
 * points in cell order, the list of non-empty cells B and the cell of each
 * point (Gowanlock & Karsin, GPU-SJ, section 4). Keys are 64-bit and row-major
 * over the gridded dimensions, each padded by the reach on either side, so that
 * the cells around one need no wrap checks. */
#include "grid.cuh"

__device__ static __forceinline__ u64 key_of(const Geometry &g, const double *const *x, u32 i) {
	u64 key = 0;
	for (int j = 0; j < g.n; j++) key += (u64)(cell_in(g, j, x[g.dim[j]][i]) + (u32)g.reach) * g.stride[j];
	return key;
}

struct BoundsParams {
	const double *x[MAX_DIM];
	u64 *low, *high; /* ordered() values, one per dimension */
	u32 n;
	int dim;
};

KERNEL(bounds, BoundsParams) {
	for (int j = 0; j < p.dim; j++) {
		u64 low = ~0ull, high = 0;
		for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < p.n; i += gridDim.x * blockDim.x) {
			u64 v = ordered(p.x[j][i]);
			low = v < low ? v : low;
			high = v > high ? v : high;
		}
		for (int d = 16; d > 0; d >>= 1) {
			u64 l = __shfl_xor_sync(FULL, low, d), h = __shfl_xor_sync(FULL, high, d);
			low = l < low ? l : low;
			high = h > high ? h : high;
		}
		if (lane_id() == 0) {
			atomicMin(&p.low[j], low);
			atomicMax(&p.high[j], high);
		}
	}
}

struct CrowdParams {
	const double *x[MAX_DIM]; /* of queries */
	const double *y[MAX_DIM]; /* of data */
	double t;
	u64 *found;
	u32 step, queries;     /* rows of queries: 0, step, 2·step, … */
	u32 stride, samples;   /* rows of data likewise */
	int dim, self;
};

#define CROWD_THREADS 256
#define CROWD_QUERIES 4

/* Pairs within the radius among a few queries and a sample of the data. A
 * block takes a group of queries. */
KERNEL(crowd, CrowdParams) {
	u32 found = 0;
	u32 from = blockIdx.x * CROWD_QUERIES, to = from + CROWD_QUERIES < p.queries ? from + CROWD_QUERIES : p.queries;
	for (u32 s = threadIdx.x; s < p.samples; s += CROWD_THREADS) {
		u32 j = s * p.stride;
		for (u32 q = from; q < to; q++) {
			u32 i = q * p.step;
			double sum = 0;
			for (int c = 0; c < p.dim; c++) {
				double e = p.x[c][i] - p.y[c][j];
				sum += e * e;
			}
			found += sum <= p.t && !(p.self && i == j);
		}
	}
	found = warp_sum(found);
	if (lane_id() == 0 && found) atomicAdd(p.found, (u64)found);
}

struct WidenParams {
	const float *in;
	double *out;
	u32 n;
	u32 pad;
};

KERNEL(widen, WidenParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.n) p.out[i] = (double)p.in[i];
}

struct KeysParams {
	const double *x[MAX_DIM];
	u64 *keys;
	Geometry g;
	u32 n;
	u32 pad;
};

KERNEL(cell_keys, KeysParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.n) p.keys[i] = key_of(p.g, p.x, i);
}

struct ImagesParams {
	const double *x[MAX_DIM];
	u32 *count;        /* images of each point, itself included */
	const u32 *offset; /* fill: sums of count */
	u64 *keys;
	u32 *rows;
	Geometry g;
	u32 n;
	u32 pad;
};

/* The points of the first and the last cells of a periodic axis stand in the
 * padding beyond the other end as well, so that the cells around one need no
 * wrap: all that follows sees images as further points of the same row. */
__device__ static __forceinline__ u32 edges_of(const ImagesParams &p, u32 i, u64 *step) {
	u32 n = 0;
	for (int j = 0; j < p.g.n; j++) {
		if (!(p.g.wraps >> j & 1u)) continue;
		u32 cell = cell_in(p.g, j, p.x[p.g.dim[j]][i]), cells = p.g.top[j] + 1u;
		if (cell < (u32)p.g.reach) step[n++] = cells * p.g.stride[j];
		else if (cell + (u32)p.g.reach >= cells) step[n++] = 0 - cells * p.g.stride[j];
	}
	return n;
}

KERNEL(count_images, ImagesParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	u64 step[MAX_GRID];
	if (i < p.n) p.count[i] = 1u << edges_of(p, i, step);
}

KERNEL(fill_images, ImagesParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.n) return;
	u64 step[MAX_GRID];
	u32 edges = edges_of(p, i, step), at = p.offset[i];
	u64 key = key_of(p.g, p.x, i);
	for (u32 s = 0; s < 1u << edges; s++) {
		u64 k = key;
		for (u32 e = 0; e < edges; e++)
			if (s >> e & 1u) k += step[e];
		p.keys[at + s] = k;
		p.rows[at + s] = i;
	}
}

struct GatherParams {
	const double *x[MAX_DIM];
	double *sorted; /* [dim][stride] */
	const u32 *order;
	const u64 *keys; /* sorted */
	u32 *flags;      /* 1 where a cell begins; may be null */
	u32 n, stride;
	int dim;
	int pad;
};

KERNEL(gather, GatherParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.n) return;
	u32 from = p.order[i];
	for (int j = 0; j < p.dim; j++) p.sorted[(size_t)j * p.stride + i] = p.x[j][from];
	if (p.flags) p.flags[i] = i == 0 || p.keys[i] != p.keys[i - 1];
}

struct CellsParams {
	const u64 *keys;   /* sorted, per point */
	const u32 *flags;  /* 1 where a cell begins */
	u32 *cell_of;      /* in: exclusive sums of flags; out: the cell of each point */
	u64 *cell_keys;    /* per cell */
	u32 *cell_start;   /* per cell */
	u32 n;
	u32 pad;
};

KERNEL(cells, CellsParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.n) return;
	u32 flag = p.flags[i];
	u32 cell = p.cell_of[i] + flag - 1u;
	p.cell_of[i] = cell;
	if (!flag) return;
	p.cell_keys[cell] = p.keys[i];
	p.cell_start[cell] = i;
}

struct TableParams {
	const u64 *cell_keys;
	const u32 *cell_start;
	u32 *table;
	u64 size; /* keys 0..size-1; table has size entries */
	u32 cells, n;
	u32 shift; /* of keys to buckets */
	u32 pad;
};

/* Where the points of every key start, empty cells included: table[k] is the
 * number of points with a key below k. Used where the grid has few cells for
 * its points; it spares the searches of run_of. */
KERNEL(fill_table, TableParams) {
	u64 k = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (k >= p.size) return;
	u32 lo = 0, hi = p.cells;
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;
		if (p.cell_keys[mid] < k) lo = mid + 1;
		else hi = mid;
	}
	p.table[k] = lo < p.cells ? p.cell_start[lo] : p.n;
}

/* Where the cells of every bucket start: keys that agree but for their low
 * bits. It shortens the searches of run_of where the keys are too many for a
 * table of all. */
KERNEL(fill_buckets, TableParams) {
	u64 b = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (b >= p.size) return;
	u32 lo = 0, hi = p.cells;
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;
		if (p.cell_keys[mid] >> p.shift < b) lo = mid + 1;
		else hi = mid;
	}
	p.table[b] = lo;
}

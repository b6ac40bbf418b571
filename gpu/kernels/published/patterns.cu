/* The published self-join kernels: one thread per query (GPUSELFJOINGLOBAL) or
 * k threads that share its candidates, over all adjacent cells, over half of
 * them by parity (UNICOMP) or by number (LID-UNICOMP), or over all points.
 * Results go to a buffer through an atomic counter, which runs on when the
 * buffer is full and so tells what would have been needed.
 *
 * Which cells are looked up is bounded by masks, as in GPU-SJ: a bit for each number of
 * a cell along an axis where the paper has lists of numbers.
 *
 * Gowanlock & Karsin, GPU-SJ, sections 3 to 5; Gallet & Gowanlock, LBJOIN,
 * section III. Both leave out the points of the origin cell in the half
 * patterns; here those are compared once, in the order of the points. */
#include "grid.cuh"

#define PATTERN_THREADS 256

struct PatternParams {
	Grid query; /* the same as data in a self-join in an open space */
	Grid data;
	Box box;
	double t;
	const long long *cells; /* key offsets of the cells to look at, the origin cell first; null: all points */
	const u8 *first;        /* parity pattern: the first axis in which the cell differs; null: no choice */
	u64 stride[MAX_GRID];   /* of the axes' numbers in keys */
	u64 size[MAX_GRID];     /* of the axes, with padding */
	const u32 *order;       /* query positions */
	u32 *next;              /* work queue: entries handed out; null: threads take the entry of their number */
	u32 *count;             /* count: by position */
	u64 *pairs;             /* pairs: entry - lo (half patterns: position) in the upper half, row in the lower */
	u64 *total;             /* results, also those that did not fit */
	u64 *lanes;             /* instrumented: see pattern_query */
	u32 *masks;             /* M: a bit for each number of each axis that a non-empty cell has; null: none */
	u64 mask_at[MAX_GRID];  /* the first bit of each axis */
	const u32 *needs;       /* of each cell to look at: bits 3j to 3j+2, which of the numbers of axis j before, at and after the query's it has */
	const float *single;    /* columns in float32, [dim][stride], of single kernels */
	u64 capacity;           /* of pairs */
	u32 lo, step, queries;  /* entries lo, lo + step, … */
	u32 ncells;
	u32 axes;
	u32 k;                  /* threads a query, a power of two up to 32 */
	int half;               /* each pair once, reported both ways */
	int self;
};

enum { PATTERN_COUNT, PATTERN_PAIRS, PATTERN_LANES };

/* Coordinates: float64, or float32, in which GPU-SJ was measured, too. */
template <typename Real>
struct Columns;
template <>
struct Columns<double> {
	__device__ static __forceinline__ double at(const PatternParams &p, const Grid &g, int c, u32 i) { return g.x[(size_t)c * g.stride + i]; }
};
template <>
struct Columns<float> { /* self-joins in an open space */
	__device__ static __forceinline__ float at(const PatternParams &p, const Grid &g, int c, u32 i) { return p.single[(size_t)c * g.stride + i]; }
};

template <bool WRAP>
__device__ static __forceinline__ float gap(float x, float y, double side) { return x - y; }

/* Of the numbers before, at and after that of a cell in each axis, those that some
 * non-empty cell has: O_j ∩ M_j of GPU-SJ, section 3.4. */
__device__ static __forceinline__ u32 masked(const PatternParams &p, u64 key) {
	u32 there = 0;
	for (u32 j = 0; j < p.axes; j++) {
		u64 at = p.mask_at[j] + key / p.stride[j] % p.size[j];
		for (u32 s = 0; s < 3; s++) { /* numbers are padded: there is one before the first */
			u64 bit = at + s - 1u;
			if (bit >= p.mask_at[j] && bit < p.mask_at[j] + p.size[j]) there |= (p.masks[bit / 32u] >> (bit % 32u) & 1u) << (3u * j + s);
		}
	}
	return there;
}

/* Instrumented, lanes has: [0] lanes that compare a candidate, [1] the steps of warps in
 * which some do, as the card runs them; [2] those steps if the lanes of a warp meet after
 * every cell, whatever runs them; [3] cells that were looked up. */
template <int DIM, bool WRAP, int MODE, typename Real>
__device__ static __forceinline__ void pattern_query(const PatternParams &p, u32 entry, u32 part, bool live) {
	u32 i = 0, row = 0, found = 0, odd = 0, there = 0;
	u64 key = 0, active = 0, steps = 0, together = 0, cells = 0;
	Real q[DIM];
	if (live) {
		i = p.order[p.lo + p.step * entry];
		row = p.query.id[i];
		for (int c = 0; c < DIM; c++) q[c] = Columns<Real>::at(p, p.query, c, i);
		key = p.query.cell_keys[p.query.cell_of[i]];
		if (p.first)
			for (u32 j = 0; j < p.axes; j++) odd |= (u32)(key / p.stride[j] % p.size[j] & 1u) << j;
		if (p.masks) there = masked(p, key);
	}
	for (u32 o = 0; (live || MODE == PATTERN_LANES) && o < p.ncells; o++) {
		bool look = live && !(p.first && o > 0 && !(odd >> p.first[o] & 1u)) && !(p.masks && (there & p.needs[o]) != p.needs[o]);
		if (MODE != PATTERN_LANES && !look) continue;
		uint2 run = make_uint2(0, 0);
		if (look) run = p.cells ? cell_points(p.data, key + (u64)p.cells[o]) : make_uint2(0, p.data.n);
		if (MODE == PATTERN_LANES) {
			u32 most = run.x + part < run.y ? (run.y - run.x - part + p.k - 1u) / p.k : 0u;
			for (int d = 16; d > 0; d >>= 1) {
				u32 other = __shfl_xor_sync(FULL, most, d);
				most = other > most ? other : most;
			}
			if (lane_id() == 0) together += most;
			if (look && part == 0) cells++;
		}
		for (u32 j = run.x + part; j < run.y; j += p.k) {
			if (MODE == PATTERN_LANES) {
				u32 mask = __activemask();
				if (lane_id() == (u32)__ffs((int)mask) - 1u) {
					active += (u64)__popc(mask);
					steps++;
				}
			}
			if (p.half ? o == 0 && j <= i : p.self && (WRAP ? p.data.id[j] == row : j == i)) continue;
			Real sum = 0;
			for (int c = 0; c < DIM; c++) {
				Real e = gap<WRAP>(q[c], Columns<Real>::at(p, p.data, c, j), p.box.side[c]);
				sum += e * e;
			}
			if (!(sum <= (Real)p.t)) continue;
			if (MODE != PATTERN_PAIRS) {
				found++;
				if (p.half) atomicAdd(&p.count[j], 1u);
				continue;
			}
			u32 other = p.data.id[j];
			u64 at = atomicAdd(p.total, p.half ? 2ull : 1ull);
			if (at < p.capacity) p.pairs[at] = (u64)(p.half ? i : entry) << 32 | other;
			if (p.half && at + 1 < p.capacity) p.pairs[at + 1] = (u64)j << 32 | row;
		}
	}
	if (MODE == PATTERN_LANES) {
		if (active) atomicAdd(&p.lanes[0], active);
		if (steps) atomicAdd(&p.lanes[1], steps);
		if (together) atomicAdd(&p.lanes[2], together);
		if (cells) atomicAdd(&p.lanes[3], cells);
	}
	if (MODE == PATTERN_PAIRS || !live) return;
	if (p.count && found) atomicAdd(&p.count[i], found);
	if (p.total && found) atomicAdd(p.total, (u64)found);
}

template <int DIM, bool WRAP, int MODE, typename Real>
__device__ static __forceinline__ void pattern(const PatternParams &p) {
	u32 part = threadIdx.x % p.k;
	if (!p.next) {
		u64 entry = ((u64)blockIdx.x * PATTERN_THREADS + threadIdx.x) / p.k;
		pattern_query<DIM, WRAP, MODE, Real>(p, (u32)entry, part, entry < p.queries);
		return;
	}
	/* The first thread of each group takes the next entry of the queue. */
	u32 entry = part == 0 ? atomicAdd(p.next, 1u) : 0u;
	entry = __shfl_sync(FULL, entry, (int)(lane_id() - part));
	pattern_query<DIM, WRAP, MODE, Real>(p, entry, part, entry < p.queries);
}

#define PATTERN_KERNEL(name, D, WRAP, MODE, Real) \
	KERNEL_BOUNDS(name##_##D, PatternParams, PATTERN_THREADS, 1) { pattern<D, WRAP, MODE, Real>(p); }
#define PATTERN(D)                                                         \
	PATTERN_KERNEL(pattern_count, D, false, PATTERN_COUNT, double)         \
	PATTERN_KERNEL(pattern_pairs, D, false, PATTERN_PAIRS, double)         \
	PATTERN_KERNEL(pattern_count_wrapped, D, true, PATTERN_COUNT, double)  \
	PATTERN_KERNEL(pattern_pairs_wrapped, D, true, PATTERN_PAIRS, double)  \
	PATTERN_KERNEL(pattern_lanes, D, false, PATTERN_LANES, double)         \
	PATTERN_KERNEL(pattern_count_single, D, false, PATTERN_COUNT, float)   \
	PATTERN_KERNEL(pattern_pairs_single, D, false, PATTERN_PAIRS, float)

PATTERN(1)
PATTERN(2)
PATTERN(3)
PATTERN(4)
PATTERN(5)
PATTERN(6)
PATTERN(7)
PATTERN(8)

/* Sets the bits of M for the non-empty cells of the data. */
KERNEL(pattern_masks, PatternParams) {
	u32 cell = blockIdx.x * blockDim.x + threadIdx.x;
	if (cell >= p.data.cells) return;
	u64 key = p.data.cell_keys[cell];
	for (u32 j = 0; j < p.axes; j++) {
		u64 bit = p.mask_at[j] + key / p.stride[j] % p.size[j];
		atomicOr(&p.masks[bit / 32u], 1u << (bit % 32u));
	}
}

struct SingleParams {
	const double *in;
	float *out;
	u64 n;
};

KERNEL(single_columns, SingleParams) {
	u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.n) p.out[i] = (float)p.in[i];
}

struct WorkParams {
	Grid query;
	Grid data;
	const u32 *list; /* positions, null: all in order */
	u32 *work;       /* per query cell: points to compare a query with */
	u64 *keys;       /* by entry, to be sorted */
	u32 *values;     /* by entry: its position */
	u32 entries;
	u32 batches; /* strided by row; 0: one sequence */
	int sorted;  /* by decreasing work, otherwise by row */
	int pad;
};

KERNEL(pattern_work, WorkParams) {
	u32 cell = blockIdx.x * blockDim.x + threadIdx.x;
	if (cell >= p.query.cells) return;
	u64 key = p.query.cell_keys[cell];
	u64 sum = 0;
	for (u32 r = 0; r < p.data.runs; r++) {
		uint2 run = run_of(p.data, key + (u64)p.data.offset[r], p.data.span);
		sum += run.y - run.x;
	}
	p.work[cell] = sum < 0xffffffffu ? (u32)sum : 0xffffffffu;
}

KERNEL(pattern_keys, WorkParams) {
	u32 e = blockIdx.x * blockDim.x + threadIdx.x;
	if (e >= p.entries) return;
	u32 i = p.list ? p.list[e] : e;
	u32 row = p.query.id[i];
	u64 key = p.sorted ? ~p.work[p.query.cell_of[i]] : row;
	if (p.batches) key |= (u64)(row % p.batches) << 32;
	p.keys[e] = key;
	p.values[e] = i;
}

struct PlaceParams {
	const u64 *pairs;
	u32 *cursor;       /* per list: places taken, cleared before */
	const u64 *offset; /* where lists begin */
	u32 *out;
	u64 n;
	u64 base; /* of the offsets */
};

/* The lengths of the lists that the pairs belong to. */
KERNEL(pair_lengths, PlaceParams) {
	u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.n) atomicAdd(&p.cursor[p.pairs[i] >> 32], 1u);
}

KERNEL(pair_places, PlaceParams) {
	u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.n) return;
	u32 list = (u32)(p.pairs[i] >> 32);
	p.out[p.offset[list] - p.base + atomicAdd(&p.cursor[list], 1u)] = (u32)p.pairs[i];
}

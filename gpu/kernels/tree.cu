/* Builds the tree of tree.cuh: an order along a Hilbert curve, finer where many
 * points share a key, then stages that cut it into slabs, as a k-d tree does,
 * and the boxes, level by level. */
#include "tree.cuh"

/* The place of a cell along the Hilbert curve, of dim · bits bits (Skilling,
 * Programming the Hilbert curve, AIP Conf. Proc. 707, 381, 2004). It alters c. */
__device__ static __forceinline__ u64 hilbert(u32 *c, int dim, int bits) {
	for (u32 q = 1u << (bits - 1); q > 1; q >>= 1) {
		u32 p = q - 1;
#pragma unroll
		for (int j = 0; j < MAX_DIM; j++) {
			if (j >= dim) break;
			u32 t = c[j] & q ? 0 : (c[0] ^ c[j]) & p;
			c[0] ^= c[j] & q ? p : t;
			c[j] ^= t;
		}
	}
	u32 last = c[0];
#pragma unroll
	for (int j = 1; j < MAX_DIM; j++) {
		if (j >= dim) break;
		last = c[j] ^= last;
	}
	u32 t = 0;
	for (u32 q = 1u << (bits - 1); q > 1; q >>= 1)
		if (last & q) t ^= q - 1;
	u64 key = 0;
	for (int b = bits - 1; b >= 0; b--) {
#pragma unroll
		for (int j = 0; j < MAX_DIM; j++) {
			if (j >= dim) break;
			key = key << 1 | ((c[j] ^ t) >> b & 1u);
		}
	}
	return key;
}

/* The cell of a coordinate of the range, of 2^bits. What comes of a range of no
 * length is the last cell for all. */
__device__ static __forceinline__ u32 curve_cell(double x, double low, double high, int bits) {
	double top = (double)(1ull << bits), width = high - low;
	/* Halves where the difference overflows. */
	double at = width <= 0x1.fffffffffffffp+1023 ? (x - low) / width : (.5 * x - .5 * low) / (.5 * high - .5 * low);
	double c = at * top;
	return c < 0 ? 0u : c < top ? (u32)c : (u32)((1ull << bits) - 1);
}

struct CurveParams {
	const double *x[MAX_DIM];
	double low[MAX_DIM], high[MAX_DIM];
	u64 *keys;
	u32 n;
	int dim, bits;
	int pad;
};

KERNEL(curve_keys, CurveParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.n) return;
	u32 c[MAX_DIM];
#pragma unroll
	for (int j = 0; j < MAX_DIM; j++)
		if (j < p.dim) c[j] = curve_cell(p.x[j][i], p.low[j], p.high[j], p.bits);
	p.keys[i] = hilbert(c, p.dim, p.bits);
}

/* Points with the same key are a group. Groups that have more points than a
 * leaf are refined: their points are sorted along a curve of their own, over
 * the box of the group, and become several groups. */
struct RefineParams {
	const double *x[MAX_DIM];
	u64 *keys;       /* of all points, sorted; of members, then */
	u32 *order;      /* the row of each place */
	u32 *flags;      /* 1 where a group begins */
	u32 *group;      /* of each place; in: exclusive sums of flags */
	u32 *start;      /* of each group; one more than there are */
	u32 *large;      /* the number of larger groups before each */
	u64 *low, *high; /* [dim][larger groups], as ordered() */
	u32 *member;     /* the number of members before each place */
	u32 *position;   /* the place of each member */
	u32 *rows;       /* the row of each member */
	u32 *found;
	u32 n, groups, larger, members;
	int dim, bits;
};

/* Whether any group has more points than a leaf. */
KERNEL(refine_look, RefineParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	bool same = i < p.n && p.n - i > TREE_WIDTH && p.keys[i] == p.keys[i + TREE_WIDTH];
	if (__any_sync(FULL, same) && lane_id() == 0) atomicOr(p.found, 1u);
}

KERNEL(refine_flags, RefineParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.n) p.flags[i] = i == 0 || p.keys[i] != p.keys[i - 1];
}

KERNEL(refine_groups, RefineParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.n) return;
	u32 flag = p.flags[i], g = p.group[i] + flag - 1u;
	p.group[i] = g;
	if (flag) p.start[g] = i;
	if (i == p.n - 1) p.start[g + 1u] = p.n;
}

__device__ static __forceinline__ bool is_large(const RefineParams &p, u32 g) { return p.start[g + 1u] - p.start[g] > TREE_WIDTH; }

KERNEL(refine_large, RefineParams) {
	u32 g = blockIdx.x * blockDim.x + threadIdx.x;
	if (g < p.groups) p.large[g] = is_large(p, g);
}

KERNEL(refine_boxes, RefineParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x, of = NO_ROW;
	if (i < p.n && is_large(p, p.group[i])) of = p.large[p.group[i]];
	u32 all = __shfl_sync(FULL, of, 0);
	bool one = __all_sync(FULL, of == all); /* which spares most of the atomics */
	if (one && all == NO_ROW) return;
	u32 row = of != NO_ROW ? p.order[i] : 0;
	for (int j = 0; j < p.dim; j++) {
		u64 low = ordered(p.x[j][row]), high = low;
		if (one)
			for (int d = 16; d > 0; d >>= 1) {
				u64 l = __shfl_xor_sync(FULL, low, d), h = __shfl_xor_sync(FULL, high, d);
				low = l < low ? l : low;
				high = h > high ? h : high;
			}
		if (of == NO_ROW || (one && lane_id() != 0)) continue;
		atomicMin(&p.low[(size_t)j * p.larger + of], low);
		atomicMax(&p.high[(size_t)j * p.larger + of], high);
	}
}

/* Members are the points of larger groups that do not all coincide. */
__device__ static __forceinline__ bool is_member(const RefineParams &p, u32 i) {
	u32 g = p.group[i];
	if (!is_large(p, g)) return false;
	for (int j = 0; j < p.dim; j++) {
		size_t at = (size_t)j * p.larger + p.large[g];
		if (unordered(p.low[at]) < unordered(p.high[at])) return true;
	}
	return false;
}

KERNEL(refine_members, RefineParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.n) p.member[i] = is_member(p, i);
}

KERNEL(refine_keys, RefineParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.n || !is_member(p, i)) return;
	u32 m = p.member[i], of = p.large[p.group[i]], row = p.order[i];
	u32 c[MAX_DIM];
#pragma unroll
	for (int j = 0; j < MAX_DIM; j++) {
		if (j >= p.dim) break;
		size_t at = (size_t)j * p.larger + of;
		c[j] = curve_cell(p.x[j][row], unordered(p.low[at]), unordered(p.high[at]), p.bits);
	}
	p.keys[m] = (u64)of << (p.dim * p.bits) | hilbert(c, p.dim, p.bits);
	p.rows[m] = row;
	p.position[m] = i;
}

/* The members, sorted, take the places of their groups. */
KERNEL(refine_put, RefineParams) {
	u32 m = blockIdx.x * blockDim.x + threadIdx.x;
	if (m >= p.members) return;
	u32 at = p.position[m];
	p.order[at] = p.rows[m];
	p.flags[at] = m == 0 || p.keys[m] != p.keys[m - 1];
}

/* A stage of the cutting: every 2^shift points that follow each other are a
 * segment, and are sorted along the widest axis of its box. Points that are
 * close there stay in the order they had. */
struct StageParams {
	const double *x[MAX_DIM];
	const u32 *order;
	u64 *keys;
	u64 *low, *high; /* [dim][segments], as ordered() */
	u32 n, segments;
	int dim, shift;
};

#define STAGE_BITS 16 /* of the place in the segment */
#define STAGE_CHUNK 1024

/* The boxes of the segments: a warp takes a chunk, or a smaller segment. */
KERNEL(stage_boxes, StageParams) {
	u32 chunk = p.shift < 10 ? 1u << p.shift : STAGE_CHUNK;
	u64 from = (u64)(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * chunk;
	if (from >= p.n) return;
	u64 to = from + chunk < p.n ? from + chunk : p.n;
	u32 segment = (u32)(from >> p.shift);
	double low[MAX_DIM], high[MAX_DIM];
#pragma unroll
	for (int j = 0; j < MAX_DIM; j++) {
		low[j] = INFINITY;
		high[j] = -INFINITY;
	}
	for (u64 i = from + lane_id(); i < to; i += 32) {
		u32 row = p.order[i];
#pragma unroll
		for (int j = 0; j < MAX_DIM; j++) {
			if (j >= p.dim) break;
			double v = p.x[j][row];
			low[j] = v < low[j] ? v : low[j];
			high[j] = v > high[j] ? v : high[j];
		}
	}
#pragma unroll
	for (int j = 0; j < MAX_DIM; j++) {
		if (j >= p.dim) break;
		for (int d = 16; d > 0; d >>= 1) {
			double l = __shfl_xor_sync(FULL, low[j], d), h = __shfl_xor_sync(FULL, high[j], d);
			low[j] = l < low[j] ? l : low[j];
			high[j] = h > high[j] ? h : high[j];
		}
		if (lane_id() != 0) continue;
		atomicMin(&p.low[(size_t)j * p.segments + segment], ordered(low[j]));
		atomicMax(&p.high[(size_t)j * p.segments + segment], ordered(high[j]));
	}
}

KERNEL(stage_keys, StageParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.n) return;
	u32 segment = (u32)((u64)i >> p.shift);
	int axis = 0;
	double widest = -1, low = 0, high = 0;
	for (int j = 0; j < p.dim; j++) {
		size_t at = (size_t)j * p.segments + segment;
		double l = unordered(p.low[at]), h = unordered(p.high[at]), width = .5 * h - .5 * l;
		if (!(width > widest)) continue;
		axis = j;
		widest = width;
		low = l;
		high = h;
	}
	p.keys[i] = (u64)segment << STAGE_BITS | curve_cell(p.x[axis][p.order[i]], low, high, STAGE_BITS);
}

struct LevelParams {
	const double *low, *high; /* [dim][stride]: the boxes of the level below, points at first */
	const u32 *least;         /* likewise; rows at first */
	double *low_out, *high_out; /* [dim][nodes] */
	u32 *least_out;
	u32 n, stride; /* of the level below */
	u32 nodes;
	int dim;
};

/* The nodes of a level: a warp takes one. */
KERNEL(tree_level, LevelParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x, node = i / TREE_WIDTH;
	if (node * TREE_WIDTH >= p.n) return;
	u32 from = i < p.n ? i : node * TREE_WIDTH; /* in place of one that is not there */
	for (int j = 0; j < p.dim; j++) {
		double low = p.low[(size_t)j * p.stride + from], high = p.high[(size_t)j * p.stride + from];
		for (int d = 16; d > 0; d >>= 1) {
			double l = __shfl_xor_sync(FULL, low, d), h = __shfl_xor_sync(FULL, high, d);
			low = l < low ? l : low;
			high = h > high ? h : high;
		}
		if (lane_id() != 0) continue;
		p.low_out[(size_t)j * p.nodes + node] = low;
		p.high_out[(size_t)j * p.nodes + node] = high;
	}
	u32 least = p.least[from];
	for (int d = 16; d > 0; d >>= 1) {
		u32 l = __shfl_xor_sync(FULL, least, d);
		least = l < least ? l : least;
	}
	if (lane_id() == 0) p.least_out[node] = least;
}

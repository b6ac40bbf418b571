/* The minimum spanning tree of mutual reachability (Borůvka 1926): the weight of two
 * points is max(core, core, height), where the height is their distance over alpha.
 * Edges are in the order of (weight, lower row, higher row), which is strict: the least
 * edge that leaves a component is in the tree, whatever the others do.
 *
 * Points are known by their positions in the tree of tree.cuh, components by one of
 * theirs. Every point has the list of its nearest, in the order of their edges. Where
 * the lists do not tell the least edge of a component, the tree is searched. */
#include "tree.cuh"

#define SPAN_THREADS 128
#define SPAN_BLOCKS 8
#define MIXED 0xfffffffeu /* the component of a node of several */

struct SpanCounters {
	u64 largest; /* component: its size, and itself in the low bits */
	u32 edges;   /* found so far */
	u32 sure;    /* components that know their least edge */
};

struct SpanParams {
	Tree tree;
	Box box;       /* +Inf where an axis is open */
	double *core;  /* core distance of each point */
	double *floor; /* the least one of each node */
	u32 *comp;     /* component of each point */
	u32 *group;    /* of each node, or MIXED */
	const u32 *place; /* position of each row */
	const u32 *near;  /* k rows of each point lo + i, nearest first */
	u32 *list;        /* positions, listed of each point */
	u8 *next;         /* the place in its list where points of other components begin */
	double *beyond;   /* no edge to a point that is not listed weighs less */
	double *weight;   /* of the edge that a point offers its component */
	u32 *to;          /* the other end; NO_ROW: none */
	u64 *best;        /* of each component: bits of the least weight offered */
	u64 *key;         /* the least (lower row, higher row) of that weight */
	u32 *from;        /* the point that offers it */
	u32 *open;        /* 1: there may be lesser edges */
	u32 *root;        /* the component that it is joined to */
	u32 *size;
	u32 *flags, *sums; /* 1 of the points that search, and how many are before each */
	u32 *entry;        /* these points */
	u64 *bits;          /* of the weight of each edge of the spanning tree */
	u64 *ends;          /* positions, that of the lower row in the low bits */
	SpanCounters *counters;
	double alpha;
	u32 lo, hi, k;      /* points whose near are given */
	u32 listed, others; /* the core distance is that to the others-th; 0: it is 0 */
	u32 entries;
	u32 level;
	int whole; /* lists have all other points */
	int dim, angle;
};

/* The arctangent of x >= 0, as Go computes it: the same operations, so the same bits. */
__device__ static __forceinline__ double go_xatan(double x) {
	double z = x * x;
	z = z * ((((-8.750608600031904122785e-01 * z + -1.615753718733365076637e+01) * z + -7.500855792314704667340e+01) * z + -1.228866684490136173410e+02) * z + -6.485021904942025371773e+01) /
	    (((((z + 2.485846490142306297962e+01) * z + 1.650270098316988542046e+02) * z + 4.328810604912902668951e+02) * z + 4.853903996359136964868e+02) * z + 1.945506571482613964425e+02);
	return x * z + x;
}

#define GO_PI 3.14159265358979323846264338327950288
#define GO_MORE_BITS 6.123233995736765886130e-17

__device__ static double go_atan2(double y, double x) {
	if (y == 0) return 0;
	if (x == 0) return GO_PI / 2;
	double q = y / x;
	if (q <= 0.66) return go_xatan(q);
	if (q > 2.41421356237309504880) return GO_PI / 2 - go_xatan(1 / q) + GO_MORE_BITS;
	return GO_PI / 4 + go_xatan((q - 1) / (q + 1)) + 0.5 * GO_MORE_BITS;
}

/* The distance of two points whose squared distance is d2; between unit vectors it is
 * the angle. */
__device__ static __forceinline__ double span_distance(const SpanParams &p, u32 a, u32 b, double d2) {
	if (!p.angle) return sqrt(d2);
	if (d2 <= 2) {
		double rest = 4 - d2;
		return 2 * go_atan2(sqrt(d2), sqrt(rest > 0 ? rest : 0));
	}
	double sum2 = 0;
	for (int d = 0; d < p.dim; d++) {
		double s = p.tree.x[(size_t)d * p.tree.stride + a] + p.tree.x[(size_t)d * p.tree.stride + b];
		sum2 += s * s;
	}
	return 2 * go_atan2(sqrt(d2), sqrt(sum2));
}

__device__ static __forceinline__ double span_height(const SpanParams &p, u32 a, u32 b, double d2) {
	double h = span_distance(p, a, b, d2);
	return p.alpha == 1 ? h : h / p.alpha;
}

/* A squared distance beyond which no height is at most h. */
__device__ static __forceinline__ double span_within(const SpanParams &p, double h) {
	const double wider = 1 + 0x1p-40;
	if (p.alpha != 1) h = h * p.alpha * wider;
	if (p.angle) {
		if (h >= GO_PI) return INFINITY;
		h = 2 * sin(h / 2);
	}
	return h * h * wider + 0x1p-1060;
}

__device__ static __forceinline__ double span_squared(const SpanParams &p, u32 a, u32 b) {
	double sum = 0;
	for (int d = 0; d < p.dim; d++) {
		double e = gap<true>(p.tree.x[(size_t)d * p.tree.stride + a], p.tree.x[(size_t)d * p.tree.stride + b], p.box.side[d]);
		sum += e * e;
	}
	return sum;
}

__device__ static __forceinline__ double larger(double a, double b) { return a > b ? a : b; }

__device__ static __forceinline__ double span_weight(const SpanParams &p, u32 a, u32 b) {
	return larger(larger(p.core[a], p.core[b]), span_height(p, a, b, span_squared(p, a, b)));
}

/* Core distances and lists of the points whose near are given. */
KERNEL(span_keep, SpanParams) {
	u32 i = p.lo + blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.hi) return;
	const u32 *near = p.near + (size_t)(i - p.lo) * p.k;
	double core = 0;
	if (p.others > 0) {
		u32 q = p.place[near[p.others - 1u]];
		core = span_distance(p, i, q, span_squared(p, i, q));
	}
	p.core[i] = core;
	u32 last = i;
	for (u32 l = 0; l < p.listed; l++) {
		last = p.place[near[l]];
		p.list[(size_t)i * p.listed + l] = last;
	}
	/* Those not listed are as far as the last at least, but for rounding. */
	double rest = p.listed == 0 ? 0 : span_height(p, i, last, span_squared(p, i, last)) * (1 - 0x1p-48);
	p.beyond[i] = p.whole ? INFINITY : larger(core, rest);
	p.comp[i] = i;
	p.size[i] = 1;
	p.next[i] = 0;
}

/* Lists come in the order of their edges: a warp takes one. */
KERNEL(span_sort, SpanParams) {
	u32 i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
	if (i >= p.tree.n) return;
	u32 *list = p.list + (size_t)i * p.listed;
	Found e = not_found();
	if (lane_id() < p.listed) {
		u32 q = list[lane_id()];
		e.d2 = span_weight(p, i, q);
		e.row = p.tree.id[q];
	}
	e = found_sort(e);
	if (lane_id() < p.listed) list[lane_id()] = p.place[e.row];
}

/* The least core distance of every node of a level: a warp takes a node. */
KERNEL(span_floor, SpanParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	u32 below = p.level == 0 ? p.tree.n : p.tree.count[p.level - 1u];
	double v = i >= below ? INFINITY : p.level == 0 ? p.core[i] : p.floor[p.tree.first[p.level - 1u] + i];
	for (int d = 16; d > 0; d >>= 1) {
		double o = __shfl_xor_sync(FULL, v, d);
		v = o < v ? o : v;
	}
	if (lane_id() == 0 && i < below) p.floor[p.tree.first[p.level] + i / TREE_WIDTH] = v;
}

/* The component of every node of a level. */
KERNEL(span_groups, SpanParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	u32 below = p.level == 0 ? p.tree.n : p.tree.count[p.level - 1u];
	u32 at = i < below ? i : i / TREE_WIDTH * TREE_WIDTH; /* in place of one that is not there */
	u32 own = at >= below ? MIXED : p.level == 0 ? p.comp[at] : p.group[p.tree.first[p.level - 1u] + at];
	bool one = __all_sync(FULL, own == __shfl_sync(FULL, own, 0));
	if (lane_id() == 0 && i < below) p.group[p.tree.first[p.level] + i / TREE_WIDTH] = one ? own : MIXED;
}

/* A round begins: no component has an edge. */
KERNEL(span_round, SpanParams) {
	u32 c = blockIdx.x * blockDim.x + threadIdx.x;
	if (c == 0) p.counters->largest = 0, p.counters->sure = 0;
	if (c >= p.tree.n || p.comp[c] != c) return;
	p.best[c] = (u64)__double_as_longlong(INFINITY);
	p.key[c] = ~0ull;
	p.from[c] = NO_ROW;
	p.open[c] = 0;
}

/* Every point offers the least edge of its list that leaves the component. */
KERNEL(span_offer, SpanParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	u32 c = NO_ROW, to = NO_ROW;
	u64 bits = ~0ull;
	if (i < p.tree.n) {
		c = p.comp[i];
		const u32 *list = p.list + (size_t)i * p.listed;
		u32 at = p.next[i];
		while (at < p.listed && p.comp[list[at]] == c) at++;
		p.next[i] = (u8)at;
		double w = INFINITY;
		if (at < p.listed) {
			to = list[at];
			w = span_weight(p, i, to);
			bits = (u64)__double_as_longlong(w);
		}
		p.weight[i] = w;
		p.to[i] = to;
	}
	u32 all = __shfl_sync(FULL, c, 0);
	if (__all_sync(FULL, c == all)) { /* which spares most of the atomics */
		for (int d = 16; d > 0; d >>= 1) {
			u64 o = __shfl_xor_sync(FULL, bits, d);
			bits = o < bits ? o : bits;
		}
		if (lane_id() != 0) return;
	}
	if (c != NO_ROW && bits < p.best[c]) atomicMin(&p.best[c], bits);
}

/* Components of which some point may have a lesser edge that is not listed. */
KERNEL(span_doubt, SpanParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.tree.n) return;
	u32 c = p.comp[i];
	if (p.beyond[i] <= __longlong_as_double((long long)p.best[c])) p.open[c] = 1;
}

/* How many components are sure, and which is the largest. */
KERNEL(span_sure, SpanParams) {
	u32 c = blockIdx.x * blockDim.x + threadIdx.x;
	bool is = c < p.tree.n && p.comp[c] == c;
	u32 sure = __popc(__ballot_sync(FULL, is && p.open[c] == 0));
	u64 size = is ? (u64)p.size[c] << 32 | c : 0;
	for (int d = 16; d > 0; d >>= 1) {
		u64 o = __shfl_xor_sync(FULL, size, d);
		size = o > size ? o : size;
	}
	if (lane_id() != 0) return;
	if (sure > 0) atomicAdd(&p.counters->sure, sure);
	if (size > p.counters->largest) atomicMax(&p.counters->largest, size);
}

/* Whether the point before is at the same place, with a lower row: its edges come
 * before those of this one. */
__device__ static __forceinline__ bool span_same(const SpanParams &p, u32 i) {
	if (i == 0 || p.comp[i - 1u] != p.comp[i] || p.tree.id[i - 1u] > p.tree.id[i]) return false;
	for (int d = 0; d < p.dim; d++) {
		size_t at = (size_t)d * p.tree.stride + i;
		if (p.tree.x[at] != p.tree.x[at - 1]) return false;
	}
	return true;
}

/* The points that search: not those of the largest component, to which all others
 * find their edges. */
KERNEL(span_flags, SpanParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.tree.n) return;
	u32 c = p.comp[i], largest = (u32)p.counters->largest;
	if (i == largest) p.open[i] = 1;
	else if (c == i) p.open[i] = 0;
	p.flags[i] = c != largest && p.beyond[i] <= __longlong_as_double((long long)p.best[c]) && !span_same(p, i);
}

KERNEL(span_entries, SpanParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.tree.n && p.flags[i]) p.entry[p.sums[i]] = i;
}

/* The point of the least (weight, row) in another component: a warp takes a point. Only
 * weights up to the least that the component is offered count, which the searches of
 * its other points lower. */
template <int DIM, bool WRAP>
__device__ static __forceinline__ void span_search(const SpanParams &p) {
	DYNAMIC_SHARED(double, shared);
	u32 warp = threadIdx.x / 32, lane = lane_id();
	u32 entry = blockIdx.x * (blockDim.x / 32) + warp;
	if (entry >= p.entries) return;
	const Tree &t = p.tree;
	u32 i = p.entry[entry], own = p.comp[i];
	u32 inner = t.levels > 0 ? t.levels - 1u : 0;
	double *bounds = shared + warp * inner * 32; /* of the children of the open node of each level but the first */
	double q[DIM];
#pragma unroll
	for (int d = 0; d < DIM; d++) q[d] = t.x[(size_t)d * t.stride + i];
	double core = p.core[i];
	const volatile u64 *best = p.best + own;
	Found least = not_found(); /* the least so far, or what none may weigh more than */
	u32 at = NO_ROW;
	least.d2 = __longlong_as_double((long long)__shfl_sync(FULL, (u64)*best, 0));
	if (p.beyond[i] > least.d2 || core > least.d2) return;
	double within = span_within(p, least.d2);

	u32 level = inner; /* of the nodes that lanes look at: the children 0, 1, … of parent */
	u32 parent = 0;
	u32 open = 0; /* bit l: this lane's node of level l is to be looked at */
	bool down = t.levels > 0;
	while (down) {
		u32 node = parent * TREE_WIDTH + lane;
		double gap2 = INFINITY;
		bool useful = node < t.count[level] && p.group[t.first[level] + node] != own;
		if (useful) gap2 = tree_least<DIM, WRAP>(t, p.box, q, t.first[level] + node);
		if (level > 0) bounds[(level - 1u) * 32 + lane] = gap2;
		open = (open & ~(1u << level)) | (u32)useful << level;
		down = false;
		for (;;) {
			useful = (open >> level & 1u) && gap2 <= within;
			if (useful) {
				Found floor;
				floor.d2 = larger(core, p.floor[t.first[level] + parent * TREE_WIDTH + lane]);
				floor.row = t.least[t.first[level] + parent * TREE_WIDTH + lane];
				useful = before(floor, least);
			}
			u32 word = useful ? (u32)((u64)__double_as_longlong(gap2) >> 32) : NO_ROW;
			u32 nearest = warp_least(word);
			if (nearest == NO_ROW) {
				if (level == inner) break;
				parent /= TREE_WIDTH;
				gap2 = bounds[level * 32 + lane];
				level++;
				continue;
			}
			u32 child = (u32)__ffs((int)__ballot_sync(FULL, word == nearest)) - 1u;
			if (lane == child) open &= ~(1u << level);
			child += parent * TREE_WIDTH;
			if (level > 0) {
				parent = child;
				level--;
				down = true;
				break;
			}
			u32 j = child * TREE_WIDTH + lane;
			Found c = not_found();
			if (j < t.n && p.comp[j] != own) {
				double sum = 0;
#pragma unroll
				for (int d = 0; d < DIM; d++) {
					double e = gap<WRAP>(q[d], t.x[(size_t)d * t.stride + j], p.box.side[d]);
					sum += e * e;
				}
				double w = larger(core, p.core[j]);
				if (sum <= within && w <= least.d2) {
					c.d2 = larger(w, span_height(p, i, j, sum));
					c.row = t.id[j];
				}
			}
			u32 good = __ballot_sync(FULL, before(c, least));
			if (good != 0) {
				for (; good; good &= good - 1u) {
					u32 from = (u32)__ffs((int)good) - 1u;
					Found e = found_of(c, from);
					if (before(e, least)) {
						least = e;
						at = child * TREE_WIDTH + from;
					}
				}
				within = span_within(p, least.d2);
			}
			double lower = __longlong_as_double((long long)__shfl_sync(FULL, (u64)*best, 0));
			if (lower < least.d2) {
				least = not_found();
				least.d2 = lower;
				at = NO_ROW;
				within = span_within(p, lower);
			}
		}
	}
	if (lane != 0) return;
	p.beyond[i] = least.d2;
	if (at == NO_ROW) return;
	p.weight[i] = least.d2;
	p.to[i] = at;
	atomicMin(&p.best[own], (u64)__double_as_longlong(least.d2));
}

#define SPAN(D)                                                                                                \
	KERNEL_BOUNDS(span_search_##D, SpanParams, SPAN_THREADS, SPAN_BLOCKS) { span_search<D, false>(p); } \
	KERNEL_BOUNDS(span_search_wrapped_##D, SpanParams, SPAN_THREADS, SPAN_BLOCKS) { span_search<D, true>(p); }

SPAN(1)
SPAN(2)
SPAN(3)
SPAN(4)
SPAN(5)
SPAN(6)
SPAN(7)
SPAN(8)

/* The rows of the edge that a point offers, if it has the weight of the least. */
__device__ static __forceinline__ u64 span_rows(const SpanParams &p, u32 i) {
	u32 c = p.comp[i];
	if (p.to[i] == NO_ROW || p.open[c] || (u64)__double_as_longlong(p.weight[i]) != p.best[c]) return ~0ull;
	u32 a = p.tree.id[i], b = p.tree.id[p.to[i]];
	return a < b ? (u64)a << 32 | b : (u64)b << 32 | a;
}

KERNEL(span_least, SpanParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.tree.n) return;
	u64 key = span_rows(p, i);
	u32 c = p.comp[i];
	if (key < p.key[c]) atomicMin(&p.key[c], key);
}

KERNEL(span_choose, SpanParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.tree.n) return;
	u64 key = span_rows(p, i);
	if (key != ~0ull && key == p.key[p.comp[i]]) p.from[p.comp[i]] = i;
}

/* The component at the other end of the edge of one, itself if it has none. */
__device__ static __forceinline__ u32 span_other(const SpanParams &p, u32 c) {
	u32 from = p.from[c];
	return from == NO_ROW ? c : p.comp[p.to[from]];
}

/* Components are joined along their edges. Two that choose each other choose the same
 * edge: it is that of the higher one. */
KERNEL(span_join, SpanParams) {
	u32 c = blockIdx.x * blockDim.x + threadIdx.x;
	bool is = c < p.tree.n && p.comp[c] == c, joins = false;
	if (is) {
		u32 other = span_other(p, c);
		joins = other != c && !(other > c && span_other(p, other) == c);
		p.root[c] = joins ? other : c;
	}
	u32 all = __ballot_sync(FULL, joins), first = 0;
	if (all == 0) return;
	if (lane_id() == 0) first = atomicAdd(&p.counters->edges, (u32)__popc(all));
	first = __shfl_sync(FULL, first, 0);
	if (!joins) return;
	u32 at = first + (u32)__popc(all & lanes_below()), a = p.from[c], b = p.to[a];
	p.bits[at] = p.best[c];
	p.ends[at] = p.tree.id[a] < p.tree.id[b] ? (u64)b << 32 | a : (u64)a << 32 | b;
}

/* Components come nearer to the last that they are joined to. */
KERNEL(span_jump, SpanParams) {
	u32 c = blockIdx.x * blockDim.x + threadIdx.x;
	if (c >= p.tree.n || p.comp[c] != c) return;
	volatile u32 *root = p.root;
	u32 r = root[c];
	for (int i = 0; i < 4; i++) r = root[r];
	root[c] = r;
}

KERNEL(span_sizes, SpanParams) {
	u32 c = blockIdx.x * blockDim.x + threadIdx.x;
	if (c < p.tree.n && p.comp[c] == c && p.root[c] != c) atomicAdd(&p.size[p.root[c]], p.size[c]);
}

/* Points move to the components that theirs are joined to. */
KERNEL(span_move, SpanParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.tree.n) p.comp[i] = p.root[p.comp[i]];
}

struct SpanEdgesParams {
	const u64 *ends;  /* in the order in which edges were found */
	const u32 *order; /* of the edges */
	u64 *out;
	u32 n;
	u32 pad;
};

KERNEL(span_edges, SpanEdgesParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.n) p.out[i] = p.ends[p.order[i]];
}

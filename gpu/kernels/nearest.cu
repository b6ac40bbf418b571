/* The K nearest of a query by the tree, in one search: a warp takes a query,
 * its lanes the children of a node or the points of a leaf. Nodes are entered
 * nearest first, and left out when none of their points can come before the
 * K-th found so far, by (d², row). */
#include "tree.cuh"

#define NEAREST_THREADS 128
#define NEAREST_BLOCKS 8 /* of a multiprocessor, which 8 dimensions leave registers for */

struct NearestParams {
	Tree tree; /* of the data */
	Box box;
	const double *x;  /* [dim][stride]: queries in their order */
	const u32 *list;  /* query positions; null: all in order */
	u32 *row_out;     /* k of each entry lo + i at i; NO_ROW where there are fewer */
	double *dist_out; /* likewise: roots of d², +Inf */
	u32 stride, lo, hi, k;
	int self;   /* queries are the data */
	u32 blocks; /* of 32 that k takes */
};

/* Candidates of a step from which on they are sorted and merged, rather than
 * put in their places one by one. */
#define MERGE_FROM 14

/* Up to 32 neighbours in order, one a lane. */
struct FewFound {
	Found own, kth;
	u32 k;

	__device__ __forceinline__ FewFound(const NearestParams &p, char *) : own(not_found()), kth(not_found()), k(p.k) {}
	static __host__ __device__ __forceinline__ size_t bytes(u32) { return 0; }

	__device__ __forceinline__ void offer(bool good, const Found &c) {
		u32 left = __ballot_sync(FULL, good);
		if (__popc(left) >= MERGE_FROM) {
			Found e = found_of(found_sort(good ? c : not_found()), 31u - lane_id());
			own = found_merge(before(e, own) ? e : own);
			kth = found_of(own, k - 1u);
			return;
		}
		for (; left; left &= left - 1u) {
			Found e = found_of(c, (u32)__ffs((int)left) - 1u);
			if (!before(e, kth)) continue;
			Found up;
			up.d2 = __shfl_up_sync(FULL, own.d2, 1);
			up.row = __shfl_up_sync(FULL, own.row, 1);
			bool after = before(e, own);
			u32 place = (u32)__ffs((int)__ballot_sync(FULL, after)) - 1u;
			if (after) own = lane_id() == place ? e : up;
			kth = found_of(own, k - 1u);
		}
	}

	__device__ __forceinline__ void finish() {}

	__device__ __forceinline__ void write(u32 *row, double *dist) const {
		if (lane_id() >= k) return;
		row[lane_id()] = own.row;
		dist[lane_id()] = sqrt(own.d2);
	}
};

/* More neighbours, in shared memory: blocks of 32 in order, and candidates
 * that wait until there are 32 of them. */
struct ManyFound {
	Found kth;
	u32 k, blocks, waiting;
	double *d2; /* of the blocks, then of 64 that wait */
	u32 *row;

	static __host__ __device__ __forceinline__ size_t bytes(u32 blocks) { return (size_t)(blocks + 2u) * 32 * (sizeof(double) + sizeof(u32)); }

	__device__ __forceinline__ ManyFound(const NearestParams &p, char *memory) : kth(not_found()), k(p.k), blocks(p.blocks), waiting(0) {
		d2 = (double *)memory;
		row = (u32 *)(d2 + (size_t)(blocks + 2u) * 32);
		for (u32 b = 0; b < blocks; b++) put(b, not_found());
		__syncwarp();
	}

	__device__ __forceinline__ void put(u32 b, const Found &e) {
		d2[b * 32 + lane_id()] = e.d2;
		row[b * 32 + lane_id()] = e.row;
	}

	__device__ __forceinline__ Found get(u32 b) const {
		Found e;
		e.d2 = d2[b * 32 + lane_id()];
		e.row = row[b * 32 + lane_id()];
		return e;
	}

	__device__ __forceinline__ void offer(bool good, const Found &c) {
		u32 all = __ballot_sync(FULL, good);
		if (all == 0) return;
		if (good) {
			u32 at = blocks * 32 + waiting + (u32)__popc(all & lanes_below());
			d2[at] = c.d2;
			row[at] = c.row;
		}
		waiting += (u32)__popc(all);
		if (waiting >= 32) merge();
	}

	/* Merges the first 32 that wait into the blocks: of each block and what is
	 * carried the lesser half stays. */
	__device__ __forceinline__ void merge() {
		__syncwarp();
		Found carry = lane_id() < waiting ? get(blocks) : not_found();
		if (waiting > 32) {
			if (lane_id() < waiting - 32) put(blocks, get(blocks + 1u));
			waiting -= 32;
		} else {
			waiting = 0;
		}
		carry = found_sort(carry);
		for (u32 b = 0; b < blocks; b++) {
			Found e = get(b);
			if (!before(found_of(carry, 0), found_of(e, 31))) continue;
			Found o = found_of(carry, 31u - lane_id());
			bool less = before(o, e);
			put(b, found_merge(less ? o : e));
			carry = found_merge(less ? e : o);
			if (found_of(carry, 0).row == NO_ROW) break;
		}
		__syncwarp();
		kth.d2 = d2[k - 1u];
		kth.row = row[k - 1u];
	}

	__device__ __forceinline__ void finish() {
		if (waiting > 0) merge();
	}

	__device__ __forceinline__ void write(u32 *rows, double *dist) const {
		for (u32 i = lane_id(); i < k; i += 32) {
			rows[i] = row[i];
			dist[i] = sqrt(d2[i]);
		}
	}
};

/* Whether any point of a node, whose d² is at least that, can come before the
 * K-th. */
__device__ static __forceinline__ bool may_come(const Tree &t, double least, u32 node, const Found &kth) {
	return least < kth.d2 || (least == kth.d2 && t.least[node] < kth.row);
}

template <int DIM, bool WRAP, typename List>
__device__ static __forceinline__ void nearest(const NearestParams &p) {
	DYNAMIC_SHARED(char, shared);
	u32 warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = lane_id();
	u32 entry = blockIdx.x * warps + warp;
	if (entry >= p.hi - p.lo) return;
	u32 i = p.list ? p.list[p.lo + entry] : p.lo + entry;
	const Tree &t = p.tree;
	u32 inner = t.levels > 0 ? t.levels - 1u : 0;
	char *memory = shared + warp * (inner * 32 * sizeof(double) + List::bytes(p.blocks));
	double *bounds = (double *)memory; /* of the children of the open node of each level but the first */
	List list(p, memory + inner * 32 * sizeof(double));
	double q[DIM];
#pragma unroll
	for (int d = 0; d < DIM; d++) q[d] = p.x[(size_t)d * p.stride + i];
	u32 self = p.self ? i : NO_ROW;

	u32 level = inner; /* of the nodes that lanes look at: the children 0, 1, … of parent */
	u32 parent = 0;
	u32 open = 0;      /* bit l: this lane's node of level l is to be looked at */
	bool down = t.levels > 0;
	while (down) {
		u32 node = parent * TREE_WIDTH + lane;
		bool near = node < t.count[level];
		double least = INFINITY;
		if (near) {
			least = tree_least<DIM, WRAP>(t, p.box, q, t.first[level] + node);
			near = may_come(t, least, t.first[level] + node, list.kth);
		}
		if (level > 0) bounds[(level - 1u) * 32 + lane] = least;
		open = (open & ~(1u << level)) | (u32)near << level;
		down = false;
		for (;;) {
			near = (open >> level & 1u) && may_come(t, least, t.first[level] + parent * TREE_WIDTH + lane, list.kth);
			/* Nearest first is a matter of speed: the high words will do. */
			u32 word = near ? (u32)((u64)__double_as_longlong(least) >> 32) : NO_ROW;
			u32 nearest = warp_least(word);
			if (nearest == NO_ROW) {
				if (level == inner) break;
				parent /= TREE_WIDTH;
				least = bounds[level * 32 + lane];
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
			bool good = j < t.n && j != self;
			Found c = not_found();
			if (good) {
				double sum = 0;
#pragma unroll
				for (int d = 0; d < DIM; d++) {
					double e = gap<WRAP>(q[d], t.x[(size_t)d * t.stride + j], p.box.side[d]);
					sum += e * e;
				}
				c.d2 = sum;
				good = sum <= list.kth.d2;
				if (good) c.row = t.id[j];
				good = good && before(c, list.kth);
			}
			list.offer(good, c);
		}
	}
	list.finish();
	list.write(p.row_out + (size_t)entry * p.k, p.dist_out + (size_t)entry * p.k);
}

#define NEAREST_KERNEL(name, D, WRAP, List) \
	KERNEL_BOUNDS(name##_##D, NearestParams, NEAREST_THREADS, NEAREST_BLOCKS) { nearest<D, WRAP, List>(p); }
#define NEAREST(D)                                         \
	NEAREST_KERNEL(nearest_few, D, false, FewFound)        \
	NEAREST_KERNEL(nearest_few_wrapped, D, true, FewFound) \
	NEAREST_KERNEL(nearest_many, D, false, ManyFound)      \
	NEAREST_KERNEL(nearest_many_wrapped, D, true, ManyFound)

NEAREST(1)
NEAREST(2)
NEAREST(3)
NEAREST(4)
NEAREST(5)
NEAREST(6)
NEAREST(7)
NEAREST(8)

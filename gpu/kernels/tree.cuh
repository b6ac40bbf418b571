/* A bounding volume tree over points that are sorted along a space-filling
 * curve: 32 points that follow each other are a leaf, 32 nodes that do are a
 * node of the next level, so that no links are needed. */
#ifndef SKYJOIN_TREE_CUH
#define SKYJOIN_TREE_CUH

#include "found.cuh"
#include "grid.cuh"

#define TREE_WIDTH 32
#define TREE_LEVELS 6 /* 2^32 points have 2^27, 2^22, 2^17, 2^12, 2^7 and 4 nodes */

struct Tree {
	const double *x;          /* [dim][stride], points in the order of the curve */
	const u32 *id;            /* row of each point */
	const double *low, *high; /* [dim][nodes]: the box of each node, leaves first */
	const u32 *least;         /* the least row in each node */
	u32 first[TREE_LEVELS];   /* where the nodes of a level begin; leaves are level 0 */
	u32 count[TREE_LEVELS];   /* nodes of a level; those of the last are at most 32 */
	u32 n, stride, nodes, levels;
};

/* What one term of d² of a query at x and a point between low and high is the
 * square of, at least. In every step of gap a larger difference gives no
 * smaller result, rounding included: fl(x − y) of the points beyond the near
 * end is at least that of the end, and fl(side − |x − y|) is least for the
 * greatest difference, which is that of one of the ends. A side of +Inf and a
 * difference that overflows make around NaN, which is not below anything. */
template <bool WRAP>
__device__ static __forceinline__ double gap_least(double x, double low, double high, double side) {
	double below = low - x, above = x - high;
	double e = below > 0 ? below : above > 0 ? above : 0;
	if (WRAP) {
		double to_high = high - x, to_low = x - low;
		double around = side - (to_high > to_low ? to_high : to_low);
		e = around < e ? around : e;
	}
	return e;
}

/* What d² of the query and any point of the node is at least. The terms are
 * squared and summed as those of d² are, where a larger term gives no smaller
 * sum: the bound never exceeds the d² that is computed for a point inside. */
template <int DIM, bool WRAP>
__device__ static __forceinline__ double tree_least(const Tree &t, const Box &box, const double *q, u32 node) {
	double sum = 0;
#pragma unroll
	for (int d = 0; d < DIM; d++) {
		double e = gap_least<WRAP>(q[d], t.low[(size_t)d * t.nodes + node], t.high[(size_t)d * t.nodes + node], box.side[d]);
		sum += e * e;
	}
	return sum;
}

#endif

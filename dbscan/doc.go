// Package dbscan clusters points by density (Ester, Kriegel, Sander & Xu,
// KDD 1996) on the ε self-join of package neighbors.
//
// A row is core when its ball of radius ε holds at least MinPoints rows, the
// row itself included, or, with weights, when the weights in the ball add up
// to at least MinPoints. Core rows within ε of each other are in one cluster.
// A row that is not core but has a core row within ε is a border row and joins
// the cluster of one of them; every other row is noise.
//
// Labels are fully determined: clusters are numbered from 0 by their lowest
// core row, a border row joins the lowest-numbered cluster among its core
// neighbours ([BorderFirst], as scikit-learn's DBSCAN does) or that of its
// nearest core neighbour ([BorderNearest]), and noise is [Noise]. They do not
// depend on the joiner, its threads or its batches.
//
// [Run] chooses one of three algorithms, or takes that of Options: [Cells], grid
// DBSCAN, which lists few neighbours; [UnionFind], which streams all lists and
// unites core rows on the way; and [Device], the joiner's own on a GPU. None holds
// pairs: the first two take about 14 bytes a row and 4 for each cell that is not
// empty, and 8 a row more with weights, counts or pairs, next to the plan of the
// join.
//
// [Model] attaches new points to clusters. [KDistances], [FindKnee] and
// [FindElbow] help to choose ε, [Summarize] describes the clusters.
package dbscan

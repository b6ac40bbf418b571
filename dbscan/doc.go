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
// [Run] goes cell by cell through the grid of the plan and lists few neighbours:
// whole cells are known to be core or not, or to be in one cluster, and a point
// is compared with others until it is known to be core. Counts and pairs, where
// they are asked for, are the joiner's. With weights or a periodic metric, or a
// joiner that cannot count, it streams all lists once and those of rows that are
// not core a second time. Either way it holds no pairs: about 14 bytes a row and
// 4 for each cell that is not empty, and 8 a row more with weights, counts or
// pairs, next to the plan of the join.
//
// [Model] attaches new points to clusters. [KDistances], [FindKnee] and
// [FindElbow] help to choose ε, [Summarize] describes the clusters.
package dbscan

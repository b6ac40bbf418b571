// Package hdbscan finds clusters of every density from one tree: HDBSCAN*
// (Campello, Moulavi & Sander, PAKDD 2013; Campello, Moulavi, Zimek & Sander,
// TKDD 2015), exactly, on the nearest neighbours of package neighbors.
//
// The core distance of a row is the distance to its m-th nearest row, the row itself
// being the first; m is [Options.MinSamples]. The mutual reachability distance of two
// rows is the largest of both core distances and their distance. [Build] makes the
// minimum spanning tree of it, which is unique as edges are ordered by (height, lower
// row, higher row), and from it the tree of single linkage, in which all components
// that edges of one height join become one node ([TiesTogether]). All heights are
// distances in the unit of the metric: one that is printed can be fed back as ε.
//
// [Tree.Condense] walks down that tree for a min-cluster-size N. At a node of
// height h let b be how many children have N rows, or weigh N. With b ≥ 2 the
// cluster ends and each of them begins a cluster; with b = 1 it goes on in that
// child; with b = 0 it dissolves. The rows of all smaller children leave the
// cluster at λ = 1/h. The stability of a cluster is the sum over its rows of
// weight·(λ where the row leaves - λ where the cluster begins). It is exact and
// does not depend on any order; where rows leave at λ = ∞, duplicates, the weight
// of these is compared first.
//
// [Condensed.Select] chooses clusters that do not overlap, and labels rows. One
// tree serves any number of sizes and selections, [Tree.Cut] (DBSCAN* at any ε)
// and [Tree.Linkage] (dendrograms as SciPy has them).
//
// Labels are numbered as in scikit-learn's HDBSCAN: by the depth of the split that a
// cluster comes from, then from left to right, where left is the branch that is reached
// first from row 0. Probabilities are defined as there. [Condensed.Outliers] is GLOSH,
// [Condensed.Memberships] gives soft memberships of other clusters, and
// [Condensed.Predict] attaches new rows.
//
// Every answer is the same for all joiners, threads and batches, to the last
// bit. A tree holds about 60 bytes a row beside the coordinates.
package hdbscan

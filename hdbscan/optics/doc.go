// Package optics orders points so that clusters of every density are valleys of
// a plot: OPTICS (Ankerst, Breunig, Kriegel & Sander, SIGMOD 1999), exactly.
//
// The reachability of a row from an earlier one p is max(core distance of p,
// distance). The next row is that of the least (reachability, row) from any
// earlier one; the first, and the next where nothing is within reach, is the
// lowest row left. Nothing is rounded. By definition the order depends on the
// order of the rows, as reachability is not symmetric: package hdbscan has the
// tree that does not.
//
// [Ordering.Cut] and [Ordering.Xi] take clusters from the order.
package optics

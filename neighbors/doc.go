// Package neighbors finds, for every point of a set, the points within a
// radius of it (the ε similarity join) or its K nearest points (the KNN join),
// exactly and in parallel.
//
// [Points] are given to [Prepare] together with a [Metric] and a [Query]; the
// resulting [Plan] has an index, built when it is needed; a [Joiner] streams the
// plan as a sequence of [Batch] values; a consumer folds them. [Collect] is the
// consumer that keeps everything.
//
// # What is a neighbour
//
// Row q is a neighbour of row p within radius ε when fl(√d²) ≤ ε, where d² is
// the sum over the coordinates, in column order, of the squared differences,
// every operation rounded to float64 and none fused. The comparison is made on
// d² against the largest float64 whose square root rounds to at most ε, so a
// reported distance, fed back as ε, finds its pair. A row is never its own
// neighbour; other rows at distance 0 are.
//
// All joiners, thread counts and batch sizes give the same neighbours, counts
// and distances, bit for bit. Batches and the lists inside them come in any
// order, except that lists of nearest neighbours are ordered by (d², row).
package neighbors

// Package hybrid carries out one join on several joiners at the same time: the
// CPU and GPUs, or several GPUs. They share the query rows through one
// double-ended queue ordered by work, GPUs taking from the dense front and the
// CPU from the sparse back (Gallet & Gowanlock, HEGJoin; Gowanlock,
// HybridKNN-Join). A [Partition] says how much each may take.
//
// The package knows joiners, not devices: any mix of them will do. Every row is
// delivered once, and the answer is that of any one of them, bit for bit. A
// joiner that fails is left out from then on, and the others do its rows.
//
// What it does not share is DBSCAN: a joiner that clusters on its own device,
// without shipping neighbours, is faster than any that wait for the lists, so
// [Joiner.Cluster] hands the whole to the first GPU that can.
package hybrid

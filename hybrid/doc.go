// Package hybrid carries out one join on several joiners at the same time: the CPU
// and GPUs, or several GPUs. They share the query rows through one double-ended
// queue ordered by work; GPUs take from the dense front and the CPU from the sparse
// back (Gallet & Gowanlock, HEGJoin; Gowanlock, HybridKNN-Join). A [Partition] says
// how much each may take.
//
// The package knows joiners, not devices: any combination works. Every row is
// delivered once, and the result is that of any single joiner, bit for bit. A joiner
// that fails is left out from then on, and the others do its rows.
//
// The order by work is that of the literature. Adaptive does without it, because
// sorting takes longer than it saves: GPUs first take rows in the order of their own
// index, while the CPU builds its index, and then both take rows that are near each
// other in that order.
//
// Several GPUs first count the neighbours of all rows together; in a self-join in
// many dimensions each pair once. All of them then know the length of every list,
// and take small parts one after another.
//
// DBSCAN is not shared: a joiner that clusters on its own device, without
// transferring neighbours, is faster than any that has to wait for the lists, so
// [Joiner.ForClustering] gives all the work to the first GPU that can.
//
// Points that do not fit a device are divided into slabs, see [Joiner]: slabs of a
// join within a radius have a margin of that width, and nearest neighbours are
// searched for in one slab after another until no other slab can have a nearer one.
package hybrid

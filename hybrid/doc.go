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
// The order by work is that of the literature. Adaptive does without, as making
// it takes longer than it saves: its GPUs first take rows in the order of their
// own index, while the CPU builds its own, and then both take what is near each
// other in that.
//
// GPUs among themselves count first, together, the neighbours of all rows: of a
// self-join in many dimensions each pair once. Then each knows what is in every
// row, and they take small parts one after the other.
//
// What is not shared is DBSCAN: a joiner that clusters on its own device,
// without shipping neighbours, is faster than any that wait for the lists, so
// that [Joiner.ForClustering] hands the whole to the first GPU that can.
//
// Points that a device cannot hold are divided into slabs, see [Joiner]: those
// of a join within a radius have a margin as wide as that, and the nearest are
// searched for in one slab after the other until none can have a nearer.
package hybrid

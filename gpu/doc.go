// Package gpu runs joins on NVIDIA GPUs, on a grid index that is built on the
// card (Gowanlock & Karsin, GPU-SJ).
//
// Joins within a radius count, sum and fill: whole neighbour lists are written
// where they belong and streamed to the host in batches. [Config] selects the
// published kernels instead, with their estimates, batches and orders. The K
// nearest come from a bounding volume tree, in one search whatever the
// distribution of the points. DBSCAN runs on the card as a whole
// ([Joiner.Cluster]). All answers are those of the CPU, bit for bit.
//
// Cards that need the same points at the same time each bring some of their
// columns from the host, and copy the rest from each other where they can.
//
// The package always compiles. Built with the tag cuda it finds the driver at
// run time; without it [Open] returns [ErrNotBuilt].
package gpu

// Package gpu runs joins on NVIDIA GPUs, on a grid index that is built on the card
// (Gowanlock & Karsin, GPU-SJ).
//
// Joins within a radius count the neighbours of all rows, sum the counts, and then
// write every list to its place; the lists are streamed to the host in batches.
// [Config] selects the published kernels instead, with their estimates, batches and
// orders. The K nearest are found in a bounding volume tree, in one search for any
// distribution of the points. DBSCAN runs entirely on the card, and so do histograms
// of the distances of all pairs. All results are those of the CPU, bit for bit.
//
// Cards that need the same points at the same time each upload some of the columns,
// and copy the rest from each other where they can.
//
// The code is in layers: operations on a stream (sequence), streams with buffers
// that take portions of the work (lane, drain), the grid index (layout, index,
// join), a plan on a device with its current rows (session, hand), and on top of
// these the lists, the published patterns, the nearest, clusters, and statistics of
// pairs. The parameters of all kernels are in params.
//
// The package always compiles. Built with the tag cuda it looks for the driver at
// run time; without it [Open] returns [ErrNotBuilt].
package gpu

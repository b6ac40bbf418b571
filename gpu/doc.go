// Package gpu runs ε-joins on NVIDIA GPUs: a grid index built on the card
// (Gowanlock & Karsin, GPU-SJ), a count, a prefix sum and a fill that writes
// whole neighbour lists, streamed to the host in batches.
//
// The package always compiles. Built with the tag cuda it finds the driver at
// run time; without it [Open] returns [ErrNotBuilt].
package gpu

package hybrid

import (
	"cmp"

	"skyjoin/internal/named"
	"skyjoin/neighbors"
)

// A Partition is the way in which query rows are divided between GPUs and CPU.
type Partition string

const (
	// Adaptive measures both sides during the run, and sizes batches so that both
	// end at the same time. A side that would only delay the other does not take
	// part. This is the default.
	Adaptive Partition = "adaptive"
	// Dynamic hands out batches on demand, to GPUs of equal numbers of neighbours:
	// HEGJOIN-DYN for neighbours within a
	// radius, and the monolithic and small batches of HYBRIDKNN-JOIN for the
	// nearest.
	Dynamic Partition = "dyn"
	// ByRows gives the GPUs a fixed share of the rows: HEGJOIN-SQ.
	ByRows Partition = "sq"
	// ByCandidates gives the GPUs a fixed share of the work, in candidates:
	// HEGJOIN-SC.
	ByCandidates Partition = "sc"
)

// Partitions are all partitions, the default first.
var Partitions = []Partition{Adaptive, Dynamic, ByRows, ByCandidates}

// ParsePartition returns the partition of that name; "" is Adaptive. The error
// wraps neighbors.ErrRequest and lists the names.
func ParsePartition(name string) (Partition, error) {
	return named.Value(neighbors.ErrRequest, "partition", Partitions, cmp.Or(name, string(Adaptive)))
}

// static reports whether the shares are fixed in advance.
func (p Partition) static() bool { return p == ByRows || p == ByCandidates }

// Rates are the seconds that each side takes for a join by itself, all GPUs
// together, as measured by "cluster calibrate"; zero if unknown.
type Rates struct{ CPU, GPU float64 }

// NearestOptions are the sizes of the batches of HYBRIDKNN-JOIN (§4.5), as parts of
// the rows. A field that is zero has the default of the paper's Table 4; a negative
// one means none.
type NearestOptions struct {
	Large  float64 // n_large: the first monolithic batch of a GPU; 0: 0.4
	Small  float64 // n_small: its batches afterwards; 0: 0.005
	Window float64 // n_Cwin: rows kept for the CPU from monolithic batches; 0: 0.4
	CPU    float64 // n_CPU: batches of the CPU; 0: 0.005

	// OwnCells orders rows by the points in their own cell of a grid of side ε_min
	// (§4.5), for which the distances of 500 points to all others are found; otherwise
	// they are ordered by a guess of the density around them, which takes less time.
	OwnCells bool
}

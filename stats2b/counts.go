package stats2b

import (
	"context"

	"skyjoin/neighbors"
)

// Counts are the pairs of one catalog, unordered and without those of a row
// with itself, or of two, by distance.
type Counts struct {
	Pairs []uint64 // of each bin
	Under uint64   // closer than the first edge
	Over  uint64   // not closer than the last
	Total uint64   // all: N(N-1)/2 or N_A·N_B

	// With weights, the sums of the products of the weights of each pair;
	// else nil. Each product is rounded once, to a multiple of 2⁻⁵² of the
	// power of two above the largest; the sums of these are exact and rounded
	// once.
	Weights []float64
	// The same over all pairs, from the sums of the weights, each of which is
	// rounded once as the products are: (W² − Σw²)/2, exact and rounded once, or
	// W_A·W_B. Without weights it is Total.
	TotalWeight float64

	separations *separations // nil unless asked for
}

// A Binner is a joiner that can count pairs by distance without listing them.
type Binner interface {
	// BinPairs returns, for each i, the number of pairs with edges[i] ≤ d² <
	// edges[i+1], d² being that of the lowered coordinates (internal/space).
	// edges are at least two, finite, not negative and in ascending order;
	// equal ones make an empty bin. A nil in.Data is a self-join: unordered
	// pairs, none of a row with itself. The sum of the counts must not depend
	// on anything but the points.
	BinPairs(ctx context.Context, in neighbors.Input, edges []float64) (counts []uint64, err error)
}

package stats2b

import (
	"context"

	"skyjoin/neighbors"
)

// Options say how pairs are counted. The zero value uses every core.
type Options struct {
	Joiner   neighbors.Joiner // carries plain counts out if it is a Binner; nil: the CPU
	Threads  int              // goroutines; 0: GOMAXPROCS
	Memory   int64            // bytes that the index may take; 0: no cap
	Progress func(done, total int64)
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

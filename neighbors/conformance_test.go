package neighbors_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

func TestBruteConforms(t *testing.T) {
	jointest.Run(t, func() neighbors.Joiner { return neighbors.CPU{Threads: 1, Algorithm: neighbors.Scan} })
}

func TestCPUConforms(t *testing.T) {
	for _, threads := range []int{1, 2, 7} {
		t.Run(fmt.Sprint(threads), func(t *testing.T) {
			jointest.Run(t, func() neighbors.Joiner { return neighbors.CPU{Threads: threads} })
		})
	}
}

func TestAlgorithmsConform(t *testing.T) {
	t.Run("kdtree", func(t *testing.T) {
		jointest.Run(t, func() neighbors.Joiner { return neighbors.CPU{Threads: 2, Algorithm: neighbors.KDTree} })
	})
	t.Run("brute", func(t *testing.T) {
		jointest.Run(t, func() neighbors.Joiner { return neighbors.CPU{Threads: 2, Algorithm: neighbors.Scan} })
	})
	t.Run("grid", func(t *testing.T) {
		jointest.Run(t, func() neighbors.Joiner { return gridIfPossible{} })
	})
}

// gridIfPossible uses the grid however uneven the points are, unless it cannot
// do what the plan asks for.
type gridIfPossible struct{}

func (gridIfPossible) Join(ctx context.Context, p *neighbors.Plan, work neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	grid := neighbors.CPU{Threads: 2, Algorithm: neighbors.Grid}
	for _, err := range grid.Join(context.Background(), p, neighbors.NewWork(nil, nil)) {
		if errors.Is(err, neighbors.ErrRequest) {
			grid.Algorithm = neighbors.Auto
		}
	}
	return grid.Join(ctx, p, work)
}

// Batches as small as they may be hold the same lists.
func TestSmallBatchesConform(t *testing.T) {
	jointest.Run(t, func() neighbors.Joiner { return smallBatches{} })
}

// smallBatches allows a join no more memory than it must have.
type smallBatches struct{}

func (smallBatches) Join(ctx context.Context, p *neighbors.Plan, work neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	const threads, entries = 2, 4096
	if err := (neighbors.CPU{}).Index(ctx, p); err != nil {
		return func(yield func(*neighbors.Batch, error) bool) { yield(nil, err) }
	}
	return neighbors.CPU{Threads: threads, Memory: p.Memory() + threads*entries*12}.Join(ctx, p, work)
}

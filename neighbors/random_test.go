package neighbors_test

import (
	"context"
	"iter"
	"testing"

	"pgregory.net/rapid"

	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

// randomJoiners are the ways to answer a random request: every algorithm, few
// rows to a batch, and several threads.
var randomJoiners = []neighbors.Joiner{
	neighbors.CPU{Threads: 1, Algorithm: neighbors.Scan},
	neighbors.CPU{Threads: 1},
	neighbors.CPU{Threads: 3},
	able{neighbors.Grid},
	able{neighbors.KDTree},
	able{neighbors.Scan},
	able{neighbors.SuperEGO},
	able{neighbors.NewSuperEGO},
	able{neighbors.RTree},
	smallBatches{},
}

// able uses an algorithm unless it cannot do what the plan asks for.
type able struct{ algorithm neighbors.Algorithm }

func (a able) joiner(ctx context.Context, p *neighbors.Plan) neighbors.CPU {
	c := neighbors.CPU{Threads: 2, Algorithm: a.algorithm}
	if c.Index(ctx, p) != nil {
		c.Algorithm = neighbors.Auto
	}
	return c
}

func (a able) Join(ctx context.Context, p *neighbors.Plan, work neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	return a.joiner(ctx, p).Join(ctx, p, work)
}

// Count implements neighbors.Counter.
func (a able) Count(ctx context.Context, p *neighbors.Plan, work neighbors.Work, count []int64) error {
	return a.joiner(ctx, p).Count(ctx, p, work, count)
}

// Whatever legal request comes, every joiner gives the neighbours of the
// definition.
func TestRandomRequests(t *testing.T) {
	sizes := []int{1, 2, 3, 8, 20, 20, 60, 60}
	if !testing.Short() {
		sizes = append(sizes, 200, 200, 600)
	}
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		most := rapid.SampledFrom(sizes).Draw(t, "most")
		some := randomJoiners
		if most > 8 {
			first := rapid.IntRange(0, len(some)-2).Draw(t, "joiner")
			some = some[first : first+2]
		}
		jointest.Random(t, seed, most, some...)
	})
}

func TestRandomLongLists(t *testing.T) {
	joiners := []neighbors.Joiner{neighbors.CPU{Threads: 1}, able{neighbors.Grid}, able{neighbors.KDTree}, able{neighbors.Scan}}
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		jointest.RandomLong(t, seed, rapid.SampledFrom(joiners).Draw(t, "joiner"))
	})
}

package neighbors_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"pgregory.net/rapid"

	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

// randomJoiners are the ways to answer a random request: every algorithm, few
// rows to a batch, and several threads.
var randomJoiners = []neighbors.Joiner{
	neighbors.Brute{},
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
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		most := rapid.SampledFrom([]int{1, 2, 3, 8, 20, 20, 60, 60, 200, 200, 200, 600}).Draw(t, "most")
		k := rapid.IntRange(0, len(randomJoiners)-1).Draw(t, "joiner")
		r := jointest.RandomRequest(seed, most)
		jointest.Random(failing{t, fmt.Sprintf("%T%+v, %v", randomJoiners[k], randomJoiners[k], r)}, func() neighbors.Joiner { return randomJoiners[k] }, seed, most)
	})
}

// failing says what request failed.
type failing struct {
	*rapid.T
	request string
}

func (f failing) Fatalf(format string, args ...any) {
	f.T.Helper()
	f.T.Fatalf("%s: %s", f.request, fmt.Sprintf(format, args...))
}

func TestRandomLongLists(t *testing.T) {
	joiners := []neighbors.Joiner{neighbors.CPU{Threads: 1}, able{neighbors.Grid}, able{neighbors.KDTree}, able{neighbors.Scan}}
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		k := rapid.IntRange(0, len(joiners)-1).Draw(t, "joiner")
		jointest.RandomLong(failing{t, fmt.Sprintf("%+v", joiners[k])}, func() neighbors.Joiner { return joiners[k] }, seed)
	})
}

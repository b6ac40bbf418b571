package match

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"skyjoin/neighbors"
)

// A Result is the matches of two sets of points.
type Result struct {
	Pairs []Pair // ordered by (A, B)

	// Candidates counts the pairs that meet the criterion, of which the
	// matches were chosen.
	Candidates int64
	// AmbiguousA and AmbiguousB count the rows with more than one candidate.
	AmbiguousA, AmbiguousB int64
}

// Cross matches the rows of a and b. Errors wrap neighbors.ErrRequest,
// ErrCoordinate or ErrMemory. The answer does not depend on the joiner or its
// threads.
func Cross(ctx context.Context, a, b *neighbors.Points, m neighbors.Metric, o Options) (*Result, error) {
	if a == nil || b == nil {
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	if err := o.check(a, b); err != nil {
		return nil, err
	}
	if a.Len() == 0 || b.Len() == 0 {
		return &Result{}, nil
	}
	o.K = min(o.K, b.Len())
	plan, err := o.prepare(ctx, a, b, m)
	if err != nil {
		return nil, err
	}
	if err := neighbors.Index(ctx, o.Joiner, plan); err != nil {
		return nil, err
	}
	wider := func(k int) (*neighbors.Plan, error) { return o.prepareNearest(ctx, a, b, m, k) }
	if err := o.foresee(ctx, plan, wider); err != nil {
		return nil, err
	}
	c := newCollector(plan, &o)
	if err := c.visit(ctx, plan, plan.Work(), wider); err != nil {
		return nil, err
	}
	return c.result(), nil
}

// foresee looks for the pairs of the sample.
func (o Options) foresee(ctx context.Context, plan *neighbors.Plan, wider func(k int) (*neighbors.Plan, error)) error {
	if o.Foresee == nil {
		return nil
	}
	o.Find, o.Progress = All, nil
	c := newCollector(plan, &o)
	if err := c.visit(ctx, plan, neighbors.NewWork(o.Sample, nil), wider); err != nil {
		return err
	}
	return o.Foresee(c.result().Pairs)
}

// A collector folds batches of candidates.
type collector struct {
	o       *Options
	rowsA   int
	kept    [][]Pair // by worker
	best2   *nearest // for Best2
	held    atomic.Int64
	limit   int64           // of held; 0 without
	timesB  []atomic.Uint32 // candidates of each row of B
	workers []tally
	short   [][]uint32 // rows of A by worker whose lists are too short to tell, see visit
}

// A tally is what a worker counts.
type tally struct {
	candidates, ambiguous int64
	_                     [48]byte // a cache line for each
}

const pairBytes = 16

func newCollector(plan *neighbors.Plan, o *Options) *collector {
	n := neighbors.Workers(o.Joiner)
	c := &collector{o: o, rowsA: plan.Len(), kept: make([][]Pair, n), timesB: make([]atomic.Uint32, plan.DataLen()), workers: make([]tally, n)}
	if o.Memory > 0 {
		c.limit = max(o.Memory-plan.Memory(), 0) / pairBytes
	}
	if o.Find == Best2 {
		c.best2 = newNearest(plan.DataLen())
	}
	return c
}

func (c *collector) batch(worker int, b *neighbors.Batch) error {
	before := len(c.kept[worker])
	done := int64(0)
	for i, a := range b.Rows {
		if c.short != nil && !c.enough(b.List(i), b.Dists(i)) {
			c.short[worker] = append(c.short[worker], a)
			continue
		}
		c.list(worker, a, b.List(i), b.Dists(i))
		done++
	}
	if c.o.Progress != nil {
		c.o.Progress(done)
	}
	if held := c.held.Add(int64(len(c.kept[worker]) - before)); c.limit > 0 && held > c.limit {
		return fmt.Errorf("%w: there are more than %d pairs to choose from", neighbors.ErrMemory, c.limit)
	}
	return nil
}

// list takes the candidates of one row of A.
func (c *collector) list(worker int, a uint32, rows []uint32, distances []float64) {
	found := int64(0)
	best := Pair{B: neighbors.None}
	beyond := 0 // rows that are not within the inner radius
	for k, b := range rows {
		if b == neighbors.None || distances[k] < c.o.Min {
			continue
		}
		if beyond++; c.o.K > 0 && beyond > c.o.K {
			break
		}
		if !c.o.matches(a, b, distances[k]) {
			continue
		}
		found++
		c.timesB[b].Add(1)
		p := Pair{a, b, distances[k]}
		switch c.o.Find {
		case Best1:
			if best.B == neighbors.None || p.Distance < best.Distance || p.Distance == best.Distance && b < best.B {
				best = p
			}
		case Best2:
			c.best2.offer(p)
		default:
			c.kept[worker] = append(c.kept[worker], p)
		}
	}
	if best.B != neighbors.None {
		c.kept[worker] = append(c.kept[worker], best)
	}
	t := &c.workers[worker]
	t.candidates += found
	if found > 1 {
		t.ambiguous++
	}
}

func (c *collector) result() *Result {
	r := &Result{}
	for _, t := range c.workers {
		r.Candidates += t.candidates
		r.AmbiguousA += t.ambiguous
	}
	for i := range c.timesB {
		if c.timesB[i].Load() > 1 {
			r.AmbiguousB++
		}
	}
	r.Pairs = slices.Concat(c.kept...)
	switch c.o.Find {
	case Best:
		r.Pairs = greedy(r.Pairs, c.rowsA, len(c.timesB))
	case Best2:
		r.Pairs = c.best2.pairs()
	}
	slices.SortFunc(r.Pairs, func(p, q Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) })
	return r
}

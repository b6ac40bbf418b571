package match

import (
	"cmp"
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

// A collector folds batches of candidates.
type collector struct {
	o       *Options
	rowsA   int
	kept    []pairList // by worker
	best2   *nearest   // for Best2
	held    atomic.Int64
	limit   int64           // of held; 0 without
	timesB  []atomic.Uint32 // candidates of each row of B
	workers []tally
	short   [][]uint32 // by worker: rows of A whose lists are too short to tell, see visit
}

// A tally is what a worker counts.
type tally struct {
	candidates, ambiguous int64
	_                     [48]byte // a cache line for each
}

// pairBytes is what a pair takes that is kept: in a list, and when all are put together.
const pairBytes = 32

func newCollector(plan *neighbors.Plan, o *Options) *collector {
	n := neighbors.Workers(o.Joiner)
	c := &collector{o: o, rowsA: plan.Len(), kept: make([]pairList, n), timesB: make([]atomic.Uint32, plan.DataLen()), workers: make([]tally, n)}
	if o.Memory > 0 {
		c.limit = max(o.Memory-plan.Memory(), 0) / pairBytes
	}
	if o.Find == Best2 {
		c.best2 = newNearest(plan.DataLen())
	}
	return c
}

func (c *collector) batch(worker int, b *neighbors.Batch) error {
	before := c.kept[worker].n
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
	if held := c.held.Add(int64(c.kept[worker].n - before)); c.limit > 0 && held > c.limit {
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
			c.kept[worker].add(p)
		}
	}
	if best.B != neighbors.None {
		c.kept[worker].add(best)
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
	r.Pairs = together(c.kept)
	switch c.o.Find {
	case Best:
		// Of the candidates only the matches stay in memory.
		r.Pairs = slices.Clone(greedy(r.Pairs, c.rowsA, len(c.timesB)))
	case Best2:
		r.Pairs = c.best2.pairs()
	}
	slices.SortFunc(r.Pairs, func(p, q Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) })
	return r
}

// beyondRadius is a factor above the rounding of distances: what is farther by
// d² may have the same distance, but none less than that by so much.
const beyondRadius = 1 + 1e-9

// enough reports whether a list of nearest rows has all candidates of its row:
// K of them outside the inner radius, or all rows, or all within the radius.
func (c *collector) enough(rows []uint32, distances []float64) bool {
	n := len(rows)
	if n == len(c.timesB) || n == 0 || rows[n-1] == neighbors.None {
		return true
	}
	if c.o.Radius > 0 && distances[n-1] > c.o.Radius*beyondRadius {
		return true
	}
	beyond := 0
	for _, d := range distances {
		if d >= c.o.Min {
			beyond++
		}
	}
	return beyond >= c.o.K
}

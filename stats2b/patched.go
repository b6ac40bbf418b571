package stats2b

import (
	"slices"

	"skyjoin/internal/each"
	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
)

// byPatch returns the sample with its rows in the order of their patches, so that
// the rows of one patch are together in the cells of a grid too.
func (s *Sample) byPatch() *Sample {
	if slices.IsSorted(s.Patch) {
		return s
	}
	order := each.Row(len(s.Patch))
	slices.SortStableFunc(order, func(i, j uint32) int { return int(s.Patch[i]) - int(s.Patch[j]) })
	sorted := &Sample{Points: s.Points.Subset(order), Patch: make([]int32, len(order))}
	for k, i := range order {
		sorted.Patch[k] = s.Patch[i]
	}
	return sorted
}

// segments divide the points of one side, in the order of its grid, where the patch
// changes.
type segments struct {
	patch []int32
	end   []uint32 // of the segment that contains a point
}

func newSegments(s *Sample, g *grid.Grid) *segments {
	rows := g.Rows()
	c := &segments{make([]int32, len(rows)), make([]uint32, len(rows))}
	for i := len(rows) - 1; i >= 0; i-- {
		c.patch[i] = s.Patch[rows[i]]
		c.end[i] = uint32(i + 1)
		if i+1 < len(rows) && c.patch[i+1] == c.patch[i] {
			c.end[i] = c.end[i+1]
		}
	}
	return c
}

// A patchCounter counts pairs without weights by the patches of their points: with
// the histogram kernels, one pair of patches at a time.
type patchCounter struct {
	*plainCounter
	t           *Tally
	query, data *segments
	slots       []uint64 // as Tally.pairs
	into        []uint64 // those of the pair of patches that is being counted
	p, q        int32

	// The current runs by patch: first is the head of the list of each patch, -1 for
	// none.
	first []int32
	lists []patchRuns
}

type patchRuns struct {
	patch int32
	runs  []kernel.Run
}

func newPatchCounter(t *Tally, c *plainCounter, query, data *segments) *patchCounter {
	v := &patchCounter{plainCounter: c, t: t, query: query, data: data, slots: make([]uint64, len(t.pairs)), first: make([]int32, t.groups()), p: -1}
	for q := range v.first {
		v.first[q] = -1
	}
	return v
}

func (v *patchCounter) direct(lo, hi, end int, runs []kernel.Run) {
	for stop := lo; lo < hi; lo = stop {
		stop = min(int(v.query.end[lo]), hi)
		p := v.query.patch[lo]
		if end > 0 {
			v.between(p, p)
			v.plainCounter.direct(lo, stop, stop, nil)
			v.divide(kernel.Run{Lo: uint32(stop), Hi: uint32(end)})
		}
		for _, r := range runs {
			v.divide(r)
		}
		v.each(p, func(runs []kernel.Run) { v.plainCounter.direct(lo, stop, 0, runs) })
	}
}

func (v *patchCounter) wrapped(i int, runs []kernel.Run) {
	for _, r := range runs {
		v.divide(r)
	}
	v.each(v.query.patch[i], func(runs []kernel.Run) { v.plainCounter.wrapped(i, runs) })
}

// divide adds a run to the lists of its patches.
func (v *patchCounter) divide(r kernel.Run) {
	for r.Lo < r.Hi {
		q, end := v.data.patch[r.Lo], min(v.data.end[r.Lo], r.Hi)
		at := v.first[q]
		if at < 0 {
			at = int32(len(v.lists))
			v.first[q] = at
			v.lists = slices.Grow(v.lists, 1)[:at+1]
			v.lists[at].patch, v.lists[at].runs = q, v.lists[at].runs[:0]
		}
		l := &v.lists[at]
		l.runs = kernel.Extend(l.runs, r.Lo, end)
		r.Lo = end
	}
}

// each passes the lists to count, one after another, and empties them.
func (v *patchCounter) each(p int32, count func(runs []kernel.Run)) {
	for i := range v.lists {
		l := &v.lists[i]
		v.between(p, l.patch)
		count(l.runs)
		v.first[l.patch] = -1
	}
	v.lists = v.lists[:0]
}

// between selects the pair of patches to count.
func (v *patchCounter) between(p, q int32) {
	if v.into != nil && v.p == p && v.q == q {
		return
	}
	v.take()
	v.p, v.q = p, q
	at := v.t.at(int(p), int(q)) + v.t.slots() - len(v.counts) // without a count below the first edge if the bins begin at 0
	v.into = v.slots[at:][:len(v.counts)]
}

// take adds the counts to the slots of the pair of patches.
func (v *patchCounter) take() {
	if v.into == nil {
		return
	}
	v.h.Take(v.into)
	for i, n := range v.counts {
		v.into[i] += n
		v.counts[i] = 0
	}
}

package dbscan

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

// unwrap finds the winding of the clusters of a result. Only those that are
// longer than half the box, or lie across its faces, need one.
func (f *frame) unwrap(ctx context.Context, r *Result, join Join) (*winding, error) {
	w := &winding{sides: make([]float64, f.points.Dim()), wraps: make([]bool, r.Clusters()), turns: []turn{""}}
	for j := range w.sides {
		w.sides[j] = f.metric.Side(j)
	}
	wide, err := f.wide(ctx, r)
	if err != nil || !slices.Contains(wide, true) {
		return w, err
	}
	w.of = make([]int32, len(r.Labels))
	switch {
	case r.Links != nil:
		return w, f.along(ctx, r, wide, w, join)
	case r.Eps > 0:
		return w, f.follow(ctx, r, wide, w, join)
	}
	return w, fmt.Errorf("%w: a result without Eps or Links: nothing says how its clusters lie in the periodic box", neighbors.ErrRequest)
}

// wide reports which clusters have rows further from each other than half the
// box along an axis, before they are unwrapped.
func (f *frame) wide(ctx context.Context, r *Result) ([]bool, error) {
	dim := f.points.Dim()
	low, high := slices.Repeat([]float64{math.Inf(1)}, dim*r.Clusters()), slices.Repeat([]float64{math.Inf(-1)}, dim*r.Clusters())
	err := f.each(ctx, r.Labels, func(row int, label int32) {
		for j := range dim {
			v, k := f.value(j, row), int(label)*dim+j
			low[k], high[k] = min(low[k], v), max(high[k], v)
		}
	})
	wide := make([]bool, r.Clusters())
	for k := range low {
		if side := f.metric.Side(k % dim); side > 0 && high[k]-low[k] >= side/2 {
			wide[k/dim] = true
		}
	}
	return wide, err
}

// A crossing is a link of rows in two sets, and how many sides of the box are
// to be added to the second to have it beside the first.
type crossing struct {
	from, to uint32
	turn     turn
}

// follow unwraps wide clusters along the links of core rows. Links within the
// box make sets of rows that need the same turn; links through its faces say
// how the turns of two sets differ. A cluster whose links contradict each other
// wraps around the box.
func (f *frame) follow(ctx context.Context, r *Result, wide []bool, w *winding, join Join) error {
	rows := each.Which(len(r.Labels), func(row int) bool { return r.Labels[row] != Noise && wide[r.Labels[row]] })
	box := newBoxed(f, rows)
	sets := newForest(len(rows))
	for i, row := range rows {
		if r.Core[row] {
			sets.enter(uint32(i))
		}
	}
	var lock sync.Mutex
	crossings := map[crossing]bool{}
	anchor := slices.Repeat([]uint32{outside}, len(rows)) // the core row that a border row is nearest to
	join.Progress = nil
	in := neighbors.Input{Query: f.points.Subset(rows), Metric: f.metric}
	round := turnOf(slices.Repeat([]int32{1}, f.points.Dim()))
	err := join.visit(ctx, in, neighbors.Within{Radius: r.Eps}, func(p *neighbors.Plan, b *neighbors.Batch) {
		found := map[crossing]bool{}
		for n, i := range b.Rows {
			if !r.Core[rows[i]] {
				anchor[i] = f.nearestCore(p, i, b.List(n), rows, r)
				continue
			}
			root := sets.root(i)
			for _, k := range b.List(n) {
				if i > k || !r.Core[rows[k]] {
					continue
				}
				switch t, both := box.between(i, k); {
				case both: // two images are as near, one of them all the way round
					found[crossing{root, root, round}] = true
				case t == "":
					if sets.at(k) != root { // most hang from the same root already
						root = sets.unite(root, k)
					}
				default:
					found[crossing{root, sets.root(k), t}] = true
				}
			}
		}
		lock.Lock()
		defer lock.Unlock()
		for c := range found {
			crossings[c] = true
		}
	})
	if err != nil {
		return err
	}
	turns, torn := solve(sets, crossings)
	number := map[turn]int32{"": 0}
	for i, row := range rows {
		if r.Core[row] {
			root := sets.root(uint32(i))
			w.set(int(row), turns[root], number)
			if torn[root] {
				w.wraps[r.Labels[row]] = true
			}
		}
	}
	for i, row := range rows {
		if k := anchor[i]; k != outside {
			t, _ := box.between(k, uint32(i))
			w.set(int(row), turns[sets.root(k)].plus(t, 1), number)
		}
	}
	return nil
}

// A boxed is the values of some rows, inside of the box.
type boxed struct {
	values []float64 // of row i from i·len(sides) on
	sides  []float64 // of each column, 0 for an open axis
}

func newBoxed(f *frame, rows []uint32) *boxed {
	b := &boxed{sides: make([]float64, f.points.Dim())}
	for j := range b.sides {
		b.sides[j] = f.metric.Side(j)
	}
	b.values = make([]float64, 0, len(rows)*len(b.sides))
	for _, row := range rows {
		for j := range b.sides {
			b.values = append(b.values, f.value(j, int(row)))
		}
	}
	return b
}

// between returns the turn that brings row k beside row i, and whether another
// is as good: on an axis they are half the box apart.
func (b *boxed) between(i, k uint32) (t turn, both bool) {
	dim := len(b.sides)
	x, y := b.values[int(i)*dim:(int(i)+1)*dim], b.values[int(k)*dim:(int(k)+1)*dim]
	var sides []int32
	add := func(j int, n int32) {
		if sides == nil {
			sides = make([]int32, dim)
		}
		sides[j] = n
	}
	for j, side := range b.sides {
		if side == 0 {
			continue
		}
		switch d := y[j] - x[j]; {
		case math.Abs(d) == side/2:
			both = true
		case d > side/2:
			add(j, -1)
		case d < -side/2:
			add(j, 1)
		}
	}
	return turnOf(sides), both
}

// nearestCore returns the core row of its cluster that a border row is nearest
// to, of several the one of the least values: the choice must not depend on the
// order of the rows.
func (f *frame) nearestCore(p *neighbors.Plan, i uint32, list, rows []uint32, r *Result) uint32 {
	best, least := uint32(outside), math.Inf(1)
	for _, k := range list {
		if !r.Core[rows[k]] || r.Labels[rows[k]] != r.Labels[rows[i]] {
			continue
		}
		d := p.SquaredDistance(i, k)
		if d < least || d == least && best != outside && f.before(rows[k], rows[best]) {
			best, least = k, d
		}
	}
	return best
}

// before compares the values of two rows.
func (f *frame) before(a, b uint32) bool {
	for j := range f.points.Dim() {
		if x, y := f.value(j, int(a)), f.value(j, int(b)); x != y {
			return x < y
		}
	}
	return false
}

// solve returns the turn of every set by its root, and which sets are linked to
// images of themselves.
func solve(sets *forest, crossings map[crossing]bool) (turns map[uint32]turn, torn map[uint32]bool) {
	turns, torn = map[uint32]turn{}, map[uint32]bool{}
	links := map[uint32][]crossing{}
	for c := range crossings {
		c.from, c.to = sets.root(c.from), sets.root(c.to)
		links[c.from] = append(links[c.from], c)
		links[c.to] = append(links[c.to], crossing{c.to, c.from, turn("").plus(c.turn, -1)})
	}
	for first := range links {
		if _, known := turns[first]; known {
			continue
		}
		turns[first] = ""
		group, contradiction := []uint32{first}, false
		for n := 0; n < len(group); n++ {
			for _, c := range links[group[n]] {
				t := turns[c.from].plus(c.turn, 1)
				old, known := turns[c.to]
				if !known {
					turns[c.to] = t
					group = append(group, c.to)
				}
				contradiction = contradiction || known && old != t
			}
		}
		for _, root := range group {
			torn[root] = contradiction
		}
	}
	return turns, torn
}

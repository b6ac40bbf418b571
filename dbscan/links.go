package dbscan

import (
	"context"
	"math"
	"slices"
	"sync"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

// Links are what holds clusters together that no single radius has found, such as
// those of a hierarchy. In a periodic box they say which images of rows belong
// together.
type Links struct {
	Edges  [][2]uint32 // pairs of rows, by which the rows of each cluster hang together
	Radius []float64   // of each cluster: what is this near is linked, in the unit of the metric
}

// along unwraps wide clusters along given edges. A cluster of which another image
// comes within its radius wraps around the box.
func (f *frame) along(ctx context.Context, r *Result, wide []bool, w *winding, join Join) error {
	box := newBoxed(f, each.Row(len(r.Labels)))
	sets := newForest(len(r.Labels))
	for row := range r.Labels {
		sets.enter(uint32(row))
	}
	crossings := map[crossing]bool{}
	for _, e := range r.Links.Edges {
		if t, _ := box.between(e[0], e[1]); t == "" {
			sets.unite(e[0], e[1])
		} else {
			crossings[crossing{e[0], e[1], t}] = true
		}
	}
	turns, torn := solve(sets, crossings)
	number := map[turn]int32{"": 0}
	members := make([][]uint32, len(wide))
	for row, label := range r.Labels {
		if label != Noise && wide[label] {
			root := sets.root(uint32(row))
			w.set(row, turns[root], number)
			w.wraps[label] = w.wraps[label] || torn[root]
			members[label] = append(members[label], uint32(row))
		}
	}
	for label, rows := range members {
		if len(rows) == 0 || w.wraps[label] {
			continue
		}
		var err error
		if w.wraps[label], err = f.meetsImage(ctx, rows, w, r.Links.Radius[label], join); err != nil {
			return err
		}
	}
	return nil
}

// meetsImage reports whether a row of a cluster, unwrapped, is within a radius of
// another image of the cluster.
func (f *frame) meetsImage(ctx context.Context, rows []uint32, w *winding, radius float64, join Join) (bool, error) {
	u, slack := unwrapped{}, 0.0 // values are rounded
	for j, side := range w.sides {
		v := each.Of(rows, func(row uint32) float64 {
			x := f.value(j, int(row)) + float64(w.turn(int(row)).at(j))*side
			return min(max(x, -math.MaxFloat64), math.MaxFloat64)
		})
		low, high, reach := slices.Min(v), slices.Max(v), radius*f.metric.Scale(j)
		images := 0
		if side > 0 {
			reach = min(reach, side/2) // the nearest image of a row is not further
			images = int(high/side - low/side + reach/side + 1e-9)
		}
		slack = max(slack, 0x1p-49*max(high, -low)/f.metric.Scale(j))
		u.values, u.low, u.high = append(u.values, v), append(u.low, low-reach), append(u.high, high+reach)
		u.images = append(u.images, images)
	}
	data, err := u.points(each.Row(len(rows)), make([]float64, len(w.sides)))
	if err != nil {
		return false, err
	}
	in := neighbors.Input{Data: data, Metric: withoutBox(f.metric)}
	join.Progress = nil
	for turns := u.first(); turns != nil; turns = u.next(turns) {
		shift := each.To(len(turns), func(j int) float64 { return float64(turns[j]) * w.sides[j] })
		near := each.Which(len(rows), func(i int) bool { return u.within(i, shift) })
		if len(near) == 0 {
			continue
		}
		if in.Query, err = u.points(near, shift); err != nil {
			return false, err
		}
		var lock sync.Mutex
		least := math.Inf(1)
		if err := join.visit(ctx, in, neighbors.Nearest{K: 1}, func(_ *neighbors.Plan, b *neighbors.Batch) {
			for i := range b.Rows {
				d := b.Dists(i)[0]
				lock.Lock()
				least = min(least, d)
				lock.Unlock()
			}
		}); err != nil {
			return false, err
		}
		if least <= radius+slack {
			return true, nil
		}
	}
	return false, nil
}

// An unwrapped is the rows of a cluster as they are linked, outside of the box
// where they must be.
type unwrapped struct {
	values    [][]float64 // of each column
	low, high []float64   // of each column: what lies beyond is out of reach of all rows
	images    []int       // of each axis: so many sides away another image may be in reach
}

// points returns rows, shifted.
func (u *unwrapped) points(rows []uint32, shift []float64) (*neighbors.Points, error) {
	cols := make([]neighbors.Column, len(u.values))
	for j, v := range u.values {
		cols[j] = neighbors.Float64s(each.Of(rows, func(i uint32) float64 { return v[i] + shift[j] }))
	}
	return neighbors.NewPoints(cols...)
}

// within reports whether a row, shifted, may be in reach of another.
func (u *unwrapped) within(i int, shift []float64) bool {
	for j, v := range u.values {
		if x := v[i] + shift[j]; x < u.low[j] || x > u.high[j] {
			return false
		}
	}
	return true
}

// first returns the first image that may be in reach. Of two that lie opposite to
// each other one is enough, that which is ahead along the last axis on which they
// differ.
func (u *unwrapped) first() []int { return u.next(make([]int, len(u.images))) }

// next returns the image after one, nil after the last.
func (u *unwrapped) next(turns []int) []int {
	next := slices.Clone(turns)
	for j, most := range u.images {
		if next[j] < most {
			next[j]++
			return next
		}
		next[j] = -most
	}
	return nil
}

package dbscan

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// inOrders summarizes the rows in several orders, and returns the clusters by the
// number of their rows.
func inOrders(t *testing.T, box []float64, eps float64, opt Options, values ...[]float64) [][]Cluster {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	var all [][]Cluster
	for range 6 {
		order := rng.Perm(len(values[0]))
		mixed := make([][]float64, len(values))
		for j := range mixed {
			mixed[j] = permuted(values[j], order)
		}
		_, c := summary(t, columns(t, mixed...), neighbors.Periodic(box...), eps, opt)
		slices.SortFunc(c, func(a, b Cluster) int { return int(b.Size - a.Size) })
		for k := range c {
			if c[k].Nearest != Noise {
				c[k].Nearest = 0 // depends on the order of the rows
			}
			c[k].Label = 0
		}
		all = append(all, c)
	}
	return all
}

// sameBits reports whether clusters are the same.
func sameBits(a, b Cluster) bool {
	return a.Size == b.Size && a.Wraps == b.Wraps && slices.Equal(a.Centre, b.Centre) && a.Extent == b.Extent && slices.Equal(a.Deviation, b.Deviation)
}

// A filament longer than half the box has one centre in any order of its rows.
func TestFilamentOverHalfABox(t *testing.T) {
	var x, y []float64
	for i := range 17 {
		x = append(x, math.Mod(6+.4*float64(i), 10))
		y = append(y, math.Mod(9.9+.02*float64(i), 10))
	}
	all := inOrders(t, []float64{10, 10}, .5, Options{MinPoints: 2}, x, y)
	for _, c := range all {
		if len(c) != 1 || c[0].Wraps || !near(c[0].Centre, []float64{9.2, .06}, 1e-13) {
			t.Fatalf("%+v", c)
		}
		spread := math.Sqrt((17*17 - 1) / 12.)
		if !near(c[0].Deviation, []float64{.4 * spread, .02 * spread}, 1e-12) || math.Abs(c[0].Extent-math.Hypot(3.2, .16)) > 1e-12 {
			t.Errorf("deviation %v, extent %v", c[0].Deviation, c[0].Extent)
		}
		if !sameBits(c[0], all[0][0]) {
			t.Errorf("%+v in one order, %+v in another", all[0][0], c[0])
		}
	}
}

// A line that winds around the box more than once without meeting itself does
// not wrap: its centre is that of its unwound length.
func TestHelixInABox(t *testing.T) {
	var x, y []float64
	for i := range 101 { // from 0 to 25 along x, from 2 to 7 along y
		x = append(x, math.Mod(.25*float64(i), 10))
		y = append(y, 2+.05*float64(i))
	}
	all := inOrders(t, []float64{10, 10}, .3, Options{MinPoints: 2}, x, y)
	for _, c := range all {
		if len(c) != 1 || c[0].Wraps || !near(c[0].Centre, []float64{2.5, 4.5}, 1e-12) || math.Abs(c[0].Extent-math.Hypot(12.5, 2.5)) > 1e-11 {
			t.Fatalf("%+v", c)
		}
		if !sameBits(c[0], all[0][0]) {
			t.Errorf("%+v in one order, %+v in another", all[0][0], c[0])
		}
	}
}

// A cluster that meets its own image has no centre; the others are nearest to
// each other.
func TestRingAroundABox(t *testing.T) {
	var x, y []float64
	for i := range 25 {
		x, y = append(x, .4*float64(i)), append(y, 5)
	}
	x, y = append(x, 9.9, .1, .3, 3, 3.2), append(y, 1, 1, 1, 1, 1)
	for _, c := range inOrders(t, []float64{10, 0}, .5, Options{MinPoints: 2}, x, y) {
		if len(c) != 3 || !c[0].Wraps || c[1].Wraps || c[2].Wraps {
			t.Fatalf("%+v", c)
		}
		for _, v := range slices.Concat(c[0].Centre, c[0].Deviation, []float64{c[0].Extent, c[0].Separation}) {
			if v == v {
				t.Errorf("a ring has %+v", c[0])
			}
		}
		if c[0].Nearest != Noise || !near([]float64{c[1].Centre[0], c[1].Separation, c[2].Separation}, []float64{.1, 3, 3}, 1e-14) {
			t.Errorf("the others: %+v", c[1:])
		}
	}
	// Two rows that are half the box apart are as near both ways round.
	for _, c := range inOrders(t, []float64{10}, 5, Options{MinPoints: 1}, []float64{1, 6}) {
		if len(c) != 1 || !c[0].Wraps {
			t.Errorf("half a box apart: %+v", c)
		}
	}
}

// A border row that the two ends of a filament have in common is beside the
// nearer one, and closes no ring.
func TestBorderBetweenEnds(t *testing.T) {
	var x []float64
	for i := range 37 { // 0 to 9, dense; the ends are 1 apart
		x = append(x, .25*float64(i))
	}
	x = append(x, 9.45) // .45 after one end, .55 before the other
	for _, c := range inOrders(t, []float64{10}, .56, Options{MinPoints: 4}, x) {
		sum := 9.45
		for i := range 37 {
			sum += .25 * float64(i)
		}
		if len(c) != 1 || c[0].Wraps || c[0].Size != 38 || !near(c[0].Centre, []float64{sum / 38}, 1e-12) {
			t.Fatalf("%+v, want a centre of %v", c, sum/38)
		}
	}
}

// Clusters that no radius has found are unwrapped along the edges that are given,
// and wrap where an image of them is within their own radius.
func TestUnwrapAlongLinks(t *testing.T) {
	x := []float64{6, 7, 8, 9, 0, 1, 2}
	for _, order := range [][]int{{0, 1, 2, 3, 4, 5, 6}, {6, 2, 0, 4, 5, 1, 3}} {
		r := &Result{Labels: make([]int32, 7), Core: slices.Repeat([]bool{true}, 7), Sizes: []int64{7}}
		if _, err := Summarize(context.Background(), columns(t, permuted(x, order)), neighbors.Periodic(10), r, Join{}); !errors.Is(err, neighbors.ErrRequest) {
			t.Fatalf("neither a radius nor links: %v", err)
		}
		at := make([]uint32, 7) // the row of each place
		for row, place := range order {
			at[place] = uint32(row)
		}
		r.Links = &Links{Radius: []float64{3.99}}
		for i := range at[1:] {
			r.Links.Edges = append(r.Links.Edges, [2]uint32{at[i+1], at[i]})
		}
		c, err := Summarize(context.Background(), columns(t, permuted(x, order)), neighbors.Periodic(10), r, Join{})
		if err != nil || c[0].Wraps || !near(c[0].Centre, []float64{9}, 0) || c[0].Extent != 3 || !near(c[0].Deviation, []float64{2}, 1e-15) {
			t.Errorf("%+v (%v)", c, err)
		}
		r.Links.Radius[0] = 4 // 2 and 6 are linked, too
		if c, err = Summarize(context.Background(), columns(t, permuted(x, order)), neighbors.Periodic(10), r, Join{}); err != nil || !c[0].Wraps {
			t.Errorf("%+v (%v), it wraps", c, err)
		}
	}
}

// With scales the extent is in their unit.
func TestScaledFilament(t *testing.T) {
	var x []float64
	for i := range 17 {
		x = append(x, math.Mod(6+.4*float64(i), 10))
	}
	_, c := summary(t, columns(t, x), neighbors.Periodic(10).Scaled(2), .25, Options{MinPoints: 2})
	if len(c) != 1 || math.Abs(c[0].Extent-1.6) > 1e-12 || !near(c[0].Centre, []float64{9.2}, 1e-13) {
		t.Errorf("%+v", c)
	}
}

package hybrid

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"skyjoin/internal/column"
	"skyjoin/neighbors"
)

// latticePoints are points with many ties, some of them far outside.
func latticePoints(t *testing.T, g *rand.Rand, n, dim, steps int) *neighbors.Points {
	t.Helper()
	cols := make([]neighbors.Column, dim)
	for j := range cols {
		v := make([]float64, n)
		for i := range v {
			if v[i] = float64(g.IntN(steps)) / 8; g.IntN(50) == 0 {
				v[i] += float64(steps)
			}
		}
		cols[j] = neighbors.Float64s(v)
	}
	p, err := neighbors.NewPoints(cols...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Whatever the room, the nearest are those of the CPU, and it is the device that
// finds them.
func TestNearestInAnyRoom(t *testing.T) {
	g := rand.New(rand.NewPCG(7, 7))
	for round := range 400 {
		dim, steps := 1+g.IntN(3), 1+g.IntN(20)
		in := neighbors.Input{Query: latticePoints(t, g, 1+g.IntN(60), dim, steps)}
		if g.IntN(2) == 0 {
			in.Data = latticePoints(t, g, 1+g.IntN(60), dim, steps)
		}
		name := "open"
		if g.IntN(2) == 0 {
			side := make([]float64, dim)
			for j := range side {
				if g.IntN(3) > 0 {
					side[j] = float64(steps)/8 + float64(g.IntN(3))/8
				}
			}
			in.Metric = neighbors.Periodic(side...)
			name = fmt.Sprint("box ", side)
		}
		k := 1 + g.IntN(12)
		p, err := neighbors.Prepare(context.Background(), in, neighbors.Nearest{K: k, Pad: true})
		if err != nil {
			t.Fatal(err)
		}
		room := 2 + g.IntN(30)
		name = fmt.Sprintf("round %d: %d and %d points of %d steps, K = %d, %s, room for %d", round, p.Len(), p.DataLen(), steps, k, name, room)
		want, err := neighbors.Collect(context.Background(), neighbors.CPU{Threads: 1}, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		j := joiner(Adaptive, 1, false, func(_ int, s *standIn) { s.near = room })
		got, err := neighbors.Collect(context.Background(), j, p, 0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) || !slices.Equal(got.Offset, want.Offset) {
			t.Fatalf("%s: neighbours %v at %v, want %v at %v", name, got.Index, got.Dist, want.Index, want.Dist)
		}
		if rows := j.Report().Sides[0].Rows; rows != int64(p.Len()) {
			t.Fatalf("%s: the device has delivered %d rows", name, rows)
		}
	}
}

// No part is larger than the room, and together they are all rows.
func TestNearSlabsFit(t *testing.T) {
	g := rand.New(rand.NewPCG(8, 8))
	for range 100 {
		in := neighbors.Input{Query: latticePoints(t, g, 1+g.IntN(200), 2, 9)}
		if g.IntN(2) == 0 {
			in.Data = latticePoints(t, g, 1+g.IntN(200), 2, 9)
		}
		p, err := neighbors.Prepare(context.Background(), in, neighbors.Nearest{K: 3, Pad: true})
		if err != nil {
			t.Fatal(err)
		}
		room := 2 + g.IntN(100)
		s, err := newNearSlabs(p, room)
		if err != nil {
			t.Fatal(err)
		}
		column := dataSpace(p).Columns[s.axis]
		var all []uint32
		for _, slab := range s.slabs {
			if len(slab.rows)+s.queries > room || s.queries < 1 {
				t.Fatalf("a slab of %d rows and %d queries, room for %d", len(slab.rows), s.queries, room)
			}
			for _, r := range slab.rows {
				if x := column.At(int(r)); x < slab.low || x > slab.high {
					t.Fatalf("row %d at %v is in a slab from %v to %v", r, x, slab.low, slab.high)
				}
			}
			all = append(all, slab.rows...)
		}
		slices.Sort(all)
		if !slices.Equal(all, places(p.DataLen())) {
			t.Fatalf("the slabs have the rows %v of %d", all, p.DataLen())
		}
	}
}

// The least room is enough for all rows in few slabs and parts, and with less a
// device is not used: slabs of a few rows would take forever.
func TestLeastRoom(t *testing.T) {
	g := rand.New(rand.NewPCG(9, 9))
	for _, c := range []struct{ query, data, least int }{ // data 0: a self-join
		{5, 0, 2}, {1, 1, 2}, {256, 0, 2}, {257, 0, 4}, {20_000, 0, 158},
		{300, 20_000, 158}, {79, 20_000, 158}, {78, 20_000, 157}, {3, 20_000, 82}, {20_000, 3, 158},
	} {
		in := neighbors.Input{Query: latticePoints(t, g, c.query, 2, 1000)}
		if c.data > 0 {
			in.Data = latticePoints(t, g, c.data, 2, 1000)
		}
		p, err := neighbors.Prepare(context.Background(), in, neighbors.Nearest{K: 3, Pad: true})
		if err != nil {
			t.Fatal(err)
		}
		s, err := newNearSlabs(p, c.least)
		switch {
		case err != nil:
			t.Errorf("%d among %d, room for %d: %v", c.query, p.DataLen(), c.least, err)
		case len(s.slabs) > mostNearSlabs || ceilDiv(c.query, s.queries) > mostNearSlabs:
			t.Errorf("%d among %d, room for %d: %d slabs, %d queries at a time", c.query, p.DataLen(), c.least, len(s.slabs), s.queries)
		}
		_, err = newNearSlabs(p, c.least-1)
		if want := fmt.Sprintf("holds %d points, and must hold %d to find the nearest of %d among %d in slabs", c.least-1, c.least, c.query, p.DataLen()); !errors.Is(err, neighbors.ErrMemory) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d among %d, room for %d: error %v, want one that wraps %v and says %q", c.query, p.DataLen(), c.least-1, err, neighbors.ErrMemory, want)
		}
	}
}

// A device that is too small leaves the work to the CPU, and without one the
// error says what is missing.
func TestTooLittleRoom(t *testing.T) {
	p := plan(t, cloud(t, 2000), neighbors.Nearest{K: 3})
	tiny := func(_ int, s *standIn) { s.near = 3 }
	for _, cpu := range []bool{true, false} {
		j := joiner(Adaptive, 1, cpu, tiny)
		table, err := neighbors.Collect(context.Background(), j, p, 0)
		if cpu {
			if err != nil || len(table.Index) != 3*2000 || j.Report().Sides[1].Rows != 2000 || !strings.Contains(j.Report().Sides[0].Lost, "must hold 16") {
				t.Errorf("with a CPU: %v, %+v", err, j.Report())
			}
		} else if !errors.Is(err, neighbors.ErrMemory) || !strings.Contains(err.Error(), "must hold 16") {
			t.Errorf("without a CPU: error %v, want %v", err, neighbors.ErrMemory)
		}
	}
}

func TestAlong(t *testing.T) {
	zero := math.Copysign(0, -1)
	x := []float64{3, 0, zero, -1, math.Inf(1), 0, zero, -2, 5e-324, -5e-324, 3}
	if got, want := along(column.Column{Float64: x}), []uint32{7, 3, 9, 1, 2, 5, 6, 8, 0, 10, 4}; !slices.Equal(got, want) {
		t.Errorf("%v in the order %v, want %v", x, got, want)
	}
	if got := along(column.Column{}); len(got) != 0 {
		t.Errorf("nothing in the order %v", got)
	}
}

// A slab that begins just where the K-th neighbour is must be searched: one at
// the same distance can be of a lower row.
func TestTiesAtTheBorderOfASlab(t *testing.T) {
	s := &nearSlabs{slabs: []nearSlab{{low: 0, high: 1}, {low: 2, high: 4}, {low: 5, high: 6}}}
	for _, c := range []struct {
		x, d2 float64
		reach reach
		side  float64
		slab  int // -1: none
	}{
		{3, 4, reach{1, 2}, 0, 0},                     // from 1 it is 2
		{3, math.Nextafter(4, 0), reach{1, 2}, 0, -1}, // and to 5 as well
		{3.5, 4, reach{1, 2}, 0, 2},
		{3.5, math.Inf(1), reach{1, 3}, 0, 0}, // fewer than K
		{3.5, math.Inf(1), reach{0, 3}, 0, -1},
		{0.5, 2.25, reach{0, 1}, 7, 2}, // 1.5 around the box, to 2 as far
		{0.5, math.Nextafter(2.25, 0), reach{0, 1}, 7, -1},
		{0.25, 2, reach{0, 1}, 7, 2},
		{0.25, 4, reach{-1, 1}, 7, 1},
	} {
		s.side = c.side
		slab, _, ok := s.next(c.x, c.d2, c.reach)
		if !ok {
			slab = -1
		}
		if slab != c.slab {
			t.Errorf("at %v, K-th neighbour at %v, searched %v: next is slab %d, want %d", c.x, math.Sqrt(c.d2), c.reach, slab, c.slab)
		}
	}
}

package neighbors_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"skyjoin/neighbors"
)

// drawColumns draws points of one of several kinds: on a lattice, so that ties
// and duplicates abound, or anywhere, at any scale and offset.
func drawColumns(t *rapid.T, label string, dim, most int, side []float64) []neighbors.Column {
	n := rapid.IntRange(0, most).Draw(t, label)
	lattice := rapid.Bool().Draw(t, "lattice")
	scale := rapid.SampledFrom([]float64{1, 1, 1, .1, 1e-3, 1e9, 1e-160, 1e150}).Draw(t, "scale")
	offset := rapid.SampledFrom([]float64{0, 0, 1, 1e9, -1e300}).Draw(t, "offset")
	cols := make([]neighbors.Column, dim)
	for j := range cols {
		v := make([]float64, n)
		for i := range v {
			if lattice {
				v[i] = float64(rapid.IntRange(0, 6).Draw(t, "x"))*scale + offset
			} else {
				v[i] = rapid.Float64Range(-4, 4).Draw(t, "x")*scale + offset
			}
			if side != nil && math.Abs(v[i]) > 1e18 {
				v[i] = 0
			}
		}
		cols[j] = neighbors.Float64s(v)
	}
	return cols
}

func drawInput(t *rapid.T) neighbors.Input {
	dim := rapid.IntRange(1, 6).Draw(t, "dim")
	var side []float64
	in := neighbors.Input{Threads: rapid.IntRange(1, 3).Draw(t, "threads")}
	if rapid.IntRange(0, 2).Draw(t, "periodic") == 0 {
		side = make([]float64, dim)
		for j := range side {
			side[j] = rapid.SampledFrom([]float64{0, 2, 3, 7, 10}).Draw(t, "side")
		}
		in.Metric = neighbors.Periodic(side...)
	}
	in.Query, _ = neighbors.NewPoints(drawColumns(t, "queries", dim, 60, side)...)
	if rapid.IntRange(0, 2).Draw(t, "cross") == 0 {
		in.Data, _ = neighbors.NewPoints(drawColumns(t, "data", dim, 60, side)...)
	}
	return in
}

// Every algorithm gives what Brute gives, on whatever comes.
func TestRandomJoins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		radius := rapid.SampledFrom([]float64{.5, 1, math.Sqrt2, 1e-3, 3, .1, 1e9, 1e-160, 2e150}).Draw(t, "radius")
		p, err := neighbors.Prepare(context.Background(), in, neighbors.Within{Radius: radius, Distance: true})
		if err != nil {
			t.Skip(err) // over half the box
		}
		want, err := neighbors.Collect(context.Background(), neighbors.Brute{}, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []neighbors.Algorithm{neighbors.Auto, neighbors.KDTree} {
			got, err := neighbors.Collect(context.Background(), neighbors.CPU{Threads: in.Threads, Algorithm: a}, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, want)
		}
	})
}

func TestRandomNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		k := rapid.SampledFrom([]int{1, 2, 5, 31, 64, 65}).Draw(t, "k")
		p, err := neighbors.Prepare(context.Background(), in, neighbors.Nearest{K: k, Pad: true})
		if err != nil {
			t.Fatal(err)
		}
		want, err := neighbors.Collect(context.Background(), neighbors.Brute{}, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range []neighbors.Joiner{neighbors.CPU{Threads: in.Threads}, neighbors.CPU{Algorithm: neighbors.KDTree}, gridIfPossible{}} {
			got, err := neighbors.Collect(context.Background(), j, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, want)
		}
	})
}

func same(t *rapid.T, got, want *neighbors.Table) {
	if !slices.Equal(got.Offset, want.Offset) || !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
		t.Fatalf("got %+v\nwant %+v", got, want)
	}
}

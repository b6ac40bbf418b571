package neighbors_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// boxes are ways to place points in a periodic box of side 1: evenly, in clumps
// of which one lies around a corner, on a lattice with its edges, many at the
// same places, in a thin layer at an edge, and outside of it.
var boxes = map[string]func(r *rand.Rand, x []float64){
	"even": func(r *rand.Rand, x []float64) {
		for c := range x {
			x[c] = r.Float64()
		}
	},
	"clumps": func(r *rand.Rand, x []float64) {
		at, width := float64(r.IntN(3))/3, math.Exp2(-float64(r.IntN(12)))
		for c := range x {
			x[c] = at + width*.2*r.NormFloat64()
		}
	},
	"lattice": func(r *rand.Rand, x []float64) {
		for c := range x {
			x[c] = float64(r.IntN(9)) / 8
		}
	},
	"same": func(r *rand.Rand, x []float64) {
		for c := range x {
			x[c] = float64(r.IntN(3)) / 3
		}
	},
	"layer": func(r *rand.Rand, x []float64) {
		for c := range x {
			x[c] = r.Float64()
		}
		x[0] *= 1e-6 * r.Float64()
	},
	"outside": func(r *rand.Rand, x []float64) {
		for c := range x {
			x[c] = 20*r.Float64() - 10
		}
	},
}

func placed(t *testing.T, r *rand.Rand, n, dim int, scale float64, place func(*rand.Rand, []float64)) *neighbors.Points {
	t.Helper()
	cols, x := make([][]float64, dim), make([]float64, dim)
	for range n {
		place(r, x)
		for c := range cols {
			cols[c] = append(cols[c], x[c]*scale)
		}
	}
	columns := make([]neighbors.Column, dim)
	for c := range cols {
		columns[c] = neighbors.Float64s(cols[c])
	}
	p, err := neighbors.NewPoints(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestNearestWraps compares the nearest in boxes with open and periodic axes, of
// a side that holds a neighbourhood many times or less than once, with what
// Brute finds: the same rows and the same bits.
func TestNearestWraps(t *testing.T) {
	for name, place := range boxes {
		for dim := 1; dim <= 5; dim++ {
			t.Run(fmt.Sprint(name, "/", dim), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(dim), 77))
				for range 3 {
					scale := []float64{1, 1, 250, 1e-3, 1e-170}[r.IntN(5)]
					n := []int{40, 150, 500}[r.IntN(3)]
					side := make([]float64, dim)
					for c := range side {
						side[c] = scale * []float64{1, 1, 1, 0, .37, 3}[r.IntN(6)]
					}
					in := neighbors.Input{Query: placed(t, r, n, dim, scale, place), Metric: neighbors.Periodic(side...), Threads: 1}
					if r.IntN(3) == 0 {
						in.Data = placed(t, r, n+30, dim, scale, boxes["even"])
					}
					if r.IntN(4) == 0 {
						scales := make([]float64, dim)
						for c := range scales {
							scales[c] = .3 + r.Float64()
						}
						in.Metric = in.Metric.Scaled(scales...)
					}
					for _, k := range []int{1, 8, 33, n - 1} {
						compareNearest(t, in, k, fmt.Sprintf("%d points, sides %g", n, side))
					}
				}
			})
		}
	}
}

// compareNearest compares every algorithm that can with Brute.
func compareNearest(t *testing.T, in neighbors.Input, k int, what string) {
	t.Helper()
	ctx := context.Background()
	p, err := neighbors.Prepare(ctx, in, neighbors.Nearest{K: k, Pad: true})
	if err != nil {
		t.Fatal(err)
	}
	want, err := neighbors.Collect(ctx, neighbors.CPU{Threads: 1, Algorithm: neighbors.Scan}, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []neighbors.Algorithm{neighbors.Auto, neighbors.Grid, neighbors.KDTree} {
		got, err := neighbors.Collect(ctx, neighbors.CPU{Threads: 1, Algorithm: a}, p, 0)
		if a == neighbors.Grid && errors.Is(err, neighbors.ErrRequest) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(got.Index, want.Index) && slices.Equal(got.Dist, want.Dist) {
			continue
		}
		for m := range want.Index {
			if got.Index[m] != want.Index[m] || got.Dist[m] != want.Dist[m] {
				t.Fatalf("%s, %s, k=%d: neighbour %d of row %d is %d at %v, want %d at %v", a, what, k, m%k, m/k, got.Index[m], got.Dist[m], want.Index[m], want.Dist[m])
			}
		}
	}
}

package neighbors_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// Points at both ends of all numbers have an extent that no number tells.
func TestNearestAcrossAllNumbers(t *testing.T) {
	const n = 300
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = math.MaxFloat64*(1-float64(i)*0x1p-30), float64(i*i%97)
		if i%2 == 0 {
			x[i] = -x[i]
		}
	}
	points, err := neighbors.NewPoints(neighbors.Float64s(y), neighbors.Float64s(x))
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 2} {
		p, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: points, Threads: threads}, neighbors.Nearest{K: 3})
		if err != nil {
			t.Fatal(err)
		}
		got, err := neighbors.Collect(context.Background(), neighbors.CPU{Threads: threads}, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		want, err := neighbors.Collect(context.Background(), neighbors.CPU{Threads: 1, Algorithm: neighbors.Scan}, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
			t.Errorf("%d threads: another table than that of all pairs", threads)
		}
	}
}

// Points so far apart that all squares overflow are equally near: the lowest rows
// are the nearest, wherever they are.
func TestNearestWhoseSquaresOverflow(t *testing.T) {
	const n, k = 700, 100
	g := rand.New(rand.NewPCG(2, 3))
	x := make([]float64, n)
	for i := range x {
		x[i] = -math.MaxFloat64 * g.Float64()
	}
	points, err := neighbors.NewPoints(neighbors.Float64s(x))
	if err != nil {
		t.Fatal(err)
	}
	p, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: points}, neighbors.Nearest{K: k})
	if err != nil {
		t.Fatal(err)
	}
	want, err := neighbors.Collect(context.Background(), neighbors.CPU{Threads: 1, Algorithm: neighbors.Scan}, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []neighbors.Algorithm{neighbors.Auto, neighbors.Grid, neighbors.KDTree} {
		got, err := neighbors.Collect(context.Background(), neighbors.CPU{Algorithm: a}, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
			t.Errorf("%s: another table than that of all pairs", a)
		}
	}
}

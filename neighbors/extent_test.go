package neighbors_test

import (
	"context"
	"math"
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
		want, err := neighbors.Collect(context.Background(), neighbors.Brute{}, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
			t.Errorf("%d threads: another table than that of all pairs", threads)
		}
	}
}

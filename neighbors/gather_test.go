package neighbors_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

func TestGatherIsCollect(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, 3000), make([]float64, 3000)
	for i := range x {
		x[i], y[i] = rng.Float64(), rng.Float64()
	}
	points, err := neighbors.NewPoints(neighbors.Float64s(x), neighbors.Float64s(y))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, q := range []neighbors.Query{neighbors.Within{Radius: 0.05, Distance: true}, neighbors.Nearest{K: 5}} {
		p, err := neighbors.Prepare(ctx, neighbors.Input{Query: points}, q)
		if err != nil {
			t.Fatal(err)
		}
		want, err := neighbors.Collect(ctx, neighbors.CPU{}, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		batches, err := neighbors.Gather(ctx, neighbors.CPU{}, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for _, b := range batches {
			for i, r := range b.Rows {
				seen++
				got := slices.Clone(b.List(i))
				list := slices.Clone(want.List(int(r)))
				slices.Sort(got)
				slices.Sort(list)
				if !slices.Equal(got, list) {
					t.Fatalf("row %d: %v, want %v", r, got, list)
				}
			}
		}
		if seen != points.Len() {
			t.Errorf("%d rows, want %d", seen, points.Len())
		}
		if _, err := neighbors.Gather(ctx, neighbors.CPU{}, p, 10); !errors.Is(err, neighbors.ErrMemory) {
			t.Errorf("limit 10: %v, want ErrMemory", err)
		}
	}
}

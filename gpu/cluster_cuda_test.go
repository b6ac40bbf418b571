//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/dbscan"
	"skyjoin/neighbors"
)

func TestClusterEqualsCPU(t *testing.T) {
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	g := rand.New(rand.NewPCG(7, 7))
	clumps := func(n, dim int, far float64) *neighbors.Points {
		cols := make([]neighbors.Column, dim)
		for c := range cols {
			v := make([]float64, n)
			for i := range v {
				v[i] = 10 * g.Float64()
				if i%2 == 0 {
					v[i] = float64(i%10) + .1*g.NormFloat64()
				}
				if i%3 == 0 {
					v[i] += far
				}
			}
			cols[c] = neighbors.Float64s(v)
		}
		p, err := neighbors.NewPoints(cols...)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	same := make([]float64, 300)
	identical, _ := neighbors.NewPoints(neighbors.Float64s(same), neighbors.Float64s(same))
	none, _ := neighbors.NewPoints(neighbors.Float64s(nil))
	one, _ := neighbors.NewPoints(neighbors.Float64s([]float64{3}))
	lattice := make([]float64, 100)
	for i := range lattice {
		lattice[i] = float64(i)
	}
	line, _ := neighbors.NewPoints(neighbors.Float64s(lattice))
	for _, c := range []struct {
		name   string
		points *neighbors.Points
		metric neighbors.Metric
		eps    []float64
	}{
		{"1d", clumps(400, 1, 0), neighbors.Euclidean(), []float64{1e-3, .02, 20}},
		{"2d", clumps(700, 2, 0), neighbors.Euclidean(), []float64{.05, .2, .5}},
		{"3d", clumps(700, 3, 0), neighbors.Euclidean(), []float64{.2, .5, 1}},
		{"4d", clumps(300, 4, 0), neighbors.Euclidean(), []float64{.5, 2}},
		{"far apart", clumps(300, 2, 1e15), neighbors.Euclidean(), []float64{.5}},
		{"tiny radius, 1d", clumps(100, 1, 0), neighbors.Euclidean(), []float64{1e-300}},
		{"tiny radius", clumps(100, 2, 0), neighbors.Euclidean(), []float64{1e-300}},
		{"tiny radius, 3d", clumps(100, 3, 0), neighbors.Euclidean(), []float64{1e-300}},
		{"identical", identical, neighbors.Euclidean(), []float64{.1}},
		{"line", line, neighbors.Euclidean(), []float64{1, .5, 2}},
		{"none", none, neighbors.Euclidean(), []float64{1}},
		{"one", one, neighbors.Euclidean(), []float64{1}},
		{"sky", clumps(400, 2, 0), neighbors.Sky(), []float64{.005, .02}},
		{"box", clumps(400, 2, 0), neighbors.Periodic(10, 10), []float64{.1, .4, 4}},
		{"half open box", clumps(400, 3, 0), neighbors.Periodic(10, 0, 9), []float64{.6}},
	} {
		for _, eps := range c.eps {
			for _, opt := range []dbscan.Options{{MinPoints: 4, Counts: true}, {MinPoints: 4, SkipPairs: true}, {MinPoints: 7.5, Star: true}, {MinPoints: 1}, {MinPoints: 1e300}} {
				name := fmt.Sprintf("%s, eps %v, min %v, star %v, counts %v", c.name, eps, opt.MinPoints, opt.Star, opt.Counts)
				want, err := dbscan.Run(context.Background(), c.points, c.metric, eps, opt)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if opt.SkipPairs {
					want.Pairs = -1
				}
				opt.Joiner = j
				got, err := dbscan.Run(context.Background(), c.points, c.metric, eps, opt)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if !slices.Equal(got.Labels, want.Labels) || !slices.Equal(got.Core, want.Core) || !slices.Equal(got.Counts, want.Counts) || !slices.Equal(got.Sizes, want.Sizes) {
					t.Errorf("%s: labels, core rows or counts differ", name)
				}
				if got.Pairs != want.Pairs || got.CoreCount != want.CoreCount || got.BorderCount != want.BorderCount || got.NoiseCount != want.NoiseCount {
					t.Errorf("%s: pairs %d, core %d, border %d, noise %d; want %d, %d, %d, %d", name, got.Pairs, got.CoreCount, got.BorderCount, got.NoiseCount,
						want.Pairs, want.CoreCount, want.BorderCount, want.NoiseCount)
				}
			}
		}
	}
}

func TestClusterCancelled(t *testing.T) {
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	p, _ := neighbors.NewPoints(neighbors.Float64s([]float64{0, 1, math.Pi}))
	plan, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: p}, neighbors.Within{Radius: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := j.Cluster(ctx, plan, 2, false, make([]int32, 3), make([]bool, 3), nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

package neighbors_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

func TestRivalsConform(t *testing.T) {
	for _, a := range []neighbors.Algorithm{neighbors.SuperEGO, neighbors.NewSuperEGO, neighbors.RTree} {
		for _, threads := range []int{1, 2, 7} {
			t.Run(fmt.Sprintf("%s/%d", a, threads), func(t *testing.T) {
				jointest.RunWithin(t, func() neighbors.Joiner { return neighbors.CPU{Threads: threads, Algorithm: a} })
			})
		}
	}
}

func TestParseAlgorithm(t *testing.T) {
	for name, want := range map[string]neighbors.Algorithm{
		"": neighbors.Auto, "auto": neighbors.Auto, "grid": neighbors.Grid, "superego": neighbors.SuperEGO,
		"newsuperego": neighbors.NewSuperEGO, "rtree": neighbors.RTree, "kdtree": neighbors.KDTree, "brute": neighbors.Scan,
	} {
		if got, err := neighbors.ParseAlgorithm(name); got != want || err != nil {
			t.Errorf("%q is %q, %v", name, got, err)
		}
	}
	_, err := neighbors.ParseAlgorithm("quadtree")
	if !errors.Is(err, neighbors.ErrRequest) || !strings.Contains(err.Error(), `"quadtree", it must be grid, superego, newsuperego, rtree, kdtree or brute`) {
		t.Errorf("error %v", err)
	}
}

// What an algorithm cannot do is refused with the names of those that can.
func TestRefusals(t *testing.T) {
	points, err := neighbors.NewPoints(neighbors.Float64s([]float64{1, 2, 3}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		algorithm neighbors.Algorithm
		metric    neighbors.Metric
		query     neighbors.Query
		use       string
	}{
		{neighbors.SuperEGO, neighbors.Periodic(10), neighbors.Within{Radius: 1}, "use grid, kdtree or brute"},
		{neighbors.NewSuperEGO, neighbors.Periodic(10), neighbors.Within{Radius: 1}, "use grid, kdtree or brute"},
		{neighbors.RTree, neighbors.Periodic(10), neighbors.Within{Radius: 1}, "use grid, kdtree or brute"},
		{neighbors.Grid, neighbors.Periodic(10), neighbors.Nearest{K: 4, Pad: true}, "use kdtree or brute"},
		{neighbors.SuperEGO, neighbors.Euclidean(), neighbors.Nearest{K: 1}, "use grid, kdtree or brute"},
		{"quadtree", neighbors.Euclidean(), neighbors.Within{Radius: 1}, "must be grid"},
	} {
		p, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: points, Metric: c.metric}, c.query)
		if err != nil {
			t.Fatal(err)
		}
		j := neighbors.CPU{Algorithm: c.algorithm}
		for _, err := range j.Join(context.Background(), p, p.Work()) {
			if !errors.Is(err, neighbors.ErrRequest) || !strings.Contains(err.Error(), c.use) {
				t.Errorf("%s, %T: error %v, want one that says %q", c.algorithm, c.query, err, c.use)
			}
		}
		if err := j.Visit(context.Background(), p, p.Work(), func(int, *neighbors.Batch) error { return nil }); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("%s, %T: Visit returned %v", c.algorithm, c.query, err)
		}
	}
}

// A plan tells which algorithm it chooses.
func TestPlanAlgorithm(t *testing.T) {
	ctx := context.Background()
	even, uneven := make([]float64, 4096), make([]float64, 4096)
	for i := range even {
		even[i], uneven[i] = float64(i), math.Exp(float64(i)/64)
	}
	for _, c := range []struct {
		x    []float64
		q    neighbors.Query
		want neighbors.Algorithm
	}{
		{even, neighbors.Within{Radius: 1}, neighbors.Grid},
		{even, neighbors.Nearest{K: 4}, neighbors.Grid},
		{uneven, neighbors.Nearest{K: 4}, neighbors.KDTree},
	} {
		points, err := neighbors.NewPoints(neighbors.Float64s(c.x))
		if err != nil {
			t.Fatal(err)
		}
		p, err := neighbors.Prepare(ctx, neighbors.Input{Query: points}, c.q)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Algorithm(); p.Nearest() != nil && got != neighbors.Auto {
			t.Errorf("%+v: %q before the index is built", c.q, got)
		}
		if err := neighbors.Index(ctx, neighbors.CPU{}, p); err != nil {
			t.Fatal(err)
		}
		if got := p.Algorithm(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.q, got, c.want)
		}
	}
}

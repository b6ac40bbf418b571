package neighbors_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"skyjoin/neighbors"
)

// More cells than 16 bits number, one point in each: on a lattice, of which the
// number of neighbours of every point is known, open or periodic.
func TestManyCells(t *testing.T) {
	const side = 380
	order := rand.New(rand.NewPCG(1, 3)).Perm(side * side)
	x, y := make([]float64, len(order)), make([]float64, len(order))
	for i, at := range order {
		x[i], y[i] = float64(at%side), float64(at/side)
	}
	in := neighbors.Input{Query: points(t, x, y)}
	for name, metric := range map[string]neighbors.Metric{
		"open":     neighbors.Euclidean(),
		"one axis": neighbors.Periodic(side, 0),
		"periodic": neighbors.Periodic(side, side),
	} {
		if testing.Short() && name != "one axis" {
			continue
		}
		in.Metric = metric
		want := func(i int) (near, all int) { // at distance 1, and up to √2
			width, height := 3, 3
			if name == "open" && (x[i] == 0 || x[i] == side-1) {
				width--
			}
			if name != "periodic" && (y[i] == 0 || y[i] == side-1) {
				height--
			}
			return width + height - 2, width*height - 1
		}
		for _, radius := range []float64{1, math.Sqrt2} {
			p, err := neighbors.Prepare(context.Background(), in, neighbors.Within{Radius: radius, Distance: true})
			if err != nil {
				t.Fatal(err)
			}
			if g, _ := grids(p); g.Cells() <= 1<<16 {
				t.Errorf("%s: %d cells: tests little", name, g.Cells())
			}
			cpu := neighbors.CPU{Threads: 3}
			count := make([]int64, p.Len())
			if err := neighbors.Count(context.Background(), cpu, p, p.Work(), count); err != nil {
				t.Fatal(err)
			}
			table, err := neighbors.Collect(context.Background(), cpu, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			pairs, err := neighbors.GatherPairs(context.Background(), cpu, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			total := 0
			for i := range count {
				near, all := want(i)
				if radius == 1 {
					all = near
				}
				total += all
				sum := 0.0
				for _, d := range table.Dists(i) {
					sum += d
				}
				if count[i] != int64(all) || len(table.List(i)) != all || math.Abs(sum-float64(near)-float64(all-near)*math.Sqrt2) > 1e-12 {
					t.Fatalf("%s, radius %v: row %d at (%v, %v) has %d neighbours, listed %v at %v, want %d", name, radius, i, x[i], y[i], count[i], table.List(i), table.Dists(i), all)
				}
			}
			for _, b := range pairs {
				total -= 2 * len(b.Index)
			}
			if total != 0 {
				t.Errorf("%s, radius %v: half of the neighbours are %d more or less than the pairs", name, radius, total)
			}
		}
		p, err := neighbors.Prepare(context.Background(), in, neighbors.Nearest{K: 4})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []neighbors.Algorithm{neighbors.Grid, neighbors.KDTree} {
			table, err := neighbors.Collect(context.Background(), neighbors.CPU{Threads: 3, Algorithm: a}, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			for i := range p.Len() {
				near, _ := want(i)
				for k, d := range table.Dists(i) {
					if k < near && d != 1 || k >= near && d <= 1 {
						t.Fatalf("%s, %s: the nearest of row %d at (%v, %v) are at %v", name, a, i, x[i], y[i], table.Dists(i))
					}
				}
			}
		}
	}
}

package neighbors_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// Tables gathered one after the other in the same memory, larger and smaller
// ones, with distances and without, are those gathered in new memory.
func TestGathererIsGather(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	cols := make([]neighbors.Column, 2)
	for j := range cols {
		x := make([]float64, 20000)
		for i := range x {
			x[i] = rng.ExpFloat64()
		}
		cols[j] = neighbors.Float64s(x)
	}
	points, err := neighbors.NewPoints(cols...)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, threads := range []int{1, 2, 7} {
		j := neighbors.CPU{Threads: threads}
		var g neighbors.Gatherer
		for _, q := range []struct {
			radius   float64
			distance bool
			rows     int
		}{{.03, false, 20000}, {.01, true, 20000}, {.05, true, 20000}, {.05, false, 300}, {.04, true, 20000}, {1e-9, false, 20000}, {.03, false, 20000}} {
			p, err := neighbors.Prepare(ctx, neighbors.Input{Query: points.Slice(0, q.rows)}, neighbors.Within{Radius: q.radius, Distance: q.distance})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := g.Gather(ctx, j, p, 1); q.radius > 1e-9 && !errors.Is(err, neighbors.ErrMemory) {
				t.Fatalf("limit 1: %v, want ErrMemory", err)
			}
			want, err := neighbors.Gather(ctx, j, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			got, err := g.Gather(ctx, j, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			sameTables(t, p.Len(), got, want)
			if want, err = neighbors.GatherPairs(ctx, j, p, 0); err != nil {
				t.Fatal(err)
			}
			if got, err = g.GatherPairs(ctx, j, p, 0); err != nil {
				t.Fatal(err)
			}
			sameTables(t, p.Len(), got, want)
		}
	}
}

// sameTables fails unless both tables have the same neighbours of every row.
func sameTables(t *testing.T, rows int, got, want []neighbors.Batch) {
	t.Helper()
	a, b := byRow(rows, got), byRow(rows, want)
	for r := range a {
		if !slices.Equal(a[r], b[r]) {
			t.Fatalf("row %d: %v, want %v", r, a[r], b[r])
		}
	}
}

type neighbor struct {
	row  uint32
	dist float64
}

func byRow(rows int, batches []neighbors.Batch) [][]neighbor {
	lists := make([][]neighbor, rows)
	for _, b := range batches {
		for i, r := range b.Rows {
			dist := b.Dists(i)
			for k, n := range b.List(i) {
				e := neighbor{row: n}
				if dist != nil {
					e.dist = dist[k]
				}
				lists[r] = append(lists[r], e)
			}
			slices.SortFunc(lists[r], func(a, b neighbor) int { return int(a.row) - int(b.row) })
		}
	}
	return lists
}

package hybrid

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"skyjoin/internal/epsilon"
	"skyjoin/neighbors"
)

// A firstTaker is a GPU that keeps the rows that it took first.
type firstTaker struct {
	standIn
	mu    sync.Mutex
	first []uint32
}

func (r *firstTaker) Visit(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(int, *neighbors.Batch) error) error {
	rows := work.Take(math.MaxInt, 0)
	if rows == nil {
		return nil
	}
	r.mu.Lock()
	r.first = slices.Clone(rows)
	r.mu.Unlock()
	if err := r.standIn.Visit(ctx, p, neighbors.NewWork(rows, nil), visit); err != nil {
		return err
	}
	return r.standIn.Visit(ctx, p, work, visit)
}

// Rows of HYBRIDKNN-JOIN are ordered by the points of their own cell of side ε_min, and
// the GPU takes the most crowded first; the guess of density has another order.
func TestOwnCells(t *testing.T) {
	const n = 1500
	x, y := make([]float64, n), make([]float64, n)
	for i := range n { // ever denser towards the origin
		u := float64(mix(uint64(2*i))>>11) * 0x1p-53
		v := float64(mix(uint64(2*i+1))>>11) * 0x1p-53
		x[i], y[i] = u*u*u, v*v
	}
	points, err := neighbors.NewPoints(neighbors.Float64s(x), neighbors.Float64s(y))
	if err != nil {
		t.Fatal(err)
	}
	p := plan(t, points, neighbors.Nearest{K: 6})
	side, err := epsilon.Choose(p, 6, epsilon.CPU{Pairs: p, Threads: 1})
	if err != nil || side == 0 {
		t.Fatal(side, err)
	}
	cell := func(i uint32) [2]int {
		return [2]int{int((x[i] - slices.Min(x)) / side), int((y[i] - slices.Min(y)) / side)}
	}
	count := map[[2]int]int{}
	for i := range uint32(n) {
		count[cell(i)]++
	}
	gpu := &firstTaker{standIn: standIn{CPU: neighbors.CPU{Threads: 1}}}
	for _, own := range []bool{true, false} {
		j := &Joiner{CPU: neighbors.CPU{Threads: 1}, GPUs: []neighbors.Joiner{gpu}, Partition: Dynamic, Nearest: NearestOptions{Large: .4, OwnCells: own}, all: true}
		if err := j.Visit(context.Background(), p, p.Work(), func(int, *neighbors.Batch) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if len(gpu.first) != n*4/10 {
			t.Fatalf("the GPU took %d rows first", len(gpu.first))
		}
		if falling := slices.IsSortedFunc(gpu.first, func(a, b uint32) int { return count[cell(b)] - count[cell(a)] }); falling != own {
			t.Errorf("by own cells %v: rows fall with the points of their cells: %v", own, falling)
		}
	}
}

package hybrid

import (
	"slices"
	"testing"

	"skyjoin/internal/epsilon"
	"skyjoin/neighbors"
)

// Rows of HYBRIDKNN-JOIN are ordered by the points of their own cell of side ε_min, and
// the GPU takes them from the front; the guess of density has another order.
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
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i)
	}
	for _, own := range []bool{true, false} {
		j := &Joiner{Nearest: NearestOptions{OwnCells: own}}
		ordered := j.deque(p, rows).Rows()
		if len(ordered) != n {
			t.Fatalf("%d rows are ordered", len(ordered))
		}
		if falling := slices.IsSortedFunc(ordered, func(a, b uint32) int { return count[cell(b)] - count[cell(a)] }); falling != own {
			t.Errorf("by own cells %v: rows fall with the points of their cells: %v", own, falling)
		}
	}
}

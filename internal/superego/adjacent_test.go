package superego

import (
	"context"
	"math/rand/v2"
	"testing"

	"skyjoin/internal/grid"
)

// Every pair of points whose cells differ by at most one in every dimension is
// counted once from either side, and no other.
func TestAdjacentIsByDefinition(t *testing.T) {
	for dim := 1; dim <= 5; dim++ {
		r := rand.New(rand.NewPCG(3, uint64(dim)))
		columns := points(300, dim, func(_, _ int) float64 { return r.ExpFloat64() })
		o, err := NewOrder(grid.Reach(.25), columns, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := o.Sort(context.Background(), columns, 1)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(0)
		for a := range s.Cells() {
			for b := range s.Cells() {
				all := true
				for k, v := range s.at(a) {
					w := s.at(b)[k]
					all = all && max(v, w)-min(v, w) <= 1
				}
				if all {
					want += int64(s.Start[a+1]-s.Start[a]) * int64(s.Start[b+1]-s.Start[b])
				}
			}
		}
		for _, threads := range []int{1, 3} {
			if got := s.Adjacent(threads); got != want || got < 300 {
				t.Errorf("%d-D, %d threads: %d candidates, want %d", dim, threads, got, want)
			}
		}
	}
}

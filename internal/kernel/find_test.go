package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Find and Add agree with looking through the edges, at the edges and beside
// them too, with a table and without.
func TestFind(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 20, 300, maxBins + 5} {
		for _, first := range []float64{0, 0.25} {
			edges := []float64{first}
			for range n {
				edges = append(edges, edges[len(edges)-1]+r.Float64()*r.Float64())
			}
			b, err := NewBins(edges)
			if err != nil {
				t.Fatal(err)
			}
			var squared []float64
			for _, e := range edges {
				squared = append(squared, e, math.Nextafter(e, math.Inf(1)), math.Abs(math.Nextafter(e, 0)))
			}
			for range 1000 {
				squared = append(squared, r.Float64()*edges[n]*1.1)
			}
			want := make([]uint64, n+2)
			all := make([]int32, len(squared))
			b.FindAll(squared, all)
			for k, d2 := range squared {
				i, found := slices.BinarySearch(edges, d2)
				for ; found && i < len(edges) && edges[i] == d2; i++ {
				}
				want[i]++
				if got := b.Find(d2); got != i || int(all[k]) != i {
					t.Fatalf("%d bins from %g: Find(%g) = %d, FindAll %d, want %d", n, first, d2, got, all[k], i)
				}
			}
			h := NewHistogram(b)
			h.Add(squared)
			bins, under, over := h.Counts()
			if got := append(append([]uint64{under}, bins...), over); !slices.Equal(got, want) {
				t.Errorf("%d bins from %g: Add counts %v, want %v", n, first, got, want)
			}
		}
	}
}

package superego

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"skyjoin/internal/grid"
)

// BenchmarkSort is the parallel radix sort against the plain one, on the
// exponential data of the literature.
func BenchmarkSort(b *testing.B) {
	for _, set := range []struct {
		name   string
		n, d   int
		radius float64
	}{
		{"expo2d2m", 2_000_000, 2, .002},
		{"expo4d2m", 2_000_000, 4, .01},
		{"expo8d2m", 2_000_000, 8, .015},
	} {
		b.Run(set.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(240, 0))
			columns := points(set.n, set.d, func(_, _ int) float64 { return r.ExpFloat64() / 40 })
			o, err := NewOrder(grid.Reach(set.radius*set.radius), columns, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.Run("plain", func(b *testing.B) {
				for b.Loop() {
					if _, err := o.SortPlain(context.Background(), columns); err != nil {
						b.Fatal(err)
					}
				}
			})
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("radix/threads=%d", threads), func(b *testing.B) {
					for b.Loop() {
						if _, err := o.Sort(context.Background(), columns, threads); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBounds(t *testing.T) {
	everyTier(t, func(t *testing.T, k *Funcs, dim int) {
		r := rand.New(rand.NewPCG(13, uint64(dim)))
		for n := 1; n < 200; n++ {
			points := make([]float64, n*dim)
			for i := range points {
				points[i] = r.NormFloat64()
			}
			if n%3 == 0 {
				points[r.IntN(len(points))] = 1e308
				points[r.IntN(len(points))] = -1e308
			}
			least, most := make([]float64, dim), make([]float64, dim)
			k.Bounds(points, least, most)
			for c := range dim {
				var column []float64
				for i := c; i < len(points); i += dim {
					column = append(column, points[i])
				}
				if least[c] != slices.Min(column) || most[c] != slices.Max(column) {
					t.Fatalf("%d points, coordinate %d: [%g, %g], want [%g, %g]", n, c, least[c], most[c], slices.Min(column), slices.Max(column))
				}
			}
		}
	})
}

package kdtree

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBoxDistance compares the bound without branches with the plain one, bit for
// bit.
func TestBoxDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	coordinates := []float64{0, math.Copysign(0, -1), 1, -1, 5e-324, 1e308, -1e308, 0.1, -0.3}
	for dim := 1; dim <= 5; dim++ {
		s := &Nearest{x: make([]float64, dim)}
		box := make([]float64, 2*dim)
		for range 5000 {
			for c := range dim {
				a, b := coordinates[rng.IntN(len(coordinates))], coordinates[rng.IntN(len(coordinates))]
				s.x[c] = coordinates[rng.IntN(len(coordinates))] * rng.Float64()
				box[c], box[dim+c] = min(a, b), max(a, b)
			}
			want := s.boxBound(box)
			if point := append(append([]float64{}, s.x...), s.x...); boxDistance(point, box) != want {
				t.Fatalf("box %v, query %v as a box: %v, want %v", box, s.x, boxDistance(point, box), want)
			}
		}
	}
}

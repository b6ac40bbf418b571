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

// TestWrappedDistance compares the bound of two boxes with that of a point and a
// box, and of a point and a point, bit for bit.
func TestWrappedDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for dim := 1; dim <= 5; dim++ {
		s := &Nearest{x: make([]float64, dim), side: make([]float64, dim)}
		box, y := make([]float64, 2*dim), make([]float64, dim)
		for range 5000 {
			for c := range dim {
				s.side[c] = []float64{1, 1.5, math.Inf(1)}[rng.IntN(3)]
				place := func() float64 { return []float64{0, 1, rng.Float64(), rng.Float64() * 1e-9}[rng.IntN(4)] }
				a, b := place(), place()
				s.x[c], y[c] = place(), place()
				box[c], box[dim+c] = min(a, b), max(a, b)
			}
			point := append(append([]float64{}, s.x...), s.x...)
			if got, want := wrappedDistance(point, box, s.side), s.boxBound(box); got != want {
				t.Fatalf("box %v, sides %v, query %v as a box: %v, want %v", box, s.side, s.x, got, want)
			}
			periods := append([]float64{}, s.side...)
			for c := range periods {
				if math.IsInf(periods[c], 1) {
					periods[c] = 0
				}
			}
			other := append(append([]float64{}, y...), y...)
			if got, want := wrappedDistance(point, other, s.side), square(s.x, y, periods); got != want {
				t.Fatalf("points %v and %v as boxes, sides %v: %v, want %v", s.x, y, s.side, got, want)
			}
		}
	}
}

package kdtree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHalve compares the division of ranges with a sort, on patterns that are
// against samples and pivots.
func TestHalve(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	patterns := map[string]func(i, n int) float64{
		"random":     func(int, int) float64 { return rng.Float64() },
		"ascending":  func(i, _ int) float64 { return float64(i) },
		"descending": func(i, _ int) float64 { return float64(-i) },
		"equal":      func(int, int) float64 { return 1 },
		"few":        func(int, int) float64 { return float64(rng.IntN(3)) },
		"pipe":       func(i, n int) float64 { return float64(min(i, n-i)) },
		"skewed":     func(int, int) float64 { return math.Exp(40 * rng.Float64()) },
		"saw":        func(i, _ int) float64 { return float64(i % 17) },
		"zeros":      func(i, _ int) float64 { return math.Copysign(0, float64(i%2)-0.5) },
	}
	for name, pattern := range patterns {
		for dim := 1; dim <= 4; dim++ {
			for _, n := range []int{2, 3, 17, 255, 300, 5000, 20000} {
				t.Run(fmt.Sprint(name, dim, "/", n), func(t *testing.T) {
					testHalve(t, dim, n, func(i int) float64 { return pattern(i, n) })
				})
			}
		}
	}
}

func testHalve(t *testing.T, dim, n int, x func(i int) float64) {
	const before, after = 3, 2 // points that are none of the range's business
	c, total := dim-1, before+n+after
	b := &builder{
		dim: dim, points: make([]float64, total*dim), spare: make([]float64, total*dim),
		rows: make([]uint32, total), spareRows: make([]uint32, total),
	}
	for i := range total {
		b.rows[i] = uint32(i)
		for j := range dim {
			b.points[i*dim+j] = float64(10*i + j)
		}
		b.points[i*dim+c] = x(i)
	}
	points := slices.Clone(b.points)
	sorted := slices.Clone(b.rows[before : before+n])
	at := func(row uint32) entry { return entry{points[int(row)*dim+c], row} }
	slices.SortFunc(sorted, func(a, b uint32) int { return at(a).compare(at(b)) })
	for _, mid := range []int{1, n / 3, n / 2, n - 1} {
		if mid == 0 {
			continue
		}
		b.halve(new([]entry), c, before, before+n, before+mid)
		for i, r := range b.rows {
			if !slices.Equal(b.points[i*dim:(i+1)*dim], points[int(r)*dim:(int(r)+1)*dim]) {
				t.Fatalf("mid %d: place %d has row %d but not its point", mid, i, r)
			}
			if (i < before || i >= before+n) && r != uint32(i) {
				t.Fatalf("mid %d: place %d outside the range has row %d", mid, i, r)
			}
		}
		left := slices.Sorted(slices.Values(b.rows[before : before+mid]))
		want := slices.Sorted(slices.Values(sorted[:mid]))
		if !slices.Equal(left, want) {
			t.Fatalf("mid %d: not the %d least are before it", mid, mid)
		}
	}
}

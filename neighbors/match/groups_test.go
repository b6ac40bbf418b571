package match

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// TestWithinIsBruteForce compares groups with those of all pairs, for every
// kind of criterion.
func TestWithinIsBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 60 {
		n := 1 + r.IntN(60)
		x, y, e := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i], e[i] = float64(r.IntN(40))/4, float64(r.IntN(40))/4, float64(r.IntN(4))/4
		}
		points, err := neighbors.NewPoints(neighbors.Float64s(x), neighbors.Float64s(y))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{Radius: 0.8}, {Radius: 1, Min: 0.5}, {ErrorA: e}, {ErrorA: e, Radius: 0.75, Min: 0.1}} {
			got, err := Within(t.Context(), points, neighbors.Euclidean(), o)
			if err != nil {
				t.Fatal(err)
			}
			check := o
			check.ErrorB = o.ErrorA
			ruler, err := neighbors.NewRuler(neighbors.Euclidean(), points, points)
			if err != nil {
				t.Fatal(err)
			}
			want, pairs := make([]int, n), int64(0) // lowest row that can be reached
			for i := range want {
				want[i] = i
			}
			for changed := true; changed; {
				changed, pairs = false, 0
				for i := range n {
					for j := i + 1; j < n; j++ {
						if !check.matches(uint32(i), uint32(j), ruler.Distance(uint32(i), uint32(j))) {
							continue
						}
						pairs++
						if low := min(want[i], want[j]); want[i] != low || want[j] != low {
							want[i], want[j], changed = low, low, true
						}
					}
				}
			}
			if got.Pairs != pairs {
				t.Fatalf("%+v: %d pairs, want %d", o, got.Pairs, pairs)
			}
			next, number := int32(0), map[int]int32{}
			for i, low := range want {
				size := int64(0)
				for _, l := range want {
					if l == low {
						size++
					}
				}
				g := int32(-1)
				if size > 1 {
					if low == i {
						number[low] = next
						next++
					}
					if g = number[low]; got.Of[i] >= 0 && got.Sizes[g] != size {
						t.Fatalf("%+v: group %d has %d rows, want %d", o, g, got.Sizes[g], size)
					}
				}
				if got.Of[i] != g {
					t.Fatalf("%+v: row %d is in group %d, want %d", o, i, got.Of[i], g)
				}
			}
			if int(next) != len(got.Sizes) {
				t.Fatalf("%d groups, want %d", len(got.Sizes), next)
			}
		}
	}
}

func TestWithinRefuses(t *testing.T) {
	points, err := neighbors.NewPoints(neighbors.Float64s([]float64{1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {Radius: -1}, {ErrorA: []float64{1}}, {Radius: 1, Min: 2}} {
		if _, err := Within(t.Context(), points, neighbors.Euclidean(), o); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	none := points.Slice(0, 0)
	if g, err := Within(t.Context(), none, neighbors.Euclidean(), Options{Radius: 1}); err != nil || len(g.Of) > 0 || !slices.Equal(g.Sizes, nil) {
		t.Errorf("no rows: %+v, %v", g, err)
	}
}

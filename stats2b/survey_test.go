package stats2b

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/kernel"
	"skyjoin/neighbors"
)

// TestSurveyRecount counts (rp, π) along the lines to the middles of pairs, near the
// origin, where these point anywhere, and far from it, where whole nodes of the trees
// have no pair in the bins. Each pair is counted by itself, too.
func TestSurveyRecount(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 5))
	for _, c := range []struct {
		far, rp, pi float64
	}{{0, 3, 9}, {30, 2, 12}, {200, 1.5, 12}, {200, 12, 1.5}, {1e6, 2, 8}, {-4000, 1, 1}} {
		const n = 2200
		at := make([][]float64, 3)
		var cols []neighbors.Column
		for k := range at {
			for range n {
				at[k] = append(at[k], c.far*[]float64{1, -0.3, 0.5}[k]+20*rng.Float64())
			}
			cols = append(cols, neighbors.Float64s(at[k]))
		}
		row := func(i int) [3]float64 { return [3]float64{at[0][i], at[1][i], at[2][i]} }
		binning := Binning{Bins: must(LogBins(c.rp/20, c.rp, 9)), Plane: RpPi, Across: must(LinearBins(0, c.pi, 7))}
		squared := must(binning.Bins.Squared(neighbors.Euclidean()))
		want := make([]uint64, binning.Cells())
		for i := range n {
			for j := range i {
				x, y := row(j), row(i)
				pi := kernel.AlongMiddle(x, y)
				a, b, d := x[0]-y[0], x[1]-y[1], x[2]-y[2]
				rp2 := max(float64(a*a)+float64(b*b)+float64(d*d)-float64(pi*pi), 0)
				k, l := slices.IndexFunc(squared, func(e float64) bool { return e > rp2 })-1, slices.IndexFunc(binning.Across.edges, func(e float64) bool { return e > pi })-1
				if k >= 0 && l >= 0 {
					want[k*7+l]++
				}
			}
		}
		got := must(CountPatches(t.Context(), &Sample{Points: must(neighbors.NewPoints(cols...))}, nil, neighbors.Euclidean(), binning, 0, Options{})).Counts()
		name := fmt.Sprintf("%v away, rp up to %v, π up to %v", c.far, c.rp, c.pi)
		if math.Abs(c.far) < 1e5 && slices.Max(want) < 100 {
			t.Errorf("%s: %v has too few pairs to show anything", name, want)
		}
		if !slices.Equal(got.Pairs, want) {
			t.Errorf("%s: %v, want %v", name, got.Pairs, want)
		}
	}
}

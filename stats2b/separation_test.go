package stats2b

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"skyjoin/internal/jointest"
)

// Mean separations are those of the printed distances, summed exactly, and the
// same bits for any number of threads, with weights and patches or without.
func TestMeanSeparationsAreThoseOfBruteForce(t *testing.T) {
	for _, s := range scenes(9, 60) {
		s.binning.Means = true
		var first []float64
		for _, threads := range []int{1, 3} {
			got, err := CountPatches(context.Background(), s.a, s.b, s.metric, s.binning, s.patches, Options{Threads: threads})
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			c := got.Counts()
			checkCounts(t, s, c, brute(t, s, -1))
			mean := c.MeanSeparation(s.binning.Cells())
			if first == nil {
				first = mean
			}
			if !slices.EqualFunc(first, mean, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y }) {
				t.Errorf("%s: %v with one thread, %v with %d", s.name, first, mean, threads)
			}
			want := bruteMeans(t, s)
			for i, m := range mean {
				bin := i
				if s.binning.Plane != NoPlane {
					bin = i / s.binning.Across.Len()
				}
				switch {
				case c.Pairs[i] == 0:
					if m == m {
						t.Errorf("%s: mean %v of no pairs", s.name, m)
					}
				case s.binning.Plane == RpPi: // of rp, not of the distance
					if !(m >= s.binning.Bins.Edge(bin) && m <= s.binning.Bins.Edge(bin+1)) {
						t.Errorf("%s: mean %v in the bin from %v to %v", s.name, m, s.binning.Bins.Edge(bin), s.binning.Bins.Edge(bin+1))
					}
				case math.Abs(m-want[i]) > 1e-14*s.binning.Bins.Edge(s.binning.Bins.Len()):
					t.Errorf("%s: mean %v in cell %d, want %v", s.name, m, i, want[i])
				}
			}
		}
	}
}

// bruteMeans is the mean of the printed distances in each cell.
func bruteMeans(t jointest.Failer, s scene) []float64 {
	t.Helper()
	p, b := s.plan(t)
	sums, pairs := make([]*big.Rat, s.binning.Cells()), make([]int64, s.binning.Cells())
	for i := range s.a.Points.Len() {
		j := 0
		if s.b == nil {
			j = i + 1
		}
		for ; j < b.Points.Len(); j++ {
			d := p.Distance(uint32(i), uint32(j))
			if cell := bruteCell(s, p, i, j, d); cell >= 0 {
				if pairs[cell] == 0 {
					sums[cell] = new(big.Rat)
				}
				sums[cell].Add(sums[cell], new(big.Rat).SetFloat64(d))
				pairs[cell]++
			}
		}
	}
	mean := make([]float64, len(sums))
	for i, n := range pairs {
		if n > 0 {
			mean[i], _ = sums[i].Mul(sums[i], big.NewRat(1, n)).Float64()
		}
	}
	return mean
}

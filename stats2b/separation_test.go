package stats2b

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
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

// Means by weight, of distances and of their logarithms, are those of brute force,
// and the same bits for any number of threads.
func TestWeightedMeansAreThoseOfBruteForce(t *testing.T) {
	looked := 0
	for _, s := range scenes(11, 80) {
		if s.binning.WeightedMeans = true; s.binning.Bins.Edge(0) == 0 || s.binning.Plane == RpPi {
			continue // no logarithms; means of rp
		}
		var first [2][]float64
		for _, threads := range []int{1, 3} {
			got, err := CountPatches(context.Background(), s.a, s.b, s.metric, s.binning, s.patches, Options{Threads: threads})
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			c := got.Counts()
			r, logR := c.WeightedMeans()
			if first[0] == nil {
				first = [2][]float64{r, logR}
			}
			last := s.binning.Bins.Edge(s.binning.Bins.Len())
			for i, sums := range bruteMoments(t, s) {
				if math.Float64bits(r[i]) != math.Float64bits(first[0][i]) || math.Float64bits(logR[i]) != math.Float64bits(first[1][i]) {
					t.Errorf("%s: %v and %v with one thread, %v and %v with %d", s.name, first[0][i], first[1][i], r[i], logR[i], threads)
				}
				if sums[0] == 0 {
					continue
				}
				looked++
				size := sums[1] / math.Abs(sums[0]) // weights of both signs lose digits
				if math.Abs(r[i]-sums[2]/sums[0]) > 1e-12*last*size || math.Abs(logR[i]-sums[3]/sums[0]) > 1e-11*size {
					t.Errorf("%s: means %v and %v in cell %d, want %v and %v", s.name, r[i], logR[i], i, sums[2]/sums[0], sums[3]/sums[0])
				}
			}
		}
	}
	if looked < 50 {
		t.Errorf("looked at %d cells", looked)
	}
	s := scenes(11, 1)[0]
	bins, err := EdgeBins(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := CountPatches(context.Background(), s.a, s.b, s.metric, Binning{Bins: bins, WeightedMeans: true}, 0, Options{}); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("logarithms of distances from 0 on: %v, want ErrRequest", err)
	}
}

// bruteMoments are the sums of w, |w|, w·r and w·ln r over the pairs in each cell.
func bruteMoments(t jointest.Failer, s scene) [][4]float64 {
	t.Helper()
	p, b := s.plan(t)
	weight := func(of *Sample, i int) float64 {
		if of.Weights == nil {
			return 1
		}
		return of.Weights[i]
	}
	other := s.b
	if other == nil {
		other = s.a
	}
	sums := make([][4]float64, s.binning.Cells())
	for i := range s.a.Points.Len() {
		for j := range b.Points.Len() {
			if s.b == nil && j <= i {
				continue
			}
			d := p.Distance(uint32(i), uint32(j))
			if cell := bruteCell(s, p, i, j, d); cell >= 0 {
				w := weight(s.a, i) * weight(other, j)
				sums[cell][0] += w
				sums[cell][1] += math.Abs(w)
				sums[cell][2] += w * d
				sums[cell][3] += w * math.Log(d)
			}
		}
	}
	return sums
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

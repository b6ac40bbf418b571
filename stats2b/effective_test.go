package stats2b

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// masked returns the sample with weights, and with copies of its rows that have
// weight 0 in a random order between them.
func masked(rng *rand.Rand, s *Sample, weight func() float64) (used, all *Sample) {
	used, all = &Sample{Points: s.Points}, &Sample{}
	var rows []uint32
	for i := range s.Points.Len() {
		used.Weights = append(used.Weights, weight())
		for range rng.IntN(4) {
			rows, all.Weights = append(rows, uint32(rng.IntN(s.Points.Len()))), append(all.Weights, 0)
		}
		rows, all.Weights = append(rows, uint32(i)), append(all.Weights, used.Weights[i])
	}
	all.Points = s.Points.Subset(rows)
	return used, all
}

// Rows of weight 0 change no bit of an estimate or of its Poisson error, in any
// statistic; nor does a common factor of all weights, which then are as none.
func TestRowsOfNoWeightChangeNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 4))
	data, random := cloud(14, 150, 2), cloud(15, 400, 0)
	bins := must(LinearBins(0.01, 0.2, 3))
	for what, binning := range map[Statistic]Binning{
		Plain:      {Bins: bins},
		Projected:  {Bins: bins, Plane: RpPi, Across: must(LinearBins(0, 0.2, 4)), Axis: 2},
		Quadrupole: {Bins: bins, Plane: SMu, Across: must(LinearBins(0, 1, 4))},
	} {
		correlate := func(data, random *Sample) *Correlation {
			c, err := Correlate(tallies(t, data, random, neighbors.Euclidean(), binning, 0), Estimator{}, what, Resampling{})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		draw := func() float64 { return float64(1 + rng.IntN(7)) }
		used, all := masked(rng, data, draw)
		usedRandom, allRandom := masked(rng, random, draw)
		want, got := correlate(used, usedRandom), correlate(all, allRandom)
		if !slices.Equal(got.Xi, want.Xi) || !slices.Equal(got.Error, want.Error) {
			t.Errorf("statistic %d with rows of weight 0: %v ± %v, want %v ± %v", what, got.Xi, got.Error, want.Xi, want.Error)
		}
		same, _ := masked(rng, data, func() float64 { return 0.3 })
		want, got = correlate(data, usedRandom), correlate(same, usedRandom)
		for i, e := range want.Error {
			if math.Abs(got.Error[i]-e) > 1e-12*e {
				t.Errorf("statistic %d with all weights 0.3: error %v, want %v", what, got.Error[i], e)
			}
		}
	}
}

// The errors of g(r) and of a box are by effective pairs too.
func TestEffectivePairsOfABox(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 4))
	used, all := masked(rng, cloud(16, 300, 0), func() float64 { return rng.Float64() })
	sides := []float64{1, 1, 1}
	bins := must(LinearBins(0.05, 0.4, 4))
	m := neighbors.Periodic(sides...)
	want, got := must(Count(t.Context(), used, nil, m, bins, Options{})), must(Count(t.Context(), all, nil, m, bins, Options{}))
	a, b := must(RadialOf(bins, want, sides)), must(RadialOf(bins, got, sides))
	if !slices.Equal(a.Error, b.Error) || !slices.Equal(a.G, b.G) {
		t.Errorf("with rows of weight 0: %v ± %v, want %v ± %v", b.G, b.Error, a.G, a.Error)
	}
	for i := range bins.Len() {
		var sum, squares float64
		for j := range used.Weights {
			for k := range j {
				var d2 float64
				for c := range 3 {
					d := math.Abs(used.Points.Column(c).At(j) - used.Points.Column(c).At(k))
					d = min(d, 1-d)
					d2 += d * d
				}
				if r := math.Sqrt(d2); r >= bins.Edge(i) && r < bins.Edge(i+1) {
					w := used.Weights[j] * used.Weights[k]
					sum += w
					squares += w * w
				}
			}
		}
		effective := sum * sum / squares
		if e := want.EffectivePairs(i); math.Abs(e-effective) > 1e-9*effective || e >= float64(want.Pairs[i]) {
			t.Errorf("bin %d: %v effective pairs of %d, want %v", i, e, want.Pairs[i], effective)
		}
		if e := a.G[i] / math.Sqrt(effective); math.Abs(a.Error[i]-e) > 1e-9*e {
			t.Errorf("bin %d: error %v, want %v", i, a.Error[i], e)
		}
	}
	none := &Sample{Points: used.Points, Weights: make([]float64, used.Points.Len())}
	if c := must(Count(t.Context(), none, nil, m, bins, Options{})); c.EffectivePairs(0) != 0 {
		t.Errorf("%v effective pairs without any weight", c.EffectivePairs(0))
	}
}

package stats2b

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"skyjoin/neighbors"
)

func line(x ...float64) *Sample {
	return &Sample{Points: must(neighbors.NewPoints(neighbors.Float64s(x)))}
}

// tallies counts DD, DR and RR.
func tallies(t *testing.T, data, random *Sample, m neighbors.Metric, b Binning, patches int) Tallies {
	t.Helper()
	count := func(x, y *Sample) *Tally {
		got, err := CountPatches(t.Context(), x, y, m, b, patches, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	return Tallies{count(data, nil), count(data, random), count(random, nil)}
}

// Case C33: weights and the number of randoms are in the normalisation.
func TestLandySzalayByHand(t *testing.T) {
	for _, factor := range []float64{1, 7} {
		data, random := line(0, 1, 2, 3), line(0.5, 1.5, 2.5)
		data.Weights = []float64{1, 2, 1, 1}
		random.Weights = []float64{factor, factor, factor}
		c, err := Correlate(tallies(t, data, random, neighbors.Euclidean(), Binning{Bins: must(EdgeBins(0.25, 1.25))}, 0), Estimator{}, Plain, Resampling{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			name      string
			got, want float64
		}{
			{"DD", c.DD.Normalised(0), 5.0 / 9}, {"DR", c.DR.Normalised(0), 16.0 / 30}, {"RR", c.RR.Normalised(0), 8.0 / 12}, {"LS", c.Xi[0], 7.0 / 30},
		} {
			if math.Abs(x.got-x.want) > 1e-14 {
				t.Errorf("random weights %g: %s = %v, want %v", factor, x.name, x.got, x.want)
			}
		}
	}
}

// Case C35: no random pair in a bin makes NaN there and nowhere else.
func TestNoRandomPairs(t *testing.T) {
	data, random := line(0, 1), line(0, 10)
	for _, name := range Estimators() {
		e := must(ParseEstimator(name))
		c, err := Correlate(tallies(t, data, random, neighbors.Euclidean(), Binning{Bins: must(EdgeBins(0.5, 1.5, 9.5, 10.5))}, 0), e, Plain, Resampling{})
		if err != nil {
			t.Fatal(err)
		}
		if e.NeedsRR() && name != "hamilton" && !math.IsNaN(c.Xi[0]) {
			t.Errorf("%s: ξ = %v with RR = 0, want NaN", name, c.Xi[0])
		}
		if e.NeedsRR() && math.IsNaN(c.Xi[2]) && name != "hamilton" {
			t.Errorf("%s: ξ is NaN in a bin with random pairs", name)
		}
	}
}

func TestEstimators(t *testing.T) {
	for name, want := range map[string]float64{"natural": 1, "dp": 3, "hamilton": 7, "hewett": 1.5, "ls": 2} {
		e := must(ParseEstimator(name))
		if got := e.Of(0.4, 0.1, 0.2); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s of 0.4, 0.1, 0.2 is %v, want %v", name, got, want)
		}
	}
	if _, err := ParseEstimator("lz"); err == nil {
		t.Error("estimator lz is known")
	}
}

// cloud is n points in a unit cube, with so many companions each within a
// distance of 0.02.
func cloud(seed uint64, n, companions int) *Sample {
	rng := rand.New(rand.NewPCG(seed, 1))
	cols := make([][]float64, 3)
	for range n {
		at := [3]float64{rng.Float64(), rng.Float64(), rng.Float64()}
		for k := range companions + 1 {
			for c := range cols {
				x := at[c]
				if k > 0 {
					x += 0.02 * (rng.Float64() - 0.5)
				}
				cols[c] = append(cols[c], x)
			}
		}
	}
	return &Sample{Points: must(neighbors.NewPoints(neighbors.Float64s(cols[0]), neighbors.Float64s(cols[1]), neighbors.Float64s(cols[2])))}
}

// The signal that was put in comes out: pairs with a companion are (N/2)(2k)
// more than chance, all of them closer than 0.0346.
func TestRecoversAKnownSignal(t *testing.T) {
	data, random := cloud(1, 2000, 1), cloud(2, 20000, 0)
	bins := must(EdgeBins(0, 0.035, 0.1, 0.2))
	c, err := Correlate(tallies(t, data, random, neighbors.Euclidean(), Binning{Bins: bins}, 0), Estimator{}, Plain, Resampling{})
	if err != nil {
		t.Fatal(err)
	}
	// 2,000 pairs beside the RR that chance makes.
	chance := c.RR.Normalised(0) * float64(c.DD.Total)
	if want := 2000 / chance; math.Abs(c.Xi[0]-want) > 0.15*want {
		t.Errorf("ξ = %v near companions, want about %v", c.Xi[0], want)
	}
	for i := 1; i < 3; i++ {
		if math.Abs(c.Xi[i]) > 0.05 {
			t.Errorf("ξ = %v in bin %d, where there is no signal", c.Xi[i], i)
		}
	}
	// The same pairs along and across an axis: no direction is special.
	for _, b := range []struct {
		binning Binning
		what    Statistic
	}{
		{Binning{Bins: must(EdgeBins(0.05, 0.1, 0.2)), Plane: SMu, Across: must(LinearBins(0, 1, 10)), Axis: 3}, Monopole},
		{Binning{Bins: must(EdgeBins(0.05, 0.1, 0.2)), Plane: SMu, Across: must(LinearBins(0, 1, 10))}, Quadrupole},
		{Binning{Bins: must(EdgeBins(0.05, 0.1, 0.2)), Plane: RpPi, Across: must(LinearBins(0, 0.2, 10)), Axis: 3}, Projected},
	} {
		c, err := Correlate(tallies(t, data, random, neighbors.Euclidean(), b.binning, 0), Estimator{}, b.what, Resampling{})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range c.Xi {
			if math.Abs(x) > 0.1 {
				t.Errorf("statistic %d is %v in bin %d, where there is no signal", b.what, x, i)
			}
		}
	}
}

// wp and the multipoles are sums over the cells of the plain estimate.
func TestProjections(t *testing.T) {
	data, random := cloud(3, 200, 2), cloud(4, 500, 0)
	for _, x := range []struct {
		what    Statistic
		binning Binning
		factor  func(lo, hi float64) float64
	}{
		{Projected, Binning{Bins: must(LinearBins(0.01, 0.2, 3)), Plane: RpPi, Across: must(EdgeBins(0, 0.1, 0.3)), Axis: 2}, func(lo, hi float64) float64 { return 2 * (hi - lo) }},
		{Monopole, Binning{Bins: must(LinearBins(0.01, 0.2, 3)), Plane: SMu, Across: must(EdgeBins(0, 0.4, 1))}, func(lo, hi float64) float64 { return hi - lo }},
		{Quadrupole, Binning{Bins: must(LinearBins(0.01, 0.2, 3)), Plane: SMu, Across: must(EdgeBins(0, 0.4, 1))}, func(lo, hi float64) float64 {
			return 5 * ((hi*hi*hi - hi) - (lo*lo*lo - lo)) / 2
		}},
	} {
		counts := tallies(t, data, random, neighbors.Euclidean(), x.binning, 0)
		cells, err := Correlate(counts, Estimator{}, Plain, Resampling{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Correlate(counts, Estimator{}, x.what, Resampling{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range got.Xi {
			var want float64
			for j := range 2 {
				want += cells.Xi[2*i+j] * x.factor(x.binning.Across.Edge(j), x.binning.Across.Edge(j+1))
			}
			if math.Abs(got.Xi[i]-want) > 1e-12*math.Abs(want) {
				t.Errorf("statistic %d in bin %d is %v, want %v", x.what, i, got.Xi[i], want)
			}
		}
	}
}

// The jackknife covariance is, bit for bit, that of counting anew without one
// patch after the other.
func TestJackknifeIsARecount(t *testing.T) {
	const patches = 7
	rng := rand.New(rand.NewPCG(8, 9))
	data, random := cloud(5, 150, 1), cloud(6, 600, 0)
	for _, s := range []*Sample{data, random} {
		s.Patch = patchNumbers(rng, s.Points.Len(), patches)
		s.Weights = weights(rng, s.Points.Len(), true)
	}
	binning := Binning{Bins: must(LogBins(0.01, 0.3, 6))}
	got, err := Correlate(tallies(t, data, random, neighbors.Euclidean(), binning, patches), Estimator{}, Plain, Resampling{Method: Jackknife})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Realisations) != patches {
		t.Fatalf("%d realisations of %d patches", len(got.Realisations), patches)
	}
	rest := func(s *Sample, drop int32) *Sample {
		r := &Sample{}
		var rows []uint32
		for i, p := range s.Patch {
			if p != drop {
				rows = append(rows, uint32(i))
				r.Weights = append(r.Weights, s.Weights[i])
			}
		}
		r.Points = s.Points.Subset(rows)
		return r
	}
	var direct [][]float64
	for k := range int32(patches) {
		c, err := Correlate(tallies(t, rest(data, k), rest(random, k), neighbors.Euclidean(), binning, 0), Estimator{}, Plain, Resampling{})
		if err != nil {
			t.Fatal(err)
		}
		direct = append(direct, c.Xi)
		for i, x := range c.Xi {
			if got.Realisations[k][i] != x {
				t.Errorf("realisation %d in bin %d is %v, counting anew gives %v", k, i, got.Realisations[k][i], x)
			}
		}
	}
	n := len(got.Xi)
	for i := range n {
		for j := range n {
			var mi, mj, sum float64
			for _, x := range direct {
				mi += x[i] / patches
				mj += x[j] / patches
			}
			for _, x := range direct {
				sum += (x[i] - mi) * (x[j] - mj)
			}
			want := sum * (patches - 1) / patches
			if math.Abs(got.Covariance[i][j]-want) > 1e-12*math.Abs(want) {
				t.Errorf("covariance %d, %d is %v, want %v", i, j, got.Covariance[i][j], want)
			}
		}
		if got.Error[i] != math.Sqrt(got.Covariance[i][i]) {
			t.Errorf("error %d is %v, its variance %v", i, got.Error[i], got.Covariance[i][i])
		}
	}
}

// A bootstrap in which every patch is drawn once is the whole; the errors of
// bootstrap and jackknife are alike.
func TestBootstrap(t *testing.T) {
	const patches = 64
	data, random := cloud(10, 3000, 1), cloud(11, 6000, 0)
	cells, err := CellPatches(4, neighbors.Euclidean(), data.Points, random.Points)
	if err != nil || cells.Len() != patches {
		t.Fatalf("%d patches: %v", cells.Len(), err)
	}
	for _, s := range []*Sample{data, random} {
		s.Patch = must(cells.Assign(s.Points, 2))
	}
	counts := tallies(t, data, random, neighbors.Euclidean(), Binning{Bins: must(EdgeBins(0, 0.02, 0.1))}, patches)
	once := make([]int, patches)
	for i := range once {
		once[i] = 1
	}
	all, drawn := counts.DD.Counts(), counts.DD.resampled(once)
	for i := range all.Pairs {
		if drawn.Weights[i] != float64(all.Pairs[i]) {
			t.Errorf("bin %d: %v pairs when every patch is drawn once, want %d", i, drawn.Weights[i], all.Pairs[i])
		}
	}
	if drawn.TotalWeight != all.TotalWeight {
		t.Errorf("weight %v when every patch is drawn once, want %v", drawn.TotalWeight, all.TotalWeight)
	}
	jack, err := Correlate(counts, Estimator{}, Plain, Resampling{Method: Jackknife})
	if err != nil {
		t.Fatal(err)
	}
	boot, err := Correlate(counts, Estimator{}, Plain, Resampling{Method: Bootstrap, Realisations: 200, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(boot.Realisations) != 200 {
		t.Errorf("%d realisations, 200 were asked for", len(boot.Realisations))
	}
	for i := range jack.Error {
		if r := boot.Error[i] / jack.Error[i]; r < 0.6 || r > 1.7 {
			t.Errorf("bin %d: error %v by bootstrap, %v by jackknife", i, boot.Error[i], jack.Error[i])
		}
	}
	again, err := Correlate(counts, Estimator{}, Plain, Resampling{Method: Bootstrap, Realisations: 200, Seed: 3})
	if err != nil || again.Error[0] != boot.Error[0] {
		t.Errorf("the same seed gives %v and %v (%v)", boot.Error[0], again.Error[0], err)
	}
	if _, err := Correlate(tallies(t, line(1, 2), line(3, 4), neighbors.Euclidean(), Binning{Bins: must(EdgeBins(0, 1))}, 0), Estimator{}, Plain, Resampling{Method: Jackknife}); err == nil {
		t.Error("a jackknife without patches")
	}
}

// g(r) of an ideal gas is 1, in one to three dimensions, and of two kinds.
func TestIdealGas(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 13))
	for dim := 1; dim <= 3; dim++ {
		sides := []float64{10, 8, 12}[:dim]
		gas := func(n int) *Sample {
			cols := make([]neighbors.Column, dim)
			for c := range cols {
				v := make([]float64, n)
				for i := range v {
					v[i] = rng.Float64() * sides[c]
				}
				cols[c] = neighbors.Float64s(v)
			}
			return &Sample{Points: must(neighbors.NewPoints(cols...))}
		}
		a, b := gas(4000), gas(3000)
		bins := must(LinearBins(0.5, 4, 5))
		for _, other := range []*Sample{nil, b} {
			c, err := Count(t.Context(), a, other, neighbors.Periodic(sides...), bins, Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := RadialOf(bins, c, sides)
			if err != nil {
				t.Fatal(err)
			}
			for i, g := range r.G {
				if sigma := 1 / math.Sqrt(r.Ideal[i]); math.Abs(g-1) > 5*sigma {
					t.Errorf("%d dimensions: g = %v in bin %d, want 1 ± %v", dim, g, i, sigma)
				}
			}
		}
	}
	if _, err := RadialOf(must(EdgeBins(0, 1)), &Counts{Pairs: make([]uint64, 1)}, []float64{10, 0}); err == nil {
		t.Error("g(r) in a box with an open axis")
	}
}

// In a periodic box rp and π are each up to half of the sides that they are
// measured along, whatever their hypotenuse: over half of those sides, and of
// others.
func TestPlanesOfAWholeBox(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 3))
	for _, c := range []struct {
		sides  []float64
		axis   int
		rp, pi float64
	}{
		{[]float64{10, 10, 10}, 3, 5, 5},
		{[]float64{10, 12, 3}, 3, 5, 1.5},
		{[]float64{40, 4, 4}, 1, 2, 20},
		{[]float64{10, 0, 10}, 2, 5, 8},
		{[]float64{0, 10, 100}, 2, 7, 5},
	} {
		s := scene{name: "wide", metric: neighbors.Periodic(c.sides...), a: &Sample{Points: draw(rng, 150, 3, false, false)}}
		s.binning = Binning{Bins: must(LinearBins(0, c.rp, 4)), Plane: RpPi, Across: must(LinearBins(0, c.pi, 3)), Axis: c.axis}
		for _, other := range []*Sample{nil, {Points: draw(rng, 90, 3, false, true)}} {
			for _, weighted := range []bool{false, true} {
				if s.b = other; weighted {
					s.a.Weights = weights(rng, 150, false)
				}
				s.patches, s.a.Patch = 3, patchNumbers(rng, 150, 3)
				if s.b != nil {
					s.b.Patch = patchNumbers(rng, 90, 3)
				}
				got, err := CountPatches(t.Context(), s.a, s.b, s.metric, s.binning, s.patches, Options{Threads: 2})
				if err != nil {
					t.Errorf("%v: %v", c, err)
					continue
				}
				checkCounts(t, s, got.Counts(), brute(t, s, -1))
				checkCounts(t, s, got.Without(1), brute(t, s, 1))
			}
		}
		for axis, side := range c.sides {
			b := s.binning
			if axis == c.axis-1 {
				b.Across = must(EdgeBins(0, side/2+0.01))
			} else {
				b.Bins = must(EdgeBins(0, side/2+0.01))
			}
			if _, err := CountPatches(t.Context(), line3(1, 2), nil, s.metric, b, 0, Options{}); side > 0 && !errors.Is(err, neighbors.ErrRequest) {
				t.Errorf("%v: beyond half of side %d: error %v", c, axis, err)
			}
		}
	}
}

// line3 is points along a diagonal.
func line3(x ...float64) *Sample {
	c := neighbors.Float64s(x)
	return &Sample{Points: must(neighbors.NewPoints(c, c, c))}
}

func TestPlanesNeedSpace(t *testing.T) {
	sky := plane(1, 2, 3, 4)
	space := cloud(1, 5, 0)
	for name, c := range map[string]struct {
		s      *Sample
		metric neighbors.Metric
		b      Binning
	}{
		"angles":       {sky, neighbors.Sky(), Binning{Plane: RpPi}},
		"scaled sky":   {space, neighbors.Sky().Scaled(1, 1), Binning{Plane: SMu}},
		"two columns":  {sky, neighbors.Euclidean(), Binning{Plane: RpPi}},
		"a box":        {space, neighbors.Periodic(1, 1, 1), Binning{Plane: RpPi}},
		"axis 4":       {space, neighbors.Euclidean(), Binning{Plane: RpPi, Axis: 4}},
		"μ beyond one": {space, neighbors.Euclidean(), Binning{Plane: SMu, Across: must(EdgeBins(0, 1.5))}},
	} {
		c.b.Bins = must(EdgeBins(0.1, 0.2))
		if c.b.Across.Len() == 0 {
			c.b.Across = must(EdgeBins(0, 0.3))
		}
		if _, err := CountPatches(t.Context(), c.s, nil, c.metric, c.b, 0, Options{}); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

package stats2b

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

// A scene is two random samples and how they are measured and binned.
type scene struct {
	name    string
	metric  neighbors.Metric
	a, b    *Sample // b nil: one sample
	binning Binning
	patches int
	size    float64 // of a product of weights; 0: 9
}

// draw makes a random sample of n rows in dim dimensions; sky ones are RA and
// Dec. Some rows repeat others.
func draw(rng *rand.Rand, n, dim int, sky bool, clumped bool) *neighbors.Points {
	cols := make([]neighbors.Column, dim)
	for c := range cols {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.Float64() * 10
			if clumped && i%3 > 0 {
				v[i] = 5 + 0.05*rng.NormFloat64()
			}
			if sky && c == 0 {
				v[i] *= 36
			}
			if sky && c == 1 {
				v[i] = math.Asin(v[i]/5-1) * 180 / math.Pi
			}
		}
		cols[c] = neighbors.Float64s(v)
	}
	for i := 7; i < n; i += 11 {
		for c := range cols {
			cols[c].Float64[i] = cols[c].Float64[i-1]
		}
	}
	p, err := neighbors.NewPoints(cols...)
	if err != nil {
		panic(err)
	}
	return p
}

func weights(rng *rand.Rand, n int, whole bool) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = rng.Float64()*3 - 0.5
		if whole {
			w[i] = float64(rng.IntN(9))
		}
	}
	return w
}

func patchNumbers(rng *rand.Rand, n, patches int) []int32 {
	p := make([]int32, n)
	for i := range p {
		p[i] = int32(rng.IntN(patches))
	}
	return p
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// scenes are random requests of every kind.
func scenes(seed uint64, count int) []scene {
	rng := rand.New(rand.NewPCG(seed, 9))
	var all []scene
	for k := range count {
		dim := 1 + rng.IntN(4)
		kind := k % 3
		n, m := 2+rng.IntN(200), 1+rng.IntN(150)
		s := scene{metric: neighbors.Euclidean()}
		most := []float64{1, 3, 20}[rng.IntN(3)]
		switch kind {
		case 1:
			side := make([]float64, dim)
			for c := range side {
				side[c] = []float64{10, 9.5, 0}[rng.IntN(3)]
			}
			s.metric = neighbors.Periodic(side...)
			most = min(most, 4.5)
		case 2:
			dim = 2
			s.metric = neighbors.Sky()
			most = []float64{0.05, 1, 1.5}[rng.IntN(3)]
		}
		clumped := rng.IntN(2) == 0
		s.a = &Sample{Points: draw(rng, n, dim, kind == 2, clumped)}
		if rng.IntN(2) == 0 {
			s.b = &Sample{Points: draw(rng, m, dim, kind == 2, clumped)}
		}
		bins := 1 + rng.IntN(30)
		switch rng.IntN(3) {
		case 0:
			s.binning.Bins = must(LinearBins(0, most, bins))
		case 1:
			s.binning.Bins = must(LogBins(most/100, most, bins))
		default:
			e := []float64{rng.Float64() * most}
			for range bins {
				e = append(e, e[len(e)-1]+(most-e[0])*rng.Float64()/float64(bins))
			}
			s.binning.Bins = must(EdgeBins(slices.Compact(append(e, most*1.01))...))
		}
		if rng.IntN(2) == 0 {
			s.a.Weights = weights(rng, n, rng.IntN(2) == 0)
			if s.b != nil && rng.IntN(2) == 0 {
				s.b.Weights = weights(rng, m, false)
			}
		}
		if rng.IntN(2) == 0 {
			s.patches = 1 + rng.IntN(5)
			s.a.Patch = patchNumbers(rng, n, s.patches)
			if s.b != nil {
				s.b.Patch = patchNumbers(rng, m, s.patches)
			}
		}
		if kind < 2 && dim == 3 && rng.IntN(2) == 0 {
			s.binning.Plane = []Plane{RpPi, SMu}[rng.IntN(2)]
			s.binning.Across = must(LinearBins(0, 1, 1+rng.IntN(7)))
			s.binning.Axis = 1 + rng.IntN(3)
			if kind == 0 {
				s.binning.Axis = rng.IntN(4)
			}
		}
		s.name = fmt.Sprintf("%d: %v %d×%d cross=%v bins=%d weights=%v patches=%d plane=%d", k, s.metric, n, dim, s.b != nil, bins, s.a.Weights != nil, s.patches, s.binning.Plane)
		all = append(all, s)
	}
	return all
}

// plan measures distances, of any length, of a row with one of the other sample.
func (s scene) plan(t jointest.Failer) (p *neighbors.Plan, other *Sample) {
	t.Helper()
	in := neighbors.Input{Query: s.a.Points, Metric: s.metric}
	other = s.a
	if s.b != nil {
		other, in.Data = s.b, s.b.Points
	}
	p, err := neighbors.Prepare(context.Background(), in, neighbors.Nearest{K: 1, Pad: true})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return p, other
}

// brute counts the pairs one by one, without those of rows in patch drop: in
// which bin they are is told by their printed distances, and the sums of
// products of weights are rationals, rounded at the end.
func brute(t jointest.Failer, s scene, drop int32) *Counts {
	t.Helper()
	p, b := s.plan(t)
	c := &Counts{Pairs: make([]uint64, s.binning.Cells())}
	sums := make([]*big.Rat, len(c.Pairs))
	for i := range sums {
		sums[i] = new(big.Rat)
	}
	all, one := new(big.Rat), big.NewRat(1, 1)
	weight := func(s *Sample, i int) *big.Rat {
		if s.Weights == nil {
			return big.NewRat(1, 1)
		}
		return new(big.Rat).SetFloat64(s.Weights[i])
	}
	for i := range s.a.Points.Len() {
		first := 0
		if s.b == nil {
			first = i + 1
		}
		for j := first; j < b.Points.Len(); j++ {
			if drop >= 0 && (s.a.Patch[i] == drop || b.Patch[j] == drop) {
				continue
			}
			c.Total++
			w := one
			if s.a.Weights != nil || b.Weights != nil {
				w = new(big.Rat).Mul(weight(s.a, i), weight(b, j))
			}
			all.Add(all, w)
			d := p.Distance(uint32(i), uint32(j))
			switch cell := bruteCell(s, p, i, j, d); {
			case cell >= 0:
				c.Pairs[cell]++
				sums[cell].Add(sums[cell], w)
			case s.binning.Plane == NoPlane && d < s.binning.Bins.Edge(0):
				c.Under++
			default:
				c.Over++
			}
		}
	}
	for _, w := range sums {
		f, _ := w.Float64()
		c.Weights = append(c.Weights, f)
	}
	c.TotalWeight, _ = all.Float64()
	return c
}

// bruteCell returns the cell of a pair, -1 if it is in none.
func bruteCell(s scene, p *neighbors.Plan, i, j int, d float64) int {
	find := func(b Bins, x float64) int {
		for k := range b.Len() {
			if x >= b.Edge(k) && x < b.Edge(k+1) {
				return k
			}
		}
		return -1
	}
	if s.binning.Plane == NoPlane {
		return find(s.binning.Bins, d)
	}
	q, o := querySpace(p), dataSpace(p)
	var delta, middle [3]float64
	size := 0.0
	for c := range 3 {
		x, y := q.Columns[c].At(i), o.Columns[c].At(j)
		delta[c] = x - y
		middle[c] = x/2 + y/2
		size = max(size, math.Abs(middle[c]))
		if q.Side != nil && q.Side[c] > 0 {
			delta[c] = math.Min(math.Abs(delta[c]), q.Side[c]-math.Abs(delta[c]))
		}
	}
	if a := s.binning.Axis; a > 0 {
		middle, size = [3]float64{}, 1
		middle[a-1] = 1
	}
	_, e := math.Frexp(size) // of the unit in which nothing overflows
	var dot, length, beside float64
	for c := range 3 {
		m := math.Ldexp(middle[c], -e)
		dot += float64(delta[c] * m)
		length += float64(m * m)
		if m == 0 {
			beside += float64(delta[c] * delta[c])
		}
	}
	pi := math.Abs(dot) / math.Sqrt(length)
	if length == 0 {
		pi = 0
	}
	first, second := d, pi
	switch d2 := p.SquaredDistance(uint32(i), uint32(j)); {
	case s.binning.Plane == SMu:
		second = 0
		if d > 0 {
			second = math.Min(pi/d, 1-1e-15)
		}
	case s.binning.Axis > 0:
		first = math.Sqrt(beside)
	default:
		first = math.Sqrt(math.Max(d2-float64(pi*pi), 0))
	}
	k, l := find(s.binning.Bins, first), find(s.binning.Across, second)
	if k < 0 || l < 0 {
		return -1
	}
	return k*s.binning.Across.Len() + l
}

// closeTo reports whether sums of weights agree but for the rounding of terms.
func closeTo(a, b, scale float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(scale)+1e-300 }

func checkCounts(t jointest.Failer, s scene, got, want *Counts) {
	t.Helper()
	// Where planes are told apart by different arithmetic, ties at edges may
	// go either way: drawn coordinates have none.
	if !slices.Equal(got.Pairs, want.Pairs) {
		t.Fatalf("%s: counts %v, want %v", s.name, got.Pairs, want.Pairs)
	}
	if s.binning.Plane == NoPlane && (got.Under != want.Under || got.Over != want.Over) {
		t.Fatalf("%s: %d below and %d beyond, want %d and %d", s.name, got.Under, got.Over, want.Under, want.Over)
	}
	if got.Total != want.Total {
		t.Fatalf("%s: %d pairs, want %d", s.name, got.Total, want.Total)
	}
	scale := float64(want.Total) * cmp.Or(s.size, 9)
	if got.Weights != nil {
		for i, w := range got.Weights {
			if !closeTo(w, want.Weights[i], scale) {
				t.Fatalf("%s: weight %v in bin %d, want %v", s.name, w, i, want.Weights[i])
			}
		}
	}
	if !closeTo(got.TotalWeight, want.TotalWeight, scale) {
		t.Fatalf("%s: weight %v in all, want %v", s.name, got.TotalWeight, want.TotalWeight)
	}
}

func TestCountsAreThoseOfBruteForce(t *testing.T) {
	n := 150
	if testing.Short() {
		n = 60
	}
	for _, s := range scenes(1, n) {
		for _, threads := range []int{1, 3} {
			got, err := CountPatches(context.Background(), s.a, s.b, s.metric, s.binning, s.patches, Options{Threads: threads})
			if err != nil {
				t.Errorf("%s: %v", s.name, err)
				continue
			}
			checkCounts(t, s, got.Counts(), brute(t, s, -1))
			if s.patches > 1 {
				checkCounts(t, s, got.Without(s.patches-1), brute(t, s, int32(s.patches-1)))
			}
		}
	}
}

// The counts without a patch are, bit for bit, those of counting without its
// rows.
func TestWithoutIsARecount(t *testing.T) {
	for _, s := range scenes(2, 80) {
		if s.patches < 2 {
			continue
		}
		// The scale of weights must not change with the rows.
		for _, x := range []*Sample{s.a, s.b} {
			if x != nil && x.Weights != nil {
				for i := range x.Weights {
					x.Weights[i] = math.Round(x.Weights[i] * 8)
				}
			}
		}
		all, err := CountPatches(context.Background(), s.a, s.b, s.metric, s.binning, s.patches, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k := range s.patches {
			rest := func(x *Sample) *Sample {
				if x == nil {
					return nil
				}
				var rows []uint32
				r := &Sample{}
				for i, p := range x.Patch {
					if int(p) != k {
						rows = append(rows, uint32(i))
						if x.Weights != nil {
							r.Weights = append(r.Weights, x.Weights[i])
						}
					}
				}
				r.Points = x.Points.Subset(rows)
				return r
			}
			a, b := rest(s.a), rest(s.b)
			if a.Points.Len() == 0 || b != nil && b.Points.Len() == 0 {
				continue
			}
			direct, err := CountPatches(context.Background(), a, b, s.metric, s.binning, 0, Options{})
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			got, want := all.Without(k), direct.Counts()
			if !slices.Equal(got.Pairs, want.Pairs) || !slices.Equal(got.Weights, want.Weights) || got.TotalWeight != want.TotalWeight || got.Total != want.Total {
				t.Errorf("%s: without patch %d: %+v, want %+v", s.name, k, got, want)
			}
		}
	}
}

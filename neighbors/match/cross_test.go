package match

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"skyjoin/neighbors"
)

func points(t testing.TB, cols ...[]float64) *neighbors.Points {
	t.Helper()
	var c []neighbors.Column
	for _, v := range cols {
		c = append(c, neighbors.Float64s(v))
	}
	p, err := neighbors.NewPoints(c...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// lattice has many ties: coordinates are multiples of 1/8.
func lattice(t testing.TB, r *rand.Rand, n int) *neighbors.Points {
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = float64(r.IntN(24))/8, float64(r.IntN(24))/8
	}
	return points(t, x, y)
}

// reference is Cross by definition: every pair is looked at.
func reference(t *testing.T, a, b *neighbors.Points, m neighbors.Metric, o Options) *Result {
	t.Helper()
	ruler, err := neighbors.NewRuler(m, a, b)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := neighbors.Prepare(t.Context(), neighbors.Input{Query: a, Data: b, Metric: m}, neighbors.Nearest{K: 1})
	if err != nil {
		t.Fatal(err)
	}
	var all []Pair
	timesA, timesB := map[uint32]int{}, map[uint32]int{}
	for i := range uint32(a.Len()) {
		var row []Pair
		for j := range uint32(b.Len()) {
			if p := (Pair{i, j, ruler.Distance(i, j)}); p.Distance >= o.Min {
				row = append(row, p)
			}
		}
		if o.K > 0 {
			slices.SortStableFunc(row, func(p, q Pair) int {
				return cmp.Compare(plan.SquaredDistance(p.A, p.B), plan.SquaredDistance(q.A, q.B))
			})
			row = row[:min(o.K, len(row))]
		}
		for _, p := range row {
			sum := math.Inf(1)
			if o.ErrorA != nil || o.ErrorB != nil {
				ea, eb := errorOf(o.ErrorA, p.A), errorOf(o.ErrorB, p.B)
				if sum = ea + eb; o.Combined == Quadrature {
					sum = math.Sqrt(ea*ea + eb*eb)
				}
				if o.Sigmas > 0 {
					sum *= o.Sigmas
				}
			}
			if (o.Radius == 0 || p.Distance <= o.Radius) && p.Distance >= o.Min && p.Distance <= sum {
				all = append(all, p)
				timesA[p.A]++
				timesB[p.B]++
			}
		}
	}
	r := &Result{Candidates: int64(len(all))}
	for _, n := range timesA {
		if n > 1 {
			r.AmbiguousA++
		}
	}
	for _, n := range timesB {
		if n > 1 {
			r.AmbiguousB++
		}
	}
	slices.SortFunc(all, func(p, q Pair) int {
		return cmp.Or(cmp.Compare(p.Distance, q.Distance), cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B))
	})
	takenA, takenB := map[uint32]bool{}, map[uint32]bool{}
	for _, p := range all {
		if (o.Find == Best || o.Find == Best1) && takenA[p.A] || (o.Find == Best || o.Find == Best2) && takenB[p.B] {
			continue
		}
		takenA[p.A], takenB[p.B] = true, true
		r.Pairs = append(r.Pairs, p)
	}
	slices.SortFunc(r.Pairs, func(p, q Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) })
	return r
}

func TestCrossIsByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for round := range 12 {
		a, b := lattice(t, r, 60), lattice(t, r, 45)
		m := neighbors.Euclidean()
		if round%3 == 2 {
			m = neighbors.Sky()
		}
		unit := 1.0
		if m.IsAngle() {
			unit = math.Pi / 180
		}
		errorsOf := func(n int) []float64 {
			e := make([]float64, n)
			for i := range e {
				e[i] = float64(r.IntN(4)) / 16 * unit
			}
			return e
		}
		for _, base := range []Options{
			{Radius: 0.25 * unit}, {Radius: 0.375 * unit, Min: 0.125 * unit}, {K: 3}, {K: 2, Radius: 0.125 * unit},
			{K: 1, Min: 0.125 * unit}, {K: 3, Min: 0.25 * unit, Radius: 0.5 * unit}, {K: 50, Min: 0.375 * unit},
			{ErrorA: errorsOf(60)}, {ErrorA: errorsOf(60), ErrorB: errorsOf(45), Radius: 0.25 * unit}, {ErrorB: make([]float64, 45)},
			{ErrorA: errorsOf(60), ErrorB: errorsOf(45), Combined: Quadrature}, {ErrorA: errorsOf(60), ErrorB: errorsOf(45), Sigmas: 2.5},
			{ErrorA: errorsOf(60), ErrorB: errorsOf(45), Combined: Quadrature, Sigmas: 2, Radius: 0.5 * unit, K: 4, Min: 0.0625 * unit},
		} {
			for find := Best; find <= All; find++ {
				o := base
				o.Find = find
				want := reference(t, a, b, m, o)
				for _, threads := range []int{1, 3} {
					o.Threads = threads
					got, err := Cross(t.Context(), a, b, m, o)
					if err != nil {
						t.Fatal(err)
					}
					if fmt.Sprint(*got) != fmt.Sprint(*want) {
						t.Fatalf("%v, %v, %d threads:\n%v\nwant\n%v", m, find, threads, *got, *want)
					}
				}
			}
		}
	}
}

// With an inner radius the K nearest are those outside it, under any metric: on
// points with many ties, most of them inside, and duplicates.
func TestNearestInAnnulusIsByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 3))
	cloud := func(n, dim int) *neighbors.Points {
		cols := make([][]float64, dim)
		for i := range n {
			most := 4
			if i%3 == 0 {
				most = 40 // a few far ones
			}
			for j := range cols {
				cols[j] = append(cols[j], float64(r.IntN(most))/8+float64(j)) // distances of SkyDistance are not 0
			}
		}
		return points(t, cols...)
	}
	for name, c := range map[string]struct {
		metric neighbors.Metric
		dim    int
		unit   float64
	}{
		"line":         {neighbors.Euclidean(), 1, 1},
		"plane":        {neighbors.Euclidean(), 2, 1},
		"space":        {neighbors.Euclidean(), 3, 1},
		"scaled":       {neighbors.Euclidean().Scaled(0.5, 2), 2, 1},
		"sky":          {neighbors.Sky(), 2, neighbors.Degree},
		"sky and more": {neighbors.Sky().Scaled(neighbors.Degree, 1), 3, 1},
		"sky-distance": {neighbors.SkyDistance(), 3, 0.5},
		"periodic":     {neighbors.Periodic(6, 0), 2, 1},
	} {
		a, b := cloud(50, c.dim), cloud(70, c.dim)
		for _, o := range []Options{
			{K: 1, Min: 0.125}, {K: 2, Min: 0.25, Radius: 0.75}, {K: 5, Min: 0.5}, {K: 70, Min: 0.25}, {K: 1, Min: 1, Radius: 1.5}, {K: 3, Min: 1e6},
			{K: 2, Min: 0.25, ErrorB: slices.Repeat([]float64{0.5 * c.unit}, 70)},
		} {
			o.Min, o.Radius = o.Min*c.unit, o.Radius*c.unit
			for o.Find = Best; o.Find <= All; o.Find++ {
				var seen atomic.Int64
				o.Progress = func(rows int64) { seen.Add(rows) }
				got, err := Cross(t.Context(), a, b, c.metric, o)
				if err != nil {
					t.Fatal(name, err)
				}
				if want := reference(t, a, b, c.metric, o); fmt.Sprint(*got) != fmt.Sprint(*want) {
					t.Fatalf("%s, K %d from %v to %v, %v:\n%v\nwant\n%v", name, o.K, o.Min, o.Radius, o.Find, *got, *want)
				}
				if seen.Load() != 50 {
					t.Errorf("%s: progress of %d rows, there are 50", name, seen.Load())
				}
			}
		}
	}
}

// Foresee has the pairs of the sample, whichever of them are matches, and an
// error of it ends the run.
func TestForesee(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	a, b := lattice(t, r, 60), lattice(t, r, 45)
	o := Options{Radius: 0.375, Min: 0.125, Find: All}
	all, err := Cross(t.Context(), a, b, neighbors.Euclidean(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Sample = []uint32{3, 17, 58}
	var want []Pair
	for _, p := range all.Pairs {
		if slices.Contains(o.Sample, p.A) {
			want = append(want, p)
		}
	}
	stop := errors.New("too many")
	for _, o.Find = range []Find{Best, Best2, All} {
		for _, end := range []error{nil, stop} {
			var got []Pair
			o.Foresee = func(pairs []Pair) error { got = pairs; return end }
			if _, err := Cross(t.Context(), a, b, neighbors.Euclidean(), o); err != end {
				t.Errorf("%v: %v, want %v", o.Find, err, end)
			}
			if !slices.Equal(got, want) || len(want) < 6 {
				t.Errorf("%v: %v, want %v", o.Find, got, want)
			}
		}
	}
}

func TestCrossAtTheEdges(t *testing.T) {
	arcsec := math.Pi / 180 / 3600
	for name, c := range map[string]struct{ a, b [2]float64 }{
		"RA 0":       {[2]float64{359.9999, 10}, [2]float64{-719.9999, 10}},
		"north pole": {[2]float64{0, 89.9999}, [2]float64{180, 89.9999}},
		"south pole": {[2]float64{10, -90}, [2]float64{200, -90}},
		"any range":  {[2]float64{725, 3}, [2]float64{5, 3}},
	} {
		a, b := points(t, []float64{c.a[0]}, []float64{c.a[1]}), points(t, []float64{c.b[0]}, []float64{c.b[1]})
		r, err := Cross(t.Context(), a, b, neighbors.Sky(), Options{Radius: arcsec})
		if err != nil || len(r.Pairs) != 1 {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	none := points(t, []float64{}, []float64{})
	one := points(t, []float64{1}, []float64{2})
	for _, side := range [][2]*neighbors.Points{{none, one}, {one, none}, {none, none}} {
		if r, err := Cross(t.Context(), side[0], side[1], neighbors.Sky(), Options{Radius: arcsec}); err != nil || len(r.Pairs) != 0 {
			t.Errorf("%d and %d rows: %v, %v", side[0].Len(), side[1].Len(), r, err)
		}
	}
}

func TestCrossRefuses(t *testing.T) {
	p := points(t, []float64{1, 2})
	for _, o := range []Options{
		{}, {Radius: -1}, {Radius: math.NaN()}, {Radius: 1, Min: 2}, {Radius: 1, Min: math.NaN()}, {K: -1}, {Find: 9, Radius: 1},
		{ErrorA: []float64{1}}, {ErrorB: []float64{1, -1}}, {ErrorB: []float64{1, math.Inf(1)}}, {Radius: 1, Sample: []uint32{2}},
		{Radius: 1, Combined: 2}, {Radius: 1, Sigmas: -1}, {Radius: 1, Sigmas: math.Inf(1)}, {Radius: 1, Sigmas: math.NaN()},
	} {
		if _, err := Cross(t.Context(), p, p, neighbors.Euclidean(), o); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	same := points(t, make([]float64, 2000))
	_, err := Cross(t.Context(), same, same, neighbors.Euclidean(), Options{Find: All, Radius: 1, Memory: 16 << 20})
	if !errors.Is(err, neighbors.ErrMemory) {
		t.Errorf("4,000,000 pairs in 16 MiB: %v", err)
	}
	if _, err := ParseFind("closest"); !errors.Is(err, neighbors.ErrRequest) {
		t.Error(err)
	}
}

func TestCombine(t *testing.T) {
	matches := []Row{{1, 5, .5}, {1, 6, .25}, {3, 0, 1}}
	rows := func(v ...int64) func(func(int64) bool) { return slices.Values(v) }
	for name, want := range map[string]string{
		"1and2": "[{1 5 0.5} {1 6 0.25} {3 0 1}]",
		"1or2":  "[{0 -1 NaN} {1 5 0.5} {1 6 0.25} {3 0 1} {4 -1 NaN} {-1 4 NaN} {-1 7 NaN}]",
		"all1":  "[{0 -1 NaN} {1 5 0.5} {1 6 0.25} {3 0 1} {4 -1 NaN}]",
		"all2":  "[{1 5 0.5} {1 6 0.25} {3 0 1} {-1 4 NaN} {-1 7 NaN}]",
		"1not2": "[{0 -1 NaN} {4 -1 NaN}]",
		"2not1": "[{-1 4 NaN} {-1 7 NaN}]",
	} {
		j, err := ParseJoin(name)
		if err != nil || j.String() != name {
			t.Errorf("%s: %v", name, err)
		}
		if got := fmt.Sprint(Combine(j, matches, rows(0, 1, 3, 4), rows(0, 4, 5, 6, 7))); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if _, err := ParseJoin("1xor2"); !errors.Is(err, neighbors.ErrRequest) {
		t.Error(err)
	}
}

// The path moved is the proper motion times the time, everywhere on the sky,
// and the direction moved is that of the motion.
func TestPropagate(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		ra, dec := r.Float64()*360, math.Asin(2*r.Float64()-1)*180/math.Pi
		pmra, pmdec, years := r.NormFloat64()*1000, r.NormFloat64()*1000, r.NormFloat64()*30
		ra2, dec2, moved, err := Propagate([]float64{ra}, []float64{dec}, []float64{pmra}, []float64{pmdec}, []float64{years})
		if err != nil || moved != 1 {
			t.Fatal(moved, err)
		}
		ruler, err := neighbors.NewRuler(neighbors.Sky(), points(t, []float64{ra}, []float64{dec}), points(t, ra2, dec2))
		if err != nil {
			t.Fatal(err)
		}
		want := math.Atan(math.Hypot(pmra, pmdec) * math.Abs(years) / masPerRadian)
		if got := ruler.Distance(0, 0); math.Abs(got-want) > 2e-15 {
			t.Fatalf("from (%v, %v) by (%v, %v) in %v years: %v rad, want %v", ra, dec, pmra, pmdec, years, got, want)
		}
		if (dec2[0] > dec) != (pmdec*years > 0) && math.Abs(pmdec) > 100 && math.Abs(dec) < 80 {
			t.Fatalf("dec %v went to %v by %v in %v years", dec, dec2[0], pmdec, years)
		}
	}
	nan := math.NaN()
	ra, dec, moved, err := Propagate([]float64{-10, 370, 5}, []float64{1, 2, 3}, []float64{0, nan, 5}, []float64{0, 1, 5}, []float64{9, 9, 0})
	if err != nil || moved != 0 || !slices.Equal(ra, []float64{-10, 370, 5}) || !slices.Equal(dec, []float64{1, 2, 3}) {
		t.Errorf("rows that stay: %v, %v, %d, %v", ra, dec, moved, err)
	}
	if _, _, _, err := Propagate([]float64{1}, nil, nil, nil, nil); !errors.Is(err, neighbors.ErrRequest) {
		t.Error(err)
	}
}

// BenchmarkCross matches 2.4 million stars of a cone with 120,000 of them
// within 1 arcsec, index and all.
func BenchmarkCross(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	n, few := 2_400_000, 120_000
	ra, dec := make([]float64, n), make([]float64, n)
	for i := range n {
		ra[i], dec[i] = 280+20*r.Float64(), -10+20*r.Float64()
	}
	ra2, dec2 := make([]float64, few), make([]float64, few)
	for i := range few {
		ra2[i], dec2[i] = ra[i*20]+1e-4*r.NormFloat64(), dec[i*20]+1e-4*r.NormFloat64()
	}
	big, small := points(b, ra, dec), points(b, ra2, dec2)
	for _, c := range []struct {
		name string
		a, b *neighbors.Points
	}{{"many x few", big, small}, {"few x many", small, big}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				res, err := Cross(b.Context(), c.a, c.b, neighbors.Sky(), Options{Radius: math.Pi / 180 / 3600})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(res.Pairs)), "matches")
			}
		})
	}
}

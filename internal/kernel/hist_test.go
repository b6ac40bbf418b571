package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// spacings are squared edges of the kinds that users ask for, and worse.
func spacings(r *rand.Rand) map[string][]float64 {
	linear := func(from, to float64, n int) []float64 {
		var e []float64
		for i := range n + 1 {
			e = append(e, SquaredEdge(from+(to-from)*float64(i)/float64(n)))
		}
		return e
	}
	log := func(from, to float64, n int) []float64 {
		var e []float64
		for i := range n + 1 {
			e = append(e, SquaredEdge(from*math.Pow(to/from, float64(i)/float64(n))))
		}
		return e
	}
	var random []float64
	for range 2 + r.IntN(30) {
		random = append(random, 3*r.Float64())
	}
	slices.Sort(random)
	var many []float64
	for i := range 3000 {
		many = append(many, float64(i)/1000)
	}
	return map[string][]float64{
		"linear":   linear(0, 1.5, 100),
		"offset":   linear(0.7, 3, 7),
		"fine":     linear(0, 1.2, 1900),
		"log":      log(0.01, 2, 20),
		"wide log": log(1e-160, 1e100, 60),
		"lattice":  {0, 1, 2, 3, 5, 8, 9},
		"one":      {1, 2},
		"zero":     {0, 0, 1, 1, 4},
		"equal":    {4, 4},
		"close":    {1, math.Nextafter(1, 2), 2, math.Nextafter(2, 3)},
		"random":   random,
		"many":     many,
	}
}

// countBins is the histogram by searching the edges.
func countBins(edges []float64, pairs []float64) (bins []uint64, under, over uint64) {
	bins = make([]uint64, len(edges)-1)
	for _, d2 := range pairs {
		// NaN is beyond them all.
		switch n := sort.Search(len(edges), func(i int) bool { return edges[i] > d2 }); n {
		case 0:
			under++
		case len(edges):
			over++
		default:
			bins[n-1]++
		}
	}
	return bins, under, over
}

func (s *scene) allSquares() []float64 {
	var all []float64
	for i := s.lo; i < s.hi; i++ {
		for _, r := range s.runs {
			for j := int(r.Lo); j < int(r.Hi); j++ {
				all = append(all, squaredDistance(s.q, i, s.d, j))
			}
		}
	}
	return all
}

func checkHist(t *testing.T, h *Histogram, edges, pairs []float64) {
	t.Helper()
	bins, under, over := h.Counts()
	wantBins, wantUnder, wantOver := countBins(edges, pairs)
	if !slices.Equal(bins, wantBins) || under != wantUnder || over != wantOver {
		t.Fatalf("edges² %g: got %d, %d under, %d over; want %d, %d, %d", edges, bins, under, over, wantBins, wantUnder, wantOver)
	}
}

func mustBins(t *testing.T, edges []float64) *Bins {
	t.Helper()
	b, err := NewBins(edges)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestHist(t *testing.T) {
	everyTier(t, func(t *testing.T, k *Funcs, dim int) {
		r := rand.New(rand.NewPCG(12, uint64(dim)))
		for _, edges := range spacings(r) {
			b := mustBins(t, edges)
			for _, place := range coordinates {
				h := NewHistogram(b)
				var pairs []float64
				for range 12 {
					s := randomScene(r, dim, place)
					k.Hist(s.q, s.lo, s.hi, 0, s.d, s.runs, h)
					pairs = append(pairs, s.allSquares()...)

					// The same block, each pair of it once.
					s.q, s.lo, s.hi, s.runs = s.d, s.d.N/4, s.d.N/2, []Run{{uint32(s.d.N - s.d.N/5), uint32(s.d.N)}}
					end := s.hi + s.d.N/6
					k.Hist(s.d, s.lo, s.hi, end, s.d, s.runs, h)
					pairs = append(pairs, s.allSquares()...)
					for i := s.lo; i < s.hi; i++ {
						for j := i + 1; j < end; j++ {
							pairs = append(pairs, squaredDistance(s.d, i, s.d, j))
						}
					}
				}
				checkHist(t, h, edges, pairs)
			}
		}
	})
}

// TestHistManyCandidates has more candidates than one call of the assembly
// takes, for the queries together and for each.
func TestHistManyCandidates(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	p := fenced(2, 9000, r.Float64)
	edges := spacings(r)["linear"]
	b := mustBins(t, edges)
	for _, k := range All() {
		h := NewHistogram(b)
		s := &scene{q: p, d: p, lo: 3, hi: 40, runs: []Run{{5000, 5100}, {6000, 6300}}}
		k.Hist(p, s.lo, s.hi, 0, p, s.runs, h)
		pairs := s.allSquares()
		s = &scene{q: p, d: p, lo: 100, hi: 103, runs: []Run{{6000, 9000}}}
		k.Hist(p, s.lo, s.hi, 5000, p, s.runs, h)
		pairs = append(pairs, s.allSquares()...)
		for i := s.lo; i < s.hi; i++ {
			for j := i + 1; j < 5000; j++ {
				pairs = append(pairs, squaredDistance(p, i, p, j))
			}
		}
		checkHist(t, h, edges, pairs)
	}
}

// TestHistSmallCounters lets the 32-bit counters come to their end.
func TestHistSmallCounters(t *testing.T) {
	p := fenced(1, 100, func() float64 { return 0 })
	b := mustBins(t, []float64{0, 1})
	for _, k := range All() {
		h := NewHistogram(b)
		for range 3 {
			k.Hist(p, 0, 10, 0, p, []Run{{0, 100}}, h)
			if h.pending > 0 {
				h.pending = 1<<32 - 1 - 999
			}
		}
		if bins, _, _ := h.Counts(); bins[0] != 3000 {
			t.Errorf("%s: %d", k.Name, bins[0])
		}
	}
}

func TestNewBinsRefuses(t *testing.T) {
	for _, edges := range [][]float64{nil, {1}, {2, 1}, {-1, 1}, {math.NaN(), 1}, {0, math.NaN()}, {0, math.Inf(1)}} {
		if _, err := NewBins(edges); err == nil {
			t.Errorf("NewBins(%g) succeeds", edges)
		}
	}
}

func TestSquaredEdge(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	edges := []float64{0, 1, 1.7320508075688772, 5e-324, 1e-170, 1e-155, 1e154, 0.1, 3}
	for range 1000 {
		edges = append(edges, math.Ldexp(r.Float64(), r.IntN(400)-200))
	}
	for _, e := range edges {
		d2 := SquaredEdge(e)
		if math.Sqrt(d2) < e || d2 > 0 && math.Sqrt(math.Nextafter(d2, 0)) >= e {
			t.Errorf("SquaredEdge(%g) = %g is not the least", e, d2)
		}
	}
}

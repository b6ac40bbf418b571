package grid

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// measure returns the effort of a self-join in a shape, counted.
func measure(t *testing.T, cfg Config, s Source, sh shape) effort {
	t.Helper()
	cfg.shape = &sh
	g, err := NewGeometry(cfg, s, s).Build(context.Background(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	sweep := NewSweep(g, g)
	n := float64(s.Len())
	e := effort{held: n / float64(g.Cells()), windows: math.Pow(float64(2*sh.leading+1), float64(max(len(sh.dims)-1, 0)))}
	for cell := range g.Cells() {
		sweep.Visit(cell)
		own := float64(g.Start[cell+1]-g.Start[cell]) / n
		candidates := Points(sweep.Direct)
		e.candidates += own * float64(candidates)
		if candidates > 1 {
			e.some += own
			e.runs += own * float64(len(sweep.Direct))
		}
	}
	return e
}

// shapes returns all that choose looks at, but for those of very many windows.
func (s *sample) shapes() []shape {
	all := []shape{{leading: 1, last: 1}}
	for g := 1; g <= len(s.dims); g++ {
		for _, last := range []int{1, 2, 4, 8} {
			for leading := 1; leading <= 3 && (g > 1 || leading == 1) && math.Pow(float64(2*leading+1), float64(g-1)) < 400; leading++ {
				all = append(all, shape{append(s.dims[1:g:g], s.dims[0]), leading, last})
			}
		}
	}
	return all
}

// clumped returns points of which half are in clumps, of unequal sizes, of one
// unit's width in a cube of 100.
func clumped(r *rand.Rand, n, d int) Source {
	s := random(r, n, d, func() float64 { return 100 * r.Float64() })
	centres := random(r, 20, d, func() float64 { return 100 * r.Float64() })
	for i := range n / 2 {
		k := int(20 * r.Float64() * r.Float64())
		for j := range d {
			s.Columns[j].Float64[i] = centres.Columns[j].Float64[k] + r.NormFloat64()
		}
	}
	return s
}

// What a few sampled rows tell leads to a shape that takes little more than the
// best would, by what a join really looks at.
func TestChoiceOfEffort(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	const n = 2000
	for _, c := range []struct {
		d      int
		radius [3]float64 // for about 1, 10 and 100 neighbours
	}{{2, [3]float64{1.26, 4, 12.9}}, {4, [3]float64{10, 18, 33}}, {6, [3]float64{23, 34, 52}}} {
		even := random(r, n, c.d, func() float64 { return 100 * r.Float64() })
		steep := random(r, n, c.d, func() float64 { return 10 * r.ExpFloat64() })
		for name, s := range map[string]Source{"even": even, "steep": steep, "clumped": clumped(r, n, c.d)} {
			for _, radius := range c.radius {
				if name != "even" {
					radius /= 4
				}
				t.Run(fmt.Sprintf("%s/%dD/%v", name, c.d, radius), func(t *testing.T) {
					cfg := Config{Radius: radius}
					least, most := bounds(1, s, s)
					sample := take(&cfg, s, s, least, most)
					best := math.Inf(1)
					for _, sh := range sample.shapes() {
						best = min(best, measure(t, cfg, s, sh).time(vectorPair, c.d))
					}
					sh := sample.choose(vectorPair)
					if got := measure(t, cfg, s, sh).time(vectorPair, c.d); got > 1.2*best {
						t.Errorf("%+v takes %.0f ns a query, the best shape %.0f", sh, got, best)
					}
				})
			}
		}
	}
}

// Few rows in six dimensions with hardly any neighbours: most cells around a row
// are empty, and looking there costs more than the rows in fewer, larger cells.
// The grid that was chosen had 16,807 windows for each cell, one for each row.
func TestFewRowsInManyDimensions(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	s := random(r, 20_000, 6, func() float64 { return 100 * r.Float64() })
	cfg := Config{Radius: 11.6}
	least, most := bounds(1, s, s)
	sample := take(&cfg, s, s, least, most)
	sh := sample.choose(vectorPair)
	e := measure(t, cfg, s, sh)
	if looks := e.candidates + e.windows/e.held; looks > 1000 {
		t.Errorf("%+v looks at %.0f candidates and windows for a row", sh, looks)
	}
	// No more than a few pairs of each row are sampled for it.
	if pairs := sampleSize(s.Len()) * sampleSize(s.Len()); pairs > 8*s.Len() {
		t.Errorf("%d pairs of %d rows are sampled", pairs, s.Len())
	}
}

// A few rows are compared without a look at where they are, unless pairs wrap,
// which takes longer.
func TestFewPairsHaveNoCells(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		n    int
		side []float64
		want bool
	}{{300, nil, false}, {400, nil, true}, {300, []float64{1, 1}, true}} {
		s := random(r, c.n, 2, r.Float64)
		if g := NewGeometry(Config{Radius: .01, Side: c.side}, s, s); (len(g.axes) > 0) != c.want {
			t.Errorf("%d rows, sides %v: %v", c.n, c.side, g)
		}
	}
}

// A periodic axis without cells makes every pair one to be compared by its nearest
// image, which takes many times as long.
func TestPeriodicAxesHaveCells(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	s := random(r, 20_000, 3, func() float64 { return 100 * r.Float64() })
	if g := NewGeometry(Config{Radius: 5, Side: []float64{100, 100, 100}}, s, s); g.AllWrap() {
		t.Errorf("%v leaves out an axis", g)
	}
}

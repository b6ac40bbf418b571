package stats2b

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"skyjoin/internal/piece"
	"skyjoin/neighbors"
)

// The pieces of a catalog, each of which sees all rows of the others, add up to the
// tally of the whole: with weights of either sign, with patches, by (rp, π), and
// where some are empty.
func TestPiecesAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	bins, err := LogBins(0.05, 0.6, 7)
	if err != nil {
		t.Fatal(err)
	}
	across, err := LinearBins(0, 0.3, 4)
	if err != nil {
		t.Fatal(err)
	}
	const patches = 4
	const n, parts = 300, 5
	draw := func(weighted bool) (*Sample, []int) {
		cols := make([]neighbors.Column, 3)
		for j := range cols {
			v := make([]float64, n)
			for i := range v {
				v[i] = float64(rng.IntN(40)) / 40
			}
			cols[j] = neighbors.Float64s(v)
		}
		p, err := neighbors.NewPoints(cols...)
		if err != nil {
			t.Fatal(err)
		}
		s := &Sample{Points: p}
		s.Patch = make([]int32, n)
		for i := range s.Patch {
			s.Patch[i] = int32(rng.IntN(patches))
		}
		part := make([]int, n)
		for i := range part {
			part[i] = rng.IntN(parts - 1) // the last is empty
		}
		if weighted {
			s.Weights = make([]float64, n)
			for i := range s.Weights {
				s.Weights[i] = rng.NormFloat64() * float64(1+9999*rng.IntN(2))
			}
		}
		return s, part
	}
	pick := func(s *Sample, part []int, is func(k int) bool) *Sample {
		var rows []uint32
		o := &Sample{Largest: s.largest()}
		for i, k := range part {
			if is(k) {
				rows = append(rows, uint32(i))
				o.Patch = append(o.Patch, s.Patch[i])
				if s.Weights != nil {
					o.Weights = append(o.Weights, s.Weights[i])
				}
			}
		}
		if o.Points = s.Points.Subset(rows); s.Weights != nil && o.Weights == nil {
			o.Weights = []float64{}
		}
		return o
	}
	for k, w := range [][2]bool{{}, {true, true}, {true, false}, {}, {true, true}} {
		binning, patches := Binning{Bins: bins}, patches*min(k, 1)
		if k > 2 {
			binning.Plane, binning.Across = RpPi, across
		}
		a, partA := draw(w[0])
		b, partB := draw(w[1])
		var self, cross *piece.Pairs
		for k := range parts {
			own := pick(a, partA, func(p int) bool { return p == k })
			s, err := countPiece(t.Context(), own, pick(a, partA, func(p int) bool { return p != k }), neighbors.Euclidean(), binning, patches, Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			c, err := countCrossPiece(t.Context(), own, b, pick(b, partB, func(p int) bool { return p == k }), neighbors.Euclidean(), binning, patches, Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			if self == nil {
				self, cross = s, c
				continue
			}
			if err := self.Add(s); err != nil {
				t.Fatal(err)
			}
			if err := cross.Add(c); err != nil {
				t.Fatal(err)
			}
		}
		whole := []piece.Whole{{Weighted: w[0], Largest: a.largest()}, {Weighted: w[1], Largest: b.largest()}}
		for name, c := range map[string]struct {
			b   *Sample
			sum *piece.Pairs
			of  []piece.Whole
		}{"self": {nil, self, whole[:1]}, "cross": {b, cross, whole}} {
			want, err := CountPatches(t.Context(), a, c.b, neighbors.Euclidean(), binning, patches, Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			got, err := tallyOf(c.sum, binning, patches, c.of)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, weights %v, %d patches: %+v, want %+v", name, w, patches, got.Counts(), want.Counts())
			}
			if n := want.Counts().Over; n == 0 || n == want.Counts().Total {
				t.Errorf("%s: %d of %d pairs beyond the bins: tests little", name, n, want.Counts().Total)
			}
		}
		if err := self.Add(cross); err == nil {
			t.Error("shares of different counts are added")
		}
	}
}

// A patching that is made again from its division gives every row its patch.
func TestDivisionsMakeTheirPatching(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 8))
	points := func(scale float64) *neighbors.Points {
		cols := make([]neighbors.Column, 2)
		for j := range cols {
			v := make([]float64, 500)
			for i := range v {
				v[i] = scale * (rng.Float64() - 0.3)
			}
			cols[j] = neighbors.Float64s(v)
		}
		p, err := neighbors.NewPoints(cols...)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, c := range map[string]struct {
		metric neighbors.Metric
		make   func(m neighbors.Metric, p *neighbors.Points) (*Patching, error)
	}{
		"kmeans":  {neighbors.Sky(), func(m neighbors.Metric, p *neighbors.Points) (*Patching, error) { return KMeansPatches(7, m, p, 3) }},
		"plane":   {neighbors.Euclidean(), func(m neighbors.Metric, p *neighbors.Points) (*Patching, error) { return KMeansPatches(5, m, p, 3) }},
		"healpix": {neighbors.Sky(), func(m neighbors.Metric, p *neighbors.Points) (*Patching, error) { return PixelPatches(2, m, p) }},
		"cells":   {neighbors.Periodic(50, 0), func(m neighbors.Metric, p *neighbors.Points) (*Patching, error) { return CellPatches(4, m, p) }},
	} {
		p := points(100)
		made, err := c.make(c.metric, p)
		if err != nil {
			t.Fatal(name, err)
		}
		text, err := json.Marshal(made.Division())
		if err != nil {
			t.Fatal(name, err)
		}
		var d Division
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatal(name, err)
		}
		again, err := d.Patching(c.metric)
		if err != nil {
			t.Fatal(name, err)
		}
		want, err := made.Assign(p, 1)
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := again.Assign(p, 2)
		if err != nil {
			t.Fatal(name, err)
		}
		if made.Len() < 3 || again.Len() != made.Len() || !slices.Equal(got, want) {
			t.Errorf("%s: %d patches, %d from the division %s", name, made.Len(), again.Len(), text)
		}
	}
	if _, err := (Division{Kind: "column"}).Patching(neighbors.Sky()); err == nil {
		t.Error("an unknown kind of patches is taken")
	}
}

// Pairs of which one row at most has a weight weigh nothing, to the last bit,
// and what is divided by them is no number.
func TestPairsWithOneWeightWeighNothing(t *testing.T) {
	p := line(.5, 1, 1.75, 2)
	for _, w := range []float64{0.5087965794, 0.04879094, 0.71860514, 1e-3, -3, math.Pi} {
		s := &Sample{Points: p.Points, Weights: []float64{0, w, 0, 0}, Patch: []int32{0, 1, 1, 0}}
		rr, err := CountPatches(t.Context(), s, nil, neighbors.Euclidean(), Binning{Bins: must(EdgeBins(.1, 1, 3))}, 2, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for what, c := range map[string]*Counts{"all": rr.Counts(), "without patch 0": rr.Without(0), "without patch 1": rr.Without(1)} {
			if c.TotalWeight != 0 || math.Signbit(c.TotalWeight) || !math.IsNaN(c.Normalised(0)) {
				t.Errorf("weight %v, %s: the pairs weigh %v, a bin has %v of them", w, what, c.TotalWeight, c.Normalised(0))
			}
		}
	}
}

// The weight of all pairs keeps its digits where one row has nearly all of it.
func TestWeightOfPairsDoesNotCancel(t *testing.T) {
	s := &Sample{Points: line(1, 2, 3).Points, Weights: []float64{1 << 20, 1. / (1 << 20), 1. / (1 << 21)}}
	c, err := Count(t.Context(), s, nil, neighbors.Euclidean(), must(EdgeBins(0, 5)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + .5 + 1./(1<<41); c.TotalWeight != want {
		t.Errorf("%v, want %v", c.TotalWeight, want)
	}
}

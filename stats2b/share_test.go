package stats2b

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// The shares of parts, each of which sees all rows of the others, add up to the
// tally of the whole: with weights of either sign, with patches, by (rp, π), and
// with empty parts.
func TestSharesAddUp(t *testing.T) {
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
		var self, cross *Share
		for k := range parts {
			own := pick(a, partA, func(p int) bool { return p == k })
			s, err := CountShare(t.Context(), own, pick(a, partA, func(p int) bool { return p != k }), neighbors.Euclidean(), binning, patches, Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			c, err := CountCrossShare(t.Context(), own, b, pick(b, partB, func(p int) bool { return p == k }), neighbors.Euclidean(), binning, patches, Options{Threads: 1})
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
		whole := []Whole{{w[0], a.largest()}, {w[1], b.largest()}}
		for name, c := range map[string]struct {
			b   *Sample
			sum *Share
			of  []Whole
		}{"self": {nil, self, whole[:1]}, "cross": {b, cross, whole}} {
			want, err := CountPatches(t.Context(), a, c.b, neighbors.Euclidean(), binning, patches, Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.sum.Tally(binning, patches, c.of...)
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

// One row makes no pairs, whatever its weight: the sum of the weights squared,
// rounded, need not equal the rounded square.
func TestOneWeightedRowHasNoPairs(t *testing.T) {
	p, err := neighbors.NewPoints(neighbors.Float64s([]float64{.5}))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []float64{0.5087965794, 0.04879094, 0.71860514, 1e-3, -3} {
		s := &Sample{Points: p, Weights: []float64{w}}
		all, err := s.masses(0)
		if err != nil {
			t.Fatal(err)
		}
		if got := all[0].weight(nil); got != 0 {
			t.Errorf("weight %v: the pairs weigh %v", w, got)
		}
	}
}

package stats2b

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"skyjoin/internal/jointest"
	"skyjoin/internal/piece"
)

// drawScene draws a scene of any legal request.
func drawScene(t *rapid.T) (scene, Options, *rand.Rand) {
	seed := rapid.Uint64().Draw(t, "seed")
	most := rapid.SampledFrom([]int{1, 2, 3, 8, 20, 20, 60, 60, 200, 200, 200, 600}).Draw(t, "most")
	rng := rand.New(rand.NewPCG(seed, 5))
	r := jointest.RandomRequest(seed, most)
	s := scene{metric: r.Input.Metric, a: &Sample{Points: r.Input.Query}}
	if r.Input.Data != nil {
		s.b = &Sample{Points: r.Input.Data}
	}
	reach := min(r.Radii[rng.IntN(len(r.Radii))], 1.3e154)
	if s.metric.IsAngle() {
		reach = min(reach, 1.5) // beyond, d² does not tell angles apart
	}
	drawBins := func(reach float64) Bins {
		for {
			b, err := Bins{}, error(nil)
			n := 1 + rng.IntN(30)
			if most <= 20 && rng.IntN(8) == 0 {
				n = 2100 // more than there are tables of
			}
			switch rng.IntN(3) {
			case 0:
				b, err = LinearBins(reach*float64(rng.IntN(2))*rng.Float64(), reach, n)
			case 1:
				b, err = LogBins(reach*math.Pow(10, -4*rng.Float64()), reach, n)
			default:
				e := []float64{reach}
				for range n {
					e = append(e, reach*rng.Float64())
				}
				for _, r := range r.Radii {
					if r < reach {
						e = append(e, r)
					}
				}
				slices.Sort(e)
				b, err = EdgeBins(slices.Compact(e)...)
			}
			if err == nil {
				return b
			}
			if reach < 1e-300 {
				return must(EdgeBins(0, reach)) // no numbers between
			}
		}
	}
	s.binning.Bins = drawBins(reach)
	if dim := s.a.Points.Dim(); dim == 3 && s.metric.PositionColumns() != 2 && rng.IntN(2) == 0 {
		s.binning.Plane = []Plane{RpPi, SMu}[rng.IntN(2)]
		s.binning.Axis = rng.IntN(4)
		if s.metric.String() == "periodic" {
			s.binning.Axis = 1 + rng.IntN(3)
		}
		if s.binning.Plane == SMu {
			s.binning.Across = must(LinearBins(0, []float64{1, .5}[rng.IntN(2)], 1+rng.IntN(7)))
		} else {
			each := reach * .7
			if s.metric.String() == "periodic" {
				each = reach // rp and π may be farther together
			}
			s.binning.Bins, s.binning.Across = drawBins(each), drawBins(each)
			if s.binning.Cells() > 1000 {
				s.binning.Across = must(EdgeBins(0, each))
			}
		}
	}
	s.binning.Means = rng.IntN(4) == 0
	size := [2]float64{1, 1}
	for i, x := range []*Sample{s.a, s.b} {
		if x == nil || rng.IntN(2) == 0 {
			continue
		}
		size[i] = []float64{1, 1, 1, 0x1p-400, 0x1p400}[rng.IntN(5)]
		x.Weights = []float64{}
		for range x.Points.Len() {
			w := []float64{2*rng.Float64() - 1, float64(rng.IntN(9)) / 8, 0, 1}[rng.IntN(4)]
			x.Weights = append(x.Weights, w*size[i])
		}
		if rng.IntN(6) == 0 {
			clear(x.Weights)
		}
	}
	if s.size = size[0] * size[1]; s.b == nil {
		s.size = size[0] * size[0]
	}
	if rng.IntN(2) == 0 {
		s.patches = 1 + rng.IntN(5)
		s.a.Patch = patchNumbers(rng, s.a.Points.Len(), s.patches)
		if s.b != nil {
			s.b.Patch = patchNumbers(rng, s.b.Points.Len(), s.patches)
		}
	}
	s.name = fmt.Sprintf("%v, bins %v, plane %d axis %d across %v, weights %v, means %v, patches %d", r, s.binning.Bins.edges, s.binning.Plane, s.binning.Axis, s.binning.Across.edges, s.a.Weights != nil, s.binning.Means, s.patches)
	return s, Options{Threads: 1 + rng.IntN(3)}, rng
}

// Whatever legal request comes, its counts, weights and mean separations are
// those of all pairs one by one.
func TestRandomCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, opt, rng := drawScene(t)
		got, err := CountPatches(context.Background(), s.a, s.b, s.metric, s.binning, s.patches, opt)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		c := got.Counts()
		checkCounts(t, s, c, brute(t, s, -1))
		if s.patches > 1 {
			drop := rng.IntN(s.patches)
			checkCounts(t, s, got.Without(drop), brute(t, s, int32(drop)))
		}
		if !s.binning.Means || s.binning.Plane == RpPi { // whose means are of rp
			return
		}
		want := bruteMeans(t, s)
		for i, m := range c.MeanSeparation(s.binning.Cells()) {
			if c.Pairs[i] == 0 && m == m || c.Pairs[i] > 0 && !(math.Abs(m-want[i]) <= 1e-14*s.binning.Bins.Edge(s.binning.Bins.Len())+5e-324) {
				t.Fatalf("%s: mean %v of %d pairs in cell %d, want %v", s.name, m, c.Pairs[i], i, want[i])
			}
		}
	})
}

// The shares of parts add up to the tally of the whole.
func TestRandomShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, opt, rng := drawScene(t)
		want, err := CountPatches(context.Background(), s.a, s.b, s.metric, s.binning, s.patches, opt)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		const parts = 3
		deal := func(x *Sample) (part []int) {
			for range x.Points.Len() {
				part = append(part, rng.IntN(parts))
			}
			return part
		}
		pick := func(x *Sample, is func(row int) bool) *Sample {
			p := &Sample{Largest: x.largest()}
			var rows []uint32
			if x.Weights != nil {
				p.Weights = []float64{}
			}
			for i := range x.Points.Len() {
				if !is(i) {
					continue
				}
				rows = append(rows, uint32(i))
				if x.Patch != nil {
					p.Patch = append(p.Patch, x.Patch[i])
				}
				if x.Weights != nil {
					p.Weights = append(p.Weights, x.Weights[i])
				}
			}
			p.Points = x.Points.Subset(rows)
			return p
		}
		whole := []piece.Whole{{Weighted: s.a.Weights != nil, Largest: s.a.largest()}}
		partA := deal(s.a)
		var partB []int
		if s.b != nil {
			whole = append(whole, piece.Whole{Weighted: s.b.Weights != nil, Largest: s.b.largest()})
			partB = deal(s.b)
		}
		var sum *piece.Pairs
		for k := range parts {
			own := pick(s.a, func(row int) bool { return partA[row] == k })
			var share *piece.Pairs
			if s.b == nil {
				share, err = countPiece(context.Background(), own, pick(s.a, func(row int) bool { return partA[row] != k }), s.metric, s.binning, s.patches, opt)
			} else {
				share, err = countCrossPiece(context.Background(), own, s.b, pick(s.b, func(row int) bool { return partB[row] == k }), s.metric, s.binning, s.patches, opt)
			}
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			if sum == nil {
				sum = share
			} else if err := sum.Add(share); err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
		}
		got, err := tallyOf(sum, s.binning, s.patches, whole)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		g, w := got.Counts(), want.Counts()
		if !slices.Equal(g.Pairs, w.Pairs) || !slices.Equal(g.Weights, w.Weights) || g.Under != w.Under || g.Over != w.Over || g.TotalWeight != w.TotalWeight {
			t.Fatalf("%s: pieces make %+v, want %+v", s.name, g, w)
		}
		gm, wm := g.MeanSeparation(s.binning.Cells()), w.MeanSeparation(s.binning.Cells())
		if !slices.EqualFunc(gm, wm, func(x, y float64) bool { return x == y || x != x && y != y }) {
			t.Fatalf("%s: pieces make means %v, want %v", s.name, gm, wm)
		}
	})
}

// Densities are the sums over all pairs.
func TestRandomDensities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, opt, rng := drawScene(t)
		kernel := []Kernel{TopHat, Linear, Epanechnikov, Quartic}[rng.IntN(4)]
		bandwidth := s.binning.Bins.Edge(s.binning.Bins.Len())
		got, err := Density(context.Background(), s.a, s.b, s.metric, kernel, bandwidth, opt)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		p, b := s.plan(t)
		for i := range s.a.Points.Len() {
			sum := new(big.Rat)
			for j := range b.Points.Len() {
				u := p.Distance(uint32(i), uint32(j)) / bandwidth
				if s.b == nil && i == j || u >= 1 {
					continue
				}
				term := new(big.Rat).SetFloat64(kernel.of(u))
				if b.Weights != nil {
					term.Mul(term, new(big.Rat).SetFloat64(b.Weights[j]))
				}
				sum.Add(sum, term)
			}
			if want, _ := sum.Float64(); !closeTo(got[i], want, b.largest()*float64(b.Points.Len())) {
				t.Fatalf("%s: density of row %d is %v, want %v", s.name, i, got[i], want)
			}
		}
	})
}

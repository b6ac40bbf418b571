package stats2b

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"skyjoin/neighbors"
)

// The shares of parts, each of which sees all rows of the others, add up to the
// counts of the whole: with weights of either sign, and with empty parts.
func TestSharesAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	bins, err := LogBins(0.05, 0.6, 7)
	if err != nil {
		t.Fatal(err)
	}
	const n, parts = 300, 5
	draw := func(weighted bool) (*Sample, []int) {
		cols := make([]neighbors.Column, 2)
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
	for _, w := range [][2]bool{{}, {true, true}, {true, false}} {
		a, partA := draw(w[0])
		b, partB := draw(w[1])
		var self, cross *Share
		for k := range parts {
			own := pick(a, partA, func(p int) bool { return p == k })
			s, err := CountShare(t.Context(), own, pick(a, partA, func(p int) bool { return p != k }), neighbors.Euclidean(), bins, Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			c, err := CountCrossShare(t.Context(), own, b, pick(b, partB, func(p int) bool { return p == k }), neighbors.Euclidean(), bins, Options{Threads: 1})
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
		for name, c := range map[string]struct {
			b        *Sample
			sum      *Share
			weighted []bool
		}{"self": {nil, self, w[:1]}, "cross": {b, cross, w[:]}} {
			want, err := Count(t.Context(), a, c.b, neighbors.Euclidean(), bins, Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.sum.Counts(bins, c.weighted...)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, weights %v: %+v, want %+v", name, w, got, want)
			}
		}
		if err := self.Add(cross); err == nil {
			t.Error("shares of different counts are added")
		}
	}
}

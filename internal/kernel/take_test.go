package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What is taken time after time adds up to the counts of one histogram.
func TestTakeEmptiesTheHistogram(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 300
	p := &Points{N: n, Dim: 2, Stride: n + Slack, Data: make([]float64, 2*(n+Slack)), ID: make([]uint32, n+Slack)}
	for i := range p.Data {
		p.Data[i] = rng.Float64()
	}
	bins, err := NewBins([]float64{0.01, 0.1, 0.3, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range All() {
		whole, parts, sum := NewHistogram(bins), NewHistogram(bins), make([]uint64, 3)
		for lo := 0; lo < n; lo += 100 {
			f.Hist(p, lo, lo+100, lo+100, p, []Run{{0, 50}}, whole)
			f.Hist(p, lo, lo+100, lo+100, p, []Run{{0, 50}}, parts)
			parts.Take(sum)
		}
		want, _, _ := whole.Counts()
		if left, under, over := parts.Counts(); !slices.Equal(sum, want) || under != 0 || over != 0 || !slices.Equal(left, []uint64{0, 0, 0}) {
			t.Errorf("%s: took %v, want %v; %v, %d, %d left", f.Name, sum, want, left, under, over)
		}
	}
}

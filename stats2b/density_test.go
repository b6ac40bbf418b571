package stats2b

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

func TestDensityByHand(t *testing.T) {
	s := line(0, 1, 3, 7)
	s.Weights = []float64{1, 2, 5, 9}
	for _, c := range []struct {
		kernel Kernel
		want   []float64
	}{
		// A row at the bandwidth, as 7 is of 3, has no share.
		{TopHat, []float64{7, 6, 3, 0}},
		{Linear, []float64{2.75, 3.25, 1.25, 0}},
		{Epanechnikov, []float64{2*0.9375 + 5*0.4375, 0.9375 + 5*0.75, 0.4375 + 2*0.75, 0}},
		{Quartic, []float64{2*0.9375*0.9375 + 5*0.4375*0.4375, 0.9375*0.9375 + 5*0.75*0.75, 0.4375*0.4375 + 2*0.75*0.75, 0}},
	} {
		got, err := Density(t.Context(), s, nil, neighbors.Euclidean(), c.kernel, 4, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.kernel, got, c.want)
		}
	}
	if _, err := Density(t.Context(), s, nil, neighbors.Euclidean(), TopHat, 0, Options{}); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("a bandwidth of 0: %v", err)
	}
}

// The sums are those of all pairs, whatever the joiner and the threads.
func TestDensity(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	a, b := &Sample{Points: draw(rng, 300, 3, false, true)}, &Sample{Points: draw(rng, 200, 3, false, true)}
	b.Weights = weights(rng, 200, false)
	p := must(neighbors.Prepare(t.Context(), neighbors.Input{Query: a.Points, Data: b.Points}, neighbors.Within{Radius: 1}))
	want := must(Density(t.Context(), a, b, neighbors.Euclidean(), Quartic, 2.5, Options{Threads: 1}))
	for i := range want {
		var sum float64
		for j := range 200 {
			if u := p.Distance(uint32(i), uint32(j)) / 2.5; u < 1 {
				sum += b.Weights[j] * (1 - u*u) * (1 - u*u)
			}
		}
		if math.Abs(sum-want[i]) > 1e-12 {
			t.Errorf("row %d: %v, want %v", i, want[i], sum)
		}
	}
	for _, opt := range []Options{{Threads: 3}, {Joiner: neighbors.CPU{Threads: 1, Algorithm: neighbors.Scan}}} {
		if got := must(Density(t.Context(), a, b, neighbors.Euclidean(), Quartic, 2.5, opt)); !slices.Equal(got, want) {
			t.Errorf("%+v: other sums than on one thread", opt)
		}
	}
}

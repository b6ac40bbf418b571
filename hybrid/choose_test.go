package hybrid

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"skyjoin/neighbors"
)

// cloud returns n points that are even in a square of side 1.
func cloud(t *testing.T, n int) *neighbors.Points {
	t.Helper()
	return evenPoints(t, n, 2)
}

func plan(t *testing.T, p *neighbors.Points, q neighbors.Query) *neighbors.Plan {
	t.Helper()
	plan, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: p}, q)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestPairsAreEstimated(t *testing.T) {
	p := cloud(t, 20000)
	for _, radius := range []float64{0.1, 0.2, 0.3} {
		within := plan(t, p, neighbors.Within{Radius: radius})
		// Of the discs a part lies outside the square: 1 - 8r/(3π) + r²/(2π) is inside.
		inside := 1 - 8*radius/(3*math.Pi) + radius*radius/(2*math.Pi)
		want := math.Pi * radius * radius * inside * 20000 * 20000
		if got := pairs(within); math.Abs(got/want-1) > 0.05 {
			t.Errorf("radius %v: %.3g pairs, want %.3g", radius, got, want)
		}
	}
	if got := pairs(plan(t, cloud(t, 0), neighbors.Within{Radius: 1})); got != 0 {
		t.Errorf("%v pairs of no points", got)
	}
}

func TestSidesTakePartWhereThatHelps(t *testing.T) {
	small, large := cloud(t, 500), cloud(t, 200_000)
	for _, c := range []struct {
		name   string
		points *neighbors.Points
		query  neighbors.Query
		counts bool
		rates  Rates
		part   Partition
		want   int
	}{
		{"little to do", small, neighbors.Within{Radius: 0.01}, false, Rates{}, Adaptive, 1},
		{"many lists", large, neighbors.Within{Radius: 0.6}, false, Rates{}, Adaptive, 2},
		{"counts, which a GPU does at once", large, neighbors.Within{Radius: 0.02}, true, Rates{}, Adaptive, 1},
		{"measured alike", large, neighbors.Within{Radius: 0.02}, false, Rates{CPU: 2, GPU: 2}, Adaptive, 2},
		{"a hopeless CPU", large, neighbors.Within{Radius: 0.02}, false, Rates{CPU: 90, GPU: 2}, Adaptive, 1},
		{"a hopeless GPU", large, neighbors.Within{Radius: 0.02}, false, Rates{CPU: 2, GPU: 90}, Adaptive, 1},
		{"asked for", small, neighbors.Within{Radius: 0.01}, false, Rates{}, Dynamic, 2},
	} {
		j := &Joiner{CPU: neighbors.CPU{Threads: 16}, GPUs: []neighbors.Joiner{&standIn{}}, Partition: c.part, Rates: c.rates}
		chosen := j.choose(plan(t, c.points, c.query), j.sides(), c.counts)
		active, why := chosen.active, chosen.why
		if len(active) != c.want || (why == "") != (c.want == 2) {
			t.Errorf("%s: %d sides take part, %q", c.name, len(active), why)
		}
		if c.rates.GPU > c.rates.CPU && active[0].gpu || c.rates.CPU > c.rates.GPU && !active[0].gpu {
			t.Errorf("%s: %s is left", c.name, active[0].name())
		}
	}
}

func TestContrast(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		name      string
		dim       int
		draw      func() float64
		low, high float64
	}{
		{"even", 2, r.Float64, 0, 0.3},
		{"even in space", 3, r.Float64, 0, 0.4},
		{"even in 6 dimensions", 6, r.Float64, 0, 0.5},
		{"exponential", 2, r.ExpFloat64, 1, 3},
		{"exponential in 4 dimensions", 4, r.ExpFloat64, 2, 5.5},
		{"one place", 2, func() float64 { return 1 }, 0, 0},
		{"two places", 2, func() float64 { return float64(r.IntN(2)) }, 0, mostContrast},
	} {
		cols := make([]neighbors.Column, c.dim)
		for j := range cols {
			v := make([]float64, 20_000)
			for i := range v {
				v[i] = c.draw()
			}
			cols[j] = neighbors.Float64s(v)
		}
		p, err := neighbors.NewPoints(cols...)
		if err != nil {
			t.Fatal(err)
		}
		if got := contrast(plan(t, p, neighbors.Nearest{K: 5})); !(got >= c.low && got <= c.high) {
			t.Errorf("%s: %v, want %v to %v", c.name, got, c.low, c.high)
		}
	}
	if got := contrast(plan(t, cloud(t, 1), neighbors.Nearest{K: 1, Pad: true})); got != 0 {
		t.Errorf("one point: %v", got)
	}
}

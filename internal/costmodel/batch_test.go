package costmodel

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*max(math.Abs(b), 1e-12) }

// The worked example of the paper, §5.4.3: SW2DA at ε = 0.9.
func TestPublishedExample(t *testing.T) {
	const million = 1_000_000
	// T₂(150e6) = 0.4 s for each of 3 streams, θ = 0.015 s, T₁ = 6.039 s.
	a := Run{Batch: 150 * million, Batches: 30, Again: 6.039 + 0.015*30}
	b := Run{Batch: 50 * million, Batches: 89, Again: 6.039 + 0.015*89}
	a.First, b.First = a.Again+1.2, b.Again+0.4
	m, err := FitBatch(2, 0.9, a, b)
	if err != nil {
		t.Fatal(err)
	}
	if !near(m.Launch, 0.015, 1e-9) || !near(m.Join, 6.039, 1e-9) || !near(m.Pin*150*million, 1.2, 1e-9) {
		t.Errorf("θ %v, T₁ %v, 3·T₂ %v", m.Launch, m.Join, m.Pin*150*million)
	}
	for _, c := range []struct {
		epsilon float64
		batch   int64
		batches float64
		pin     float64
	}{
		{0.9, 150, 30, 1.2}, {0.9, 50, 90, 0.4}, {0.3, 25, 20, 0.2}, {1.5, 25, 500, 0.2}, {1.5, 100, 125, 0.8},
	} {
		n := m.NumBatches(c.epsilon, c.batch*million)
		want := 6.039*math.Pow(c.epsilon/0.9, 2) + 0.015*c.batches + c.pin
		if n != c.batches || !near(m.Seconds(c.epsilon, c.batch*million, false), want, 1e-9) || !near(m.Seconds(c.epsilon, c.batch*million, true), want-c.pin, 1e-9) {
			t.Errorf("ε %v, %d million: %v batches, %v s; want %v, %v s", c.epsilon, c.batch, n, m.Seconds(c.epsilon, c.batch*million, false), c.batches, want)
		}
	}
	// As measured there: small batches for small radii, large ones for large.
	published := []int64{25, 50, 75, 100, 125, 150}
	least := func(epsilon float64) (best int64) {
		for _, b := range published {
			if best == 0 || m.Seconds(epsilon, b*million, false) < m.Seconds(epsilon, best*million, false) {
				best = b
			}
		}
		return best
	}
	if least(0.3) >= least(1.5) || least(1.5) < 100 {
		t.Errorf("best batches of %d million at 0.3, %d million at 1.5", least(0.3), least(1.5))
	}
}

// Best is as good as the best of all batch sizes.
func TestBestBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &BatchModel{
			Dim: rapid.IntRange(1, 6).Draw(t, "dim"), Epsilon: 0.5,
			Batch:   rapid.Int64Range(1<<16, 1<<26).Draw(t, "batch"),
			Batches: rapid.IntRange(4, 200).Draw(t, "batches"),
			Join:    rapid.Float64Range(0, 2).Draw(t, "join"),
			Launch:  rapid.Float64Range(0, 0.02).Draw(t, "launch"),
			Pin:     rapid.Float64Range(0, 1e-8).Draw(t, "pin"),
		}
		epsilon := rapid.Float64Range(0.2, 1.5).Draw(t, "epsilon")
		lo, hi := int64(1<<16), int64(1<<27)
		const streams = 3
		got := m.Best(epsilon, lo, hi, streams)
		if got < lo || got > hi {
			t.Fatalf("%d is not in [%d, %d]", got, lo, hi)
		}
		if got > lo && m.NumBatches(epsilon, got) < streams {
			t.Fatalf("%v batches leave streams without work", m.NumBatches(epsilon, got))
		}
		if got < hi && m.NumBatches(epsilon, got) > mostBatches+1 {
			t.Fatalf("%v batches of %d are more than the model is good for", m.NumBatches(epsilon, got), got)
		}
		// θ·n_b + T₂·b, without the rounding of n_b.
		cost := func(b float64) float64 {
			return m.Launch*m.Volume(epsilon)*float64(m.Batches)*float64(m.Batch)/b + m.Pin*b
		}
		for b := lo; b <= hi; b += b / 8 {
			if n := m.NumBatches(epsilon, b); n > streams && n <= mostBatches && cost(float64(b)) < cost(float64(got))*(1-1e-6)-1e-12 {
				t.Fatalf("batches of %d cost %v, of %d %v", got, cost(float64(got)), b, cost(float64(b)))
			}
		}
	})
}

// What was put in comes out, whatever the noise leaves of it.
func TestFitBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		join := rapid.Float64Range(0.01, 10).Draw(t, "join")
		launch := rapid.Float64Range(0, 0.05).Draw(t, "launch")
		pin := rapid.Float64Range(0, 1e-8).Draw(t, "pin")
		run := func(batch int64) Run {
			n := int(math.Ceil(1e9 / float64(batch)))
			again := join + launch*float64(n)
			return Run{Batch: batch, Batches: n, Again: again, First: again + pin*float64(batch)}
		}
		m, err := FitBatch(3, 1, run(250e6), run(40e6))
		if err != nil {
			t.Fatal(err)
		}
		if !near(m.Join, join, 1e-6) || math.Abs(m.Launch-launch) > 1e-9 || math.Abs(m.Pin-pin) > 1e-14 {
			t.Fatalf("%+v, want %v, %v, %v", m, join, launch, pin)
		}
	})
	noisy, err := FitBatch(2, 1, Run{Batch: 1000, Batches: 2, First: 0.9, Again: 1}, Run{Batch: 100, Batches: 20, First: 0.7, Again: 0.8})
	if err != nil || noisy.Launch != 0 || noisy.Pin != 0 || noisy.Join != 1 {
		t.Errorf("times that fall with the batches: %+v, %v", noisy, err)
	}
	steep, err := FitBatch(2, 1, Run{Batch: 1000, Batches: 2, First: 0.1, Again: 0.1}, Run{Batch: 100, Batches: 4, First: 10, Again: 10})
	if err != nil || steep.Join < 0 {
		t.Errorf("times that rise fast: %+v, %v", steep, err)
	}
	for _, c := range [][2]Run{
		{{Batch: 1000, Batches: 2, Again: 1}, {Batch: 900, Batches: 2, Again: 1}},
		{{Batch: 0, Batches: 2, Again: 1}, {Batch: 900, Batches: 3, Again: 1}},
		{{Batch: 1000, Batches: 2, Again: 0}, {Batch: 900, Batches: 3, Again: 1}},
	} {
		if m, err := FitBatch(2, 1, c[0], c[1]); err == nil {
			t.Errorf("%+v is fitted by %+v", c, m)
		}
	}
	if _, err := FitBatch(2, math.NaN(), Run{Batch: 1000, Batches: 2, Again: 1}, Run{Batch: 100, Batches: 20, Again: 1}); err == nil {
		t.Error("a radius of NaN is fitted")
	}
}

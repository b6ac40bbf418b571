package dbscan

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// Clustering cell by cell obeys the axioms.
func TestCellAxioms(t *testing.T) {
	used := 0
	for seed := range uint64(400) {
		tr := newTrial(seed)
		tr.Cols = tr.Cols[:min(1+int(seed%3), len(tr.Cols))]
		tr.Weights = nil
		tr.Eps = []float64{.25, .5, 1, 2.5}[seed%4]
		for _, rule := range []Options{{}, {SkipPairs: true}, {SkipPairs: true, Star: true}, {Border: BorderNearest, Counts: true}} {
			opt := tr.options()
			opt.Star, opt.Border, opt.Counts, opt.SkipPairs = rule.Star, rule.Border, rule.Counts, rule.SkipPairs
			for _, threads := range []int{1, 8} {
				opt.Threads = threads
				r := tr.run(t, opt)
				if err := truthOf(tr.Cols, tr.Eps, opt).verify(r); err != nil {
					t.Fatalf("trial %d, star %v, border %v: %v", seed, opt.Star, opt.Border, err)
				}
				if r.Clusters() > 1 {
					used++
				}
			}
		}
	}
	if used < 500 {
		t.Errorf("only %d runs had more than one cluster: the trials test little", used)
	}
}

// Both ways give the same answer where the shapes of clusters are intricate:
// clumps, a spiral, and sheets that are just within or just beyond ε.
func TestCellsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	const n = 5000
	x, y, z := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		switch i % 4 {
		case 0: // sheets with distances of 0.5, 0.6, 0.5, …
			x[i], y[i] = 1.1*float64(rng.IntN(4))+.5*float64(rng.IntN(2)), rng.Float64()
		case 1:
			a := 12 * rng.Float64()
			x[i], y[i] = 10+a*math.Cos(a)/3, 5+a*math.Sin(a)/3
		case 2:
			k := float64(rng.IntN(5))
			x[i], y[i] = 20+k+.2*rng.NormFloat64(), k*k/3+.2*rng.NormFloat64()
		case 3:
			x[i], y[i] = 30*rng.Float64(), 10*rng.Float64()
		}
		z[i] = .1 * rng.Float64()
	}
	for _, cols := range [][][]float64{{x}, {x, y}, {x, y, z}} {
		for _, eps := range []float64{.1, .25, .5, .55, .6, 3} {
			for _, minPoints := range []float64{1, 10, 100} {
				opt := Options{MinPoints: minPoints, Counts: true, Joiner: lister{neighbors.CPU{}}}
				points := columns(t, cols...)
				want, err := Run(context.Background(), points, neighbors.Euclidean(), eps, opt)
				if err != nil {
					t.Fatal(err)
				}
				opt.Joiner = nil
				got, err := Run(context.Background(), points, neighbors.Euclidean(), eps, opt)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Labels, want.Labels) || !slices.Equal(got.Core, want.Core) || !slices.Equal(got.Counts, want.Counts) || !slices.Equal(got.Sizes, want.Sizes) || got.Pairs != want.Pairs {
					t.Fatalf("%d columns, ε %v, min-points %v: %d clusters, %d core, %d pairs; want %d, %d, %d", len(cols), eps, minPoints,
						got.Clusters(), got.CoreCount, got.Pairs, want.Clusters(), want.CoreCount, want.Pairs)
				}
				opt.Counts, opt.SkipPairs = false, true
				got, err = Run(context.Background(), points, neighbors.Euclidean(), eps, opt)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Labels, want.Labels) || !slices.Equal(got.Core, want.Core) || !slices.Equal(got.Sizes, want.Sizes) || got.BorderCount != want.BorderCount || got.Pairs != -1 {
					t.Fatalf("%d columns, ε %v, min-points %v, without pairs: %d clusters, %d core, %d border; want %d, %d, %d", len(cols), eps, minPoints,
						got.Clusters(), got.CoreCount, got.BorderCount, want.Clusters(), want.CoreCount, want.BorderCount)
				}
			}
		}
	}
}

// Cells of many points that are in several clusters, or in one by a chain only:
// tight clumps just within, or just beyond, ε of each other.
func TestCrowdedCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for _, dim := range []int{2, 3, 6} {
		for _, step := range []float64{.3, .45, .7, .99, 1.01} {
			const n = 1500
			cols := make([][]float64, dim)
			for j := range cols {
				cols[j] = make([]float64, n)
				for i := range cols[j] {
					cols[j][i] = step*float64(rng.IntN(3)) + 1e-3*rng.Float64()
					if i%17 == 0 {
						cols[j][i] = 4 * rng.Float64()
					}
				}
			}
			points := columns(t, cols...)
			for _, minPoints := range []float64{2, 12, 150} {
				opt := Options{MinPoints: minPoints, Joiner: lister{neighbors.CPU{}}}
				want, err := Run(context.Background(), points, neighbors.Euclidean(), 1, opt)
				if err != nil {
					t.Fatal(err)
				}
				for _, skip := range []bool{false, true} {
					for _, threads := range []int{1, 7} {
						opt := Options{MinPoints: minPoints, SkipPairs: skip, Threads: threads}
						got, err := Run(context.Background(), points, neighbors.Euclidean(), 1, opt)
						if err != nil {
							t.Fatal(err)
						}
						if !slices.Equal(got.Labels, want.Labels) || !slices.Equal(got.Core, want.Core) || !slices.Equal(got.Sizes, want.Sizes) {
							t.Fatalf("%d columns, step %v, min-points %v, pairs skipped: %v: %d clusters, %d core; want %d, %d", dim, step, minPoints, skip,
								got.Clusters(), got.CoreCount, want.Clusters(), want.CoreCount)
						}
					}
				}
			}
		}
	}
}

// Extents and radii at the limits of numbers.
func TestCellLimits(t *testing.T) {
	for name, c := range map[string]struct {
		x   []float64
		eps float64
	}{
		"far apart": {[]float64{0, .5, 1e12, 1e12 + .5, 3e15}, 1},
		"huge":      {[]float64{-1e308, 1e308, 1e308}, 1},
		"tiny":      {[]float64{0, 1e-200, 2e-200, 1}, 1.5e-200},
		"far off":   {[]float64{1e9, 1e9 + .25, 1e9 + 40}, 1},
	} {
		opt := Options{MinPoints: 2}
		r, err := Run(context.Background(), columns(t, c.x, c.x), neighbors.Euclidean(), c.eps, opt)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := truthOf([][]float64{c.x, c.x}, c.eps, opt).verify(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// On the sphere and with periodic axes, which are always listed.
func TestCellMetrics(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	const n = 9000
	ra, dec := make([]float64, n), make([]float64, n)
	for i := range n {
		ra[i], dec[i] = math.Mod(354+12*rng.Float64(), 360), 80+10*math.Sqrt(rng.Float64())
	}
	for name, c := range map[string]struct {
		metric neighbors.Metric
		eps    float64
	}{
		"sky":      {neighbors.Sky(), .3 * neighbors.Degree},
		"scaled":   {neighbors.Sky().Scaled(.3 * neighbors.Degree), 1},
		"periodic": {neighbors.Periodic(360, 0), .4},
	} {
		opt := Options{MinPoints: 40, Joiner: lister{neighbors.CPU{}}}
		want, err := Run(context.Background(), columns(t, ra, dec), c.metric, c.eps, opt)
		if err != nil {
			t.Fatal(err)
		}
		if want.NoiseCount == 0 || want.CoreCount == 0 {
			t.Errorf("%s: noise %d, core %d: tests little", name, want.NoiseCount, want.CoreCount)
		}
		opt.Joiner = nil
		got, err := Run(context.Background(), columns(t, ra, dec), c.metric, c.eps, opt)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Labels, want.Labels) || got.Pairs != want.Pairs {
			t.Errorf("%s: cells give %d clusters and %d pairs, want %d and %d", name, got.Clusters(), got.Pairs, want.Clusters(), want.Pairs)
		}
	}
}

//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// Every kernel over pairs once, with two warps a block, two blocks and an
// uneven rest: few enough for the checkers of a card, which slow kernels down.
func TestEveryPairKernel(t *testing.T) {
	const n = 203
	j := openPairs(t)
	tilings := []Tiling{TilingNaive, TilingBoth, TilingShared, TilingRoC, TilingShuffle}
	var launched map[string]bool
	check := func(t *testing.T, in neighbors.Input, cfg Pairs, edges []float64) {
		t.Helper()
		cfg.threads = 64
		j.cfg.Pairs = cfg
		squared := squaredEdges(t, edges...)
		job, err := newPairsJob(cfg, in)
		if err != nil {
			t.Fatal(err)
		}
		job.histogram(squared)
		output := "shared"
		if cfg.Output == OutputGlobal {
			output = "global"
		}
		launched[job.name(output)] = true
		got, err := j.BinPairs(context.Background(), in, squared)
		if err != nil {
			t.Fatal(err)
		}
		if want := bruteBins(t, in, squared); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", job.name(output), got, want)
		}
	}
	shapes := [][]float64{linearEdges(0, 300, 13), linearEdges(20, 45, 7), logEdges(0.5, 45, 9)} // open, even, uneven
	every := func(t *testing.T, dim int) {
		rng := rand.New(rand.NewPCG(13, uint64(dim)))
		p := pairPoints(t, rng, n, dim, false)
		side := slices.Repeat([]float64{100}, dim)
		for _, output := range []Output{OutputLanes, OutputGlobal} {
			for _, exact := range []bool{false, true} {
				for s, edges := range shapes {
					if exact && s > 0 {
						continue // takes no note of the shape
					}
					for _, tiling := range tilings {
						if dim != 1 && dim != 3 && (tiling != TilingShared || output != OutputLanes) {
							continue // those of any number of columns again
						}
						check(t, neighbors.Input{Query: p}, Pairs{Tiling: tiling, Output: output, float64: exact}, edges)
					}
					for _, tiling := range tilings {
						if s == 0 && !exact || dim != 1 && tiling != TilingShared {
							continue // those of any number of columns again
						}
						check(t, neighbors.Input{Query: p, Metric: neighbors.Periodic(side...)}, Pairs{Tiling: tiling, Output: output, float64: exact}, shapes[max(s, 1)])
					}
				}
			}
		}
		in := neighbors.Input{Query: p}
		for _, wraps := range []bool{false, true} {
			if wraps {
				in.Metric = neighbors.Periodic(side...)
			}
			if dim <= gridBinsDim {
				j.cfg.Pairs = Pairs{}
				squared := squaredEdges(t, 0, 0.5, 2)
				got, err := j.BinPairs(context.Background(), in, squared)
				if want := bruteBins(t, in, squared); err != nil || !slices.Equal(got, want) {
					t.Errorf("short, %d columns, %v: %v, want %v, %v", dim, in.Metric, got, want, err)
				}
			}
			if dim != 1 && dim != 3 {
				continue
			}
			for _, exact := range []bool{false, true} {
				for _, tiling := range tilings {
					if wraps && tiling != TilingShared {
						continue
					}
					for _, output := range listOutputs {
						if output != outputBuffer && (tiling != TilingShared || wraps) {
							continue
						}
						checkPredicates(t, j, in, Pairs{Tiling: tiling, Output: output, float64: exact, threads: 64})
					}
				}
			}
		}
	}
	for dim := 1; dim <= 6; dim++ {
		t.Run(fmt.Sprintf("%dD", dim), func(t *testing.T) {
			launched = map[string]bool{}
			every(t, dim)
			want := 7 + 3 // of its own, and of any number of columns
			if dim == 1 || dim == 3 {
				want = 2*(5*3+3) + 1
			}
			if dim == 1 {
				want += 2 * 4 * 3 // other tilings in a box
			}
			if len(launched) != want {
				t.Errorf("%d kernels of histograms, there are %d", len(launched), want)
			}
		})
	}
}

// checkPredicates lists and counts pairs.
func checkPredicates(t *testing.T, j *Joiner, in neighbors.Input, cfg Pairs) {
	t.Helper()
	const squared = 700.0
	var want []uint64
	bruteSquares(t, in, func(i, k int, d2 float64) {
		if d2 <= squared {
			want = append(want, uint64(i)<<32|uint64(k))
		}
	})
	j.cfg.Pairs = cfg
	got, err := j.ListPairs(context.Background(), in, squared)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Output = outputRegister
	j.cfg.Pairs = cfg
	count, err := j.CountPairs(context.Background(), in, squared)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) || count != uint64(len(want)) {
		t.Errorf("%s: %d pairs listed and %d counted, want %d", fmt.Sprint(cfg), len(got), count, len(want))
	}
}

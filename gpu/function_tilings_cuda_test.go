//go:build cuda && linux

package gpu

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"skyjoin/internal/pairfunc"
)

// Generated kernels of every tiling and output give what the CPU gives, bit for bit,
// and are launched as asked.
func TestTilingsOfGeneratedKernels(t *testing.T) {
	sizes := [][2]int{{1, 0}, {130, 0}, {70, 45}, {0, 3}}
	if os.Getenv("SKYJOIN_GPU") != "" {
		sizes = append(sizes, [2]int{5000, 0}, [2]int{3001, 4099})
	}
	counters := []Output{OutputDefault, OutputGlobal, OutputBlock, OutputLanes}
	many := linearEdges(0, 150, 60_000) // of which no block can hold the counters
	turn := 0
	for _, c := range []struct {
		src     string
		r       pairfunc.Reduction
		perRow  bool
		edges   []float64
		outputs []Output
	}{
		{"a.x*b.z + a.y*b.m + a.z", pairfunc.Sum, false, nil, nil},
		{"a.x < b.y and abs(a.z-b.z) < 3", pairfunc.Count, false, nil, counters},
		{"r < 40", pairfunc.Count, false, nil, counters},
		{"r + 0*b.m/(a.m - b.m)", pairfunc.Histogram, false, linearEdges(0, 150, 30), counters},
		{"dx", pairfunc.Histogram, false, []float64{-60, -3, 0, 0.5, 7, 90}, counters},
		{"r", pairfunc.Histogram, false, many, []Output{OutputDefault, OutputGlobal}},
		{"a.x < b.y and abs(a.z-b.z) < 3", pairfunc.Pairs, false, nil, nil},
		{"r < 40", pairfunc.Pairs, false, nil, nil},
		{"abs(a.z-b.z)", pairfunc.Sum, true, nil, nil},
		{"max(abs(dx), abs(dy), abs(dz)) <= 20 and a.m > 3", pairfunc.Count, true, nil, nil},
		{"floor(a.x / 7) % 3 + abs(dy)", pairfunc.Least, true, nil, nil},
		{"r + 0*b.m/(a.m - b.m)", pairfunc.Most, true, nil, nil},
	} {
		if c.outputs == nil {
			c.outputs = []Output{OutputDefault}
		}
		for _, output := range c.outputs {
			for k, tiling := range []Tiling{TilingNaive, TilingBoth, TilingShared, TilingRoC, TilingShuffle} {
				if turn++; testing.Short() && k != turn/5%5 {
					continue // each takes a run of the compiler
				}
				j := opened(t, Config{Pairs: Pairs{Tiling: tiling, Output: output}})
				for _, size := range sizes {
					for _, points := range []int{0, 50} {
						if size[0] > 1000 && points > 0 {
							continue
						}
						j.cfg.Pairs.points = points
						job := functionJob(t, c.src, size[0], size[1], c.r)
						job.PerRow, job.Edges = c.perRow, c.edges
						var pairs [2][]string
						collect := func(k int) func(a, b []uint32) error {
							return func(a, b []uint32) error {
								for i := range a {
									pairs[k] = append(pairs[k], fmt.Sprint(a[i], b[i]))
								}
								return nil
							}
						}
						want, err := job.Run(t.Context(), collect(0))
						if err != nil {
							t.Fatal(err)
						}
						got, err := j.Reduce(t.Context(), job, collect(1))
						if err != nil {
							t.Fatalf("%s, %v, %s %s: %v", c.src, c.r, tiling, output, err)
						}
						if !sameResult(want, got) || !slices.Equal(pairs[0], pairs[1]) {
							t.Errorf("%v of %s, per row %v, %s %s, %v rows, parts of %d:\n GPU %+v, %d pairs\n CPU %+v, %d pairs",
								c.r, c.src, c.perRow, tiling, output, size, points, got, len(pairs[1]), want, len(pairs[0]))
						}
					}
				}
				l := j.Launched()
				counted := output
				switch {
				case len(c.edges) == len(many):
					counted = OutputGlobal
				case c.r == pairfunc.Histogram && output == OutputDefault:
					counted = OutputLanes
				}
				if l.Tiling != tiling || l.Output != counted || len(l.Kernels) != 1 || (l.Copies > 0) != (counted == OutputBlock || counted == OutputLanes) {
					t.Errorf("%v of %s, %s %s: launched %+v", c.r, c.src, tiling, output, l)
				}
			}
		}
	}
}

// Where nothing is counted an output is refused, and so are more bins than it holds.
func TestOutputsOfGeneratedKernelsAreRefused(t *testing.T) {
	for _, c := range []struct {
		src    string
		r      pairfunc.Reduction
		perRow bool
		why    string
	}{
		{"r", pairfunc.Sum, false, "an exact sum is kept in the words of each thread"},
		{"r < 3", pairfunc.Pairs, false, "pairs go to a buffer"},
		{"r < 3", pairfunc.Count, true, "a result for each row is kept in the registers of its thread"},
		{"r", pairfunc.Histogram, false, "a block has"},
	} {
		job := functionJob(t, c.src, 20, 0, c.r)
		if job.PerRow = c.perRow; c.r == pairfunc.Histogram {
			job.Edges = linearEdges(0, 150, 100_000)
		}
		_, err := opened(t, Config{Pairs: Pairs{Output: OutputBlock}}).Reduce(t.Context(), job, nil)
		refused(t, err, "GPU output block", c.why)
	}
}

//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/internal/cuda"
	"skyjoin/internal/pairfunc"
	"skyjoin/neighbors"
)

// launchedBy returns the kernels that f uses on a GPU opened for it.
func launchedBy(t *testing.T, c Config, f func(j *Joiner) error) []string {
	t.Helper()
	before := cuda.Asked()
	j, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := f(j); err != nil {
		t.Errorf("%+v: %v", c, err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	after := cuda.Asked()
	maps.DeleteFunc(after, func(kernel string, n int) bool { return n == before[kernel] })
	return slices.Sorted(maps.Keys(after))
}

// Which kernels a request launches is a decision: testdata/launched.txt lists
// them for every published pattern in every order, every tiling and output of the
// statistics of pairs, and the kernels of this package. UPDATE=yes writes the
// list anew.
func TestLaunchedKernels(t *testing.T) {
	keep, err := Open(Config{}) // the context, which takes long to make
	if err != nil {
		t.Fatal(err)
	}
	defer keep.Close()
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(17, 18))
	var got []string
	record := func(what string, c Config, f func(j *Joiner) error) {
		got = append(got, what+": "+strings.Join(launchedBy(t, c, f), " "))
	}
	for _, dim := range []int{3, 5} {
		points := pairPoints(t, rng, 300, dim, dim == 3)
		box := neighbors.Periodic(slices.Repeat([]float64{100}, dim)...)
		for _, in := range []neighbors.Input{{Query: points}, {Query: points, Metric: box}, {Query: points, Data: pairPoints(t, rng, 200, dim, false)}} {
			space := fmt.Sprintf("%d columns, %v", dim, in.Metric)
			if in.Data != nil {
				space += ", two sets"
			}
			plan := prepared(t, in, neighbors.Within{Radius: 9})
			lists := func(j *Joiner) error { _, err := neighbors.Collect(ctx, j, plan, 0); return err }
			counts := func(j *Joiner) error { return j.Count(ctx, plan, plan.Work(), make([]int64, plan.Len())) }
			record(space+", lists", Config{}, lists)
			record(space+", counts", Config{}, counts)
			for _, p := range []Pattern{PatternFull, PatternUnicomp, PatternLIDUnicomp, PatternBrute} {
				for _, o := range []Order{OrderNone, OrderSortByWL, OrderWorkQueue} {
					c := Config{Pattern: p, Order: o}
					if p.serves(plan) != nil {
						continue
					}
					record(fmt.Sprintf("%s, lists, %s %s", space, p, o), c, lists)
					record(fmt.Sprintf("%s, counts, %s %s", space, p, o), c, counts)
				}
			}
			for _, k := range []int{4, 40} {
				p := prepared(t, in, neighbors.Nearest{K: k})
				for _, c := range []Config{{Pattern: PatternFull}, {Pattern: PatternBrute, Order: OrderWorkQueue}} {
					record(fmt.Sprintf("%s, %d nearest, %s %s", space, k, c.Pattern, c.Order), c, func(j *Joiner) error { _, err := neighbors.Collect(ctx, j, p, 0); return err })
				}
				for _, linear := range []bool{false, true} {
					record(fmt.Sprintf("%s, %d nearest, published %v", space, k, linear), Config{Linear: linear}, func(j *Joiner) error { _, err := neighbors.Collect(ctx, j, p, 0); return err })
				}
			}
			if in.Data == nil {
				p := prepared(t, in, neighbors.Nearest{K: 4})
				record(space+", spanning tree", Config{}, func(j *Joiner) error {
					n := p.Len()
					return j.Span(ctx, p, 2, 1, make([]uint32, n), make([]float64, n), make([][2]uint32, n-1), make([]float64, n-1), nil)
				})
			}
			for _, edges := range [][]float64{linearEdges(0, 200, 9), linearEdges(20, 45, 5), logEdges(1, 45, 6), {0, 0.5, 1}} {
				squared := squaredEdges(t, edges...)
				for _, tiling := range []Tiling{TilingDefault, TilingNaive, TilingBoth, TilingShared, TilingRoC, TilingShuffle} {
					if in.Metric.String() == box.String() && tiling != TilingDefault && tiling != TilingShared {
						continue
					}
					for _, output := range []Output{OutputDefault, OutputGlobal, OutputBlock, OutputLanes} {
						record(fmt.Sprintf("%s, bins to %.3g, %s %s", space, edges[len(edges)-1], tiling, output), Config{Pairs: Pairs{Tiling: tiling, Output: output}},
							func(j *Joiner) error { _, err := j.BinPairs(ctx, in, squared); return err })
					}
				}
			}
			if in.Data == nil {
				for _, counted := range []bool{false, true} {
					record(fmt.Sprintf("%s, clusters, counted %v", space, counted), Config{}, func(j *Joiner) error {
						n := plan.Len()
						var counts []int64
						if counted {
							counts = make([]int64, n)
						}
						return j.Cluster(ctx, plan, 4, false, make([]int32, n), make([]bool, n), counts, nil)
					})
				}
			}
		}
	}
	for _, r := range []pairfunc.Reduction{pairfunc.Sum, pairfunc.Count, pairfunc.Histogram, pairfunc.Pairs} {
		source := "r"
		if r == pairfunc.Count || r == pairfunc.Pairs {
			source = "r < 9"
		}
		job := functionJob(t, source, 60, 0, r)
		if r == pairfunc.Histogram {
			job.Edges = linearEdges(0, 90, 4)
		}
		for _, tiling := range []Tiling{TilingDefault, TilingNaive, TilingBoth, TilingShared, TilingRoC, TilingShuffle} {
			for _, output := range []Output{OutputDefault, OutputGlobal, OutputBlock, OutputLanes} {
				if job.CheckMethod(pairfunc.Method{Output: string(output)}) != nil {
					continue
				}
				record(fmt.Sprintf("the function %s, %s %s", source, tiling, output), Config{Pairs: Pairs{Tiling: tiling, Output: output}}, func(j *Joiner) error {
					_, err := j.Reduce(ctx, job, func(a, b []uint32) error { return nil })
					return err
				})
			}
		}
	}
	path := filepath.Join("testdata", "launched.txt")
	text := strings.Join(append(got, ""), "\n")
	if os.Getenv("UPDATE") == "yes" {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(b), "\n")
	for i, line := range strings.Split(text, "\n") {
		if i >= len(want) || line != want[i] {
			t.Fatalf("line %d of %s:\nhave %s\nwant %s", i+1, path, line, want[min(i, len(want)-1)])
		}
	}
}

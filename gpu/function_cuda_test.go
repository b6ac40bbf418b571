//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"skyjoin/gpu/kernels"
	"skyjoin/internal/pairfunc"
)

// functionJob makes a job over tables of random columns x, y, z and whole m.
func functionJob(t testing.TB, src string, n, m int, r pairfunc.Reduction) *pairfunc.Job {
	t.Helper()
	f, err := pairfunc.Compile(src, pairfunc.Schema{Coordinates: []string{"x", "y", "z"}})
	if err != nil {
		t.Fatal(err)
	}
	table := func(seed uint64, n int, names []string) pairfunc.Table {
		tab := pairfunc.Table{Rows: n}
		for _, name := range names {
			rng := rand.New(rand.NewPCG(seed, uint64(name[0])))
			c := make([]float64, n)
			for i := range c {
				c[i] = 100 * rng.Float64()
				if name == "m" {
					c[i] = float64(rng.IntN(9))
				}
			}
			tab.Columns = append(tab.Columns, c)
		}
		return tab
	}
	a, b := f.Columns()
	j := &pairfunc.Job{Function: f, Reduction: r, A: table(1, n, a), Self: m == 0, Ordered: !f.Commutes()}
	if j.Self {
		j.B = table(1, n, b)
	} else {
		j.B = table(2, m, b)
	}
	return j
}

// Reduce evaluates a job on one card.
func (j *Joiner) Reduce(ctx context.Context, job *pairfunc.Job, visit func(a, b []uint32) error) (*pairfunc.Result, error) {
	return (&Cards{j, []*Joiner{j}}).reduce(ctx, job, visit)
}

// sameResult compares two results, of which pairs are given apart.
func sameResult(x, y *pairfunc.Result) bool {
	same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y }
	return same(x.Sum, y.Sum) && x.Count == y.Count && slices.Equal(x.Bins, y.Bins) && x.Under == y.Under && x.Over == y.Over && x.NaN == y.NaN &&
		slices.EqualFunc(x.Row, y.Row, same) && slices.Equal(x.Counts, y.Counts) && slices.Equal(x.Other, y.Other)
}

// Generated kernels give what the CPU gives, bit for bit.
func TestGeneratedKernelsEqualTheCPU(t *testing.T) {
	j := openPairs(t)
	three := &Cards{j, []*Joiner{j, openPairs(t), openPairs(t)}} // of one card here
	for k, c := range []struct {
		src    string
		r      pairfunc.Reduction
		perRow bool
		edges  []float64
	}{
		{"sqrt(dx*dx+dy*dy+dz*dz)", pairfunc.Histogram, false, linearEdges(0, 150, 30)},
		{"r/(a.m - b.m)", pairfunc.Histogram, false, []float64{-100, -3, 0, 0.5, 7, 100}},
		{"1 - dot(a,b)/(norm(a)*norm(b))", pairfunc.Sum, false, nil},
		{"abs(a.z-b.z)", pairfunc.Sum, true, nil},
		{"a.m*b.m/r^2 - 1e-300*dx", pairfunc.Sum, false, nil},
		{"a.x < b.y and abs(a.z-b.z) < 3", pairfunc.Pairs, false, nil},
		{"abs(a.z-b.z) < 2 or a.m = b.m and not (a.m > 2)", pairfunc.Count, false, nil},
		{"max(abs(dx), abs(dy), abs(dz)) <= 20 and a.m > 3", pairfunc.Count, true, nil},
		{"floor(a.x / 7) % 3 + abs(dy)", pairfunc.Least, true, nil},
		{"r + 0*b.m/(a.m - b.m)", pairfunc.Most, true, nil},
		{"exp(-a.x) * b.m", pairfunc.Sum, false, nil},
		{"a.m > 4", pairfunc.Count, false, nil},
	} {
		if testing.Short() && k%2 == 1 {
			continue // each takes a run of the compiler
		}
		for _, size := range [][2]int{{1, 0}, {130, 0}, {70, 45}, {0, 3}} {
			for _, points := range []int{0, 50} {
				if points > 0 && testing.Short() && size[1] == 0 {
					continue
				}
				j.cfg.Pairs.points = points
				job := functionJob(t, c.src, size[0], size[1], c.r)
				job.PerRow, job.Edges = c.perRow, c.edges
				collect := func(into *[]string) func(a, b []uint32) error {
					return func(a, b []uint32) error {
						for i := range a {
							*into = append(*into, fmt.Sprint(a[i], b[i]))
						}
						return nil
					}
				}
				var want, got []string
				cpu, err := job.Run(context.Background(), collect(&want))
				if err != nil {
					t.Fatal(err)
				}
				run := j.Reduce
				if points > 0 {
					run = three.reduce
				}
				gpu, err := run(context.Background(), job, collect(&got))
				if err != nil {
					t.Fatalf("%s: %v", c.src, err)
				}
				if !sameResult(cpu, gpu) || !slices.Equal(got, want) {
					t.Errorf("%v of %s, %v rows, parts of %d:\n GPU %+v, %d pairs\n CPU %+v, %d pairs", c.r, c.src, size, points, gpu, len(got), cpu, len(want))
				}
			}
		}
	}
}

// Names of columns are text: the source is compiled whatever they are.
func TestHostileNamesAreCompiled(t *testing.T) {
	j := openPairs(t)
	name := "x*/int z;/*\n*/ #error \\\n??/"
	f, err := pairfunc.Compile("r + norm(a)", pairfunc.Schema{Coordinates: []string{name}})
	if err != nil {
		t.Fatal(err)
	}
	table := pairfunc.Table{Rows: 3, Columns: [][]float64{{1, 2, 4}}}
	job := &pairfunc.Job{Function: f, Reduction: pairfunc.Sum, A: table, B: table, Self: true, Ordered: true}
	want, err := job.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := j.Reduce(t.Context(), job, nil); err != nil || !sameResult(got, want) || got.Sum == 0 {
		t.Errorf("%+v, error %v; the CPU has %+v", got, err, want)
	}
}

func TestWithoutCompilerTheErrorSaysSo(t *testing.T) {
	if os.Getenv("SKYJOIN_GPU") != "" {
		t.Skip("the emulator's compiler alone fails when it is told to")
	}
	t.Setenv("EMULATOR_NVRTC", "fail")
	j := openPairs(t)
	job := functionJob(t, "abs(a.x - b.y) + 17", 5, 0, pairfunc.Sum)
	if _, err := j.Reduce(context.Background(), job, nil); err == nil || !strings.Contains(err.Error(), "fails") {
		t.Errorf("%v", err)
	}
	if !strings.Contains(job.CUDA(pairfunc.Method{}, kernels.Common, kernels.Pairs), job.KernelName(pairfunc.Method{}, "sum")) {
		t.Error("the source lacks its kernel")
	}
}

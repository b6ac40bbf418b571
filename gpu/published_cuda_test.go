//go:build cuda && linux

package gpu

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"skyjoin/neighbors"
)

// Default runs never load the image of published kernels; every published method does.
func TestPublishedKernelsAreLoadedOnDemand(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(21, 22))
	points := pairPoints(t, rng, 150, 3, false)
	in, box := neighbors.Input{Query: points}, neighbors.Input{Query: points, Metric: neighbors.Periodic(100, 100, 100)}
	edges, many := squaredEdges(t, linearEdges(0, 90, 9)...), squaredEdges(t, linearEdges(0, 90, 100_000)...)
	within, nearest := prepared(t, in, neighbors.Within{Radius: 9}), prepared(t, in, neighbors.Nearest{K: 3})
	run := func(c Config, f func(j *Joiner) error) bool {
		t.Helper()
		j := opened(t, c)
		if err := f(j); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		return j.ctx.LoadedLater()
	}
	lists := func(j *Joiner) error { _, err := neighbors.Collect(ctx, j, within, 0); return err }
	near := func(j *Joiner) error { _, err := neighbors.Collect(ctx, j, nearest, 0); return err }
	bins := func(j *Joiner) error { _, err := j.BinPairs(ctx, in, edges); return err }
	boxed := func(j *Joiner) error { _, err := j.BinPairs(ctx, box, edges); return err }
	for what, f := range map[string]func(j *Joiner) error{
		"lists": lists, "nearest": near, "bins": bins, "bins in a box": boxed,
		"counts":             func(j *Joiner) error { return j.Count(ctx, within, within.Work(), make([]int64, within.Len())) },
		"many bins":          func(j *Joiner) error { _, err := j.BinPairs(ctx, in, many); return err },
		"many bins in a box": func(j *Joiner) error { _, err := j.BinPairs(ctx, box, many); return err },
		"clusters": func(j *Joiner) error {
			var pairs int64
			n := within.Len()
			return j.Cluster(ctx, within, 3, false, make([]int32, n), make([]bool, n), make([]int64, n), &pairs)
		},
	} {
		if run(Config{}, f) {
			t.Errorf("%s: the published kernels have been loaded", what)
		}
	}
	if run(Config{Linear: true}, near) {
		t.Error("the search within a growing distance by default kernels has loaded the published ones")
	}
	for what, c := range map[string]Config{"lists": {Pattern: PatternFull}, "threads": {Threads: 8}, "order": {Order: OrderWorkQueue}} {
		if !run(c, lists) || !run(c, near) {
			t.Errorf("%s: the published kernels have not been loaded", what)
		}
	}
	for _, tiling := range []Tiling{TilingNaive, TilingBoth, TilingRoC, TilingShuffle} {
		if c := (Config{Pairs: Pairs{Tiling: tiling}}); !run(c, bins) || !run(c, boxed) {
			t.Errorf("%s: the published kernels have not been loaded", tiling)
		}
	}
}

// Masks bound the cells that are looked up to those whose numbers along every axis some
// non-empty cell has (GPU-SJ, §3.4), for every pattern alike; nothing is lost.
func TestMasksBoundTheSearch(t *testing.T) {
	g := rand.New(rand.NewPCG(23, 24))
	points := pointsOf(t, 500, 2, false, func(i, c int) float64 { // few rows and columns of cells
		return 10*math.Floor(10*g.Float64()*g.Float64()) + g.Float64()
	})
	const radius = 3.5
	plan := prepared(t, neighbors.Input{Query: points}, neighbors.Within{Radius: radius})
	j := opened(t, Config{})
	want := make([]int64, plan.Len())
	if err := (neighbors.CPU{}).Count(context.Background(), plan, plan.Work(), want); err != nil {
		t.Fatal(err)
	}
	found := int64(0)
	for _, n := range want {
		found += n
	}
	err := j.ofAll(plan, func(s *session) error {
		keys, of := make([]uint64, s.query.cells), make([]uint32, s.query.n)
		q := begin(s.stream)
		defer q.end()
		pull(q, keys, s.query.cellKeys)
		pull(q, of, s.query.cellOf)
		geometry := s.layout.geometry(q, &q.memory)
		if q.sync() != nil {
			return q.err
		}
		number := func(key uint64, j int) int64 {
			return int64(key / geometry.Stride[j] % s.layout.padded(&s.layout.axes[j]))
		}
		axes := len(s.layout.axes)
		there := make([]map[int64]bool, axes)
		for j := range there {
			there[j] = map[int64]bool{}
			for _, k := range keys {
				there[j][number(k, j)] = true
			}
		}
		all, bounded := uint64(0), uint64(0)
		for _, c := range of {
			product, whole := uint64(1), uint64(1)
			for j := range there {
				some := uint64(0)
				for d := int64(-1); d <= 1; d++ {
					if there[j][number(keys[c], j)+d] {
						some++
					}
				}
				product, whole = product*some, whole*3
			}
			all, bounded = all+whole, bounded+product
		}
		if bounded*10 > all*9 {
			t.Fatalf("masks leave %d of %d cells: nothing is shown", bounded, all)
		}
		for _, c := range []Config{{Pattern: PatternFull}, {Pattern: PatternFull, Threads: 8, Order: OrderWorkQueue}} {
			if err := c.check(); err != nil {
				return err
			}
			lanes, err := s.activeLanes(c)
			if err != nil || lanes.cells != bounded || lanes.found != uint64(found) {
				t.Errorf("%s: %d cells looked up, want %d of %d; %d neighbours of %d, error %v", c.name(), lanes.cells, bounded, all, lanes.found, found, err)
			}
		}
		for _, p := range []Pattern{PatternUnicomp, PatternLIDUnicomp} {
			c := Config{Pattern: p}
			if err := c.check(); err != nil {
				return err
			}
			lanes, err := s.activeLanes(c)
			if err != nil || lanes.cells >= bounded || lanes.found != uint64(found) {
				t.Errorf("%s: %d cells looked up, all of them are %d; %d neighbours of %d, error %v", p, lanes.cells, bounded, lanes.found, found, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// float32 is what the kernels of GPU-SJ compute in when asked to: of coordinates that
// float32 cannot tell apart they find other neighbours, of others the same.
func TestSinglePrecision(t *testing.T) {
	for _, c := range []struct {
		origin float64
		same   bool
	}{{0, true}, {1e7, false}} {
		points := pointsOf(t, 300, 2, false, func(i, _ int) float64 { return c.origin + float64(i)/8 })
		plan := prepared(t, neighbors.Input{Query: points}, neighbors.Within{Radius: .71})
		for _, p := range []Pattern{PatternFull, PatternUnicomp} {
			j := opened(t, Config{Pattern: p})
			seconds, found, err := j.single(plan)
			if err != nil || found[0] == 0 || (found[0] == found[1]) != c.same || !(seconds[0] > 0 && seconds[1] > 0) {
				t.Errorf("%s from %g: %d neighbours in float64, %d in float32, error %v", p, c.origin, found[0], found[1], err)
			}
			if !slices.ContainsFunc(j.ctx.Kernels(), func(k string) bool { return k == "pattern_count_single_2" }) {
				t.Errorf("%s: launched %v", p, j.ctx.Kernels())
			}
		}
	}
}

// Pairs are counted with loads of one to four numbers, each by a kernel of its own.
func TestVectorLoads(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	const squared = 900.0
	for _, n := range []int{2, 31, 97, 256, 401} {
		in := neighbors.Input{Query: pairPoints(t, rng, n, 3, false)}
		want := uint64(0)
		bruteSquares(t, in, func(i, k int, d2 float64) {
			if d2 <= squared {
				want++
			}
		})
		for _, tiling := range []Tiling{TilingShared, TilingRoC} {
			for width := 1; width <= 4; width++ {
				j := openPairs(t)
				j.cfg.Pairs = Pairs{Tiling: tiling, width: width, threads: 32}
				got, err := j.CountPairs(context.Background(), in, squared)
				if err != nil || got != want {
					t.Errorf("%d points, %s, loads of %d: %d pairs, want %d, error %v", n, tiling, width, got, want, err)
				}
				kernel := "vectors_" + tilingNames[tiling] + "_" + string(rune('0'+width))
				if used := slices.DeleteFunc(j.ctx.Kernels(), func(k string) bool { return !strings.HasPrefix(k, "vectors") && !strings.HasPrefix(k, "pairs_shm") }); !slices.Equal(used, []string{kernel}) {
					t.Errorf("%s, loads of %d: launched %v", tiling, width, used)
				}
			}
		}
	}
}

// Threads of the direct buffer take whole pages: more places of the pool than there are
// pairs, of which the host takes out those that are empty; warps take as many as there are.
func TestPagesOfTheDirectBuffer(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	in := neighbors.Input{Query: pairPoints(t, rng, 300, 3, false)}
	taken := func(output Output) (places, pairs int) {
		j := openPairs(t)
		_, w, err := j.try(pairsTrial{Pairs{Output: output, threads: 64}, pairsHalf}, in, []float64{2500})
		if err != nil {
			t.Fatal(err)
		}
		return w.taken, len(w.found)
	}
	places, pairs := taken(outputPaged)
	if exact, same := taken(outputBuffer); exact != same || same != pairs || pairs == 0 {
		t.Fatalf("%d pairs in %d places by warps, %d by pages", same, exact, pairs)
	}
	if places%poolPage != 0 || places <= pairs || places > pairs+300*(poolPage-1) {
		t.Errorf("%d places of pages of %d for %d pairs", places, poolPage, pairs)
	}
}

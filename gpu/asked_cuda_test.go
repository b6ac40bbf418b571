//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"skyjoin/neighbors"
)

// Every published pattern, with every number of threads, in every order, is
// launched as it is asked for: the parameters of the launch say so, and so does
// what an instrumented kernel counts.
func TestPatternsRunAsAsked(t *testing.T) {
	points := publishedPoints(t, data{dim: 2, n: 300, seed: 5})
	plan := prepared(t, neighbors.Input{Query: points}, neighbors.Within{Radius: 8})
	nearest := prepared(t, neighbors.Input{Query: points}, neighbors.Nearest{K: 3})
	for i, c := range everyConfig() {
		if testing.Short() && i%6 != i/6%6 { // one number of threads each
			continue
		}
		j := opened(t, c)
		check := func(what string, err error) {
			t.Helper()
			l := j.Launched()
			if err != nil || l.Pattern != c.Pattern || l.Threads != c.Threads || l.Order != c.Order {
				t.Errorf("%s, %s: launched %s %s %d, error %v", c.name(), what, l.Pattern, l.Order, l.Threads, err)
			}
			j.used.way = Launched{}
		}
		check("counts", j.Count(context.Background(), plan, plan.Work(), make([]int64, plan.Len())))
		_, err := neighbors.Collect(context.Background(), j, plan, 0)
		check("lists", err)
		if !c.Pattern.half() {
			_, err := neighbors.Collect(context.Background(), j, nearest, 0)
			check("nearest", err)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A half pattern compares about half of the pairs that the full one does; more
// threads a row make the steps of warps fewer, where rows have many candidates.
func TestHalfPatternsCompareHalf(t *testing.T) {
	plan := prepared(t, neighbors.Input{Query: publishedPoints(t, data{dim: 2, n: 400, seed: 6})}, neighbors.Within{Radius: 12})
	j := opened(t, Config{})
	err := j.prepare.Do(func() error {
		s, err := newSession(j.prepare, plan, wide, nil)
		if err != nil {
			return err
		}
		defer s.release()
		if err := s.hand(plan.Work().Take(plan.Len(), 0)); err != nil {
			return err
		}
		count := func(c Config) laneCount {
			if err := c.check(); err != nil {
				t.Fatal(err)
			}
			l, err := s.activeLanes(c)
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		full := count(Config{Pattern: PatternFull})
		for _, p := range []Pattern{PatternUnicomp, PatternLIDUnicomp} {
			if half := count(Config{Pattern: p}); half.active*100 > full.active*70 {
				t.Errorf("%s compares %d pairs, the full pattern %d", p, half.active, full.active)
			}
		}
		if brute := count(Config{Pattern: PatternBrute}); brute.active != uint64(plan.Len()*plan.Len()) {
			t.Errorf("brute compares %d pairs of %d points", brute.active, plan.Len())
		}
		for threads := 2; threads <= 32; threads *= 2 {
			if many := count(Config{Pattern: PatternFull, Threads: threads}); many.active != full.active || many.steps*2 > 32*full.steps || many.cells != full.cells {
				t.Errorf("%d threads a row: %d lanes in %d steps, %d cells; one: %d in %d, %d", threads, many.active, many.steps, many.cells, full.active, full.steps, full.cells)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What a half pattern does not serve is refused with its name, never done in full.
func TestHalfPatternsAreRefused(t *testing.T) {
	p, q := publishedPoints(t, data{dim: 2, n: 60, seed: 7}), publishedPoints(t, data{dim: 2, n: 40, seed: 8})
	within := neighbors.Within{Radius: 9}
	for what, plan := range map[string]*neighbors.Plan{
		"of two sets":       prepared(t, neighbors.Input{Query: p, Data: q}, within),
		"of a periodic box": prepared(t, neighbors.Input{Query: p, Metric: neighbors.Periodic(100, 100)}, within),
		"of the nearest":    prepared(t, neighbors.Input{Query: p}, neighbors.Nearest{K: 2}),
	} {
		for _, pattern := range []Pattern{PatternUnicomp, PatternLIDUnicomp} {
			j := opened(t, Config{Pattern: pattern})
			_, err := neighbors.Collect(context.Background(), j, plan, 0)
			refused(t, err, string(pattern), what)
			if plan.Within() != nil {
				refused(t, j.Count(context.Background(), plan, plan.Work(), make([]int64, plan.Len())), string(pattern), what)
			}
		}
	}
	plan := prepared(t, neighbors.Input{Query: p}, within)
	some := neighbors.NewWork([]uint32{1, 2, 3}, nil)
	err := opened(t, Config{Pattern: PatternUnicomp}).Visit(context.Background(), plan, some, func(int, *neighbors.Batch) error { return nil })
	refused(t, err, "unicomp", "of some rows alone")
}

func refused(t *testing.T, err error, parts ...string) {
	t.Helper()
	if !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("error %v, want %v", err, neighbors.ErrRequest)
	}
	for _, part := range parts {
		if !strings.Contains(fmt.Sprint(err), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
}

// The nearest that the published kernels find are those of the CPU, in every
// space, and every kernel has a part in it.
func TestPatternsFindTheNearest(t *testing.T) {
	p, q := publishedPoints(t, data{dim: 3, n: 400, seed: 9}), publishedPoints(t, data{dim: 3, n: 250, seed: 10})
	for space, in := range map[string]neighbors.Input{
		"one set": {Query: p}, "two sets": {Query: q, Data: p},
		"a box": {Query: p, Metric: neighbors.Periodic(100, 100, 100)}, "two sets in a box": {Query: q, Data: p, Metric: neighbors.Periodic(100, 100, 100)},
	} {
		plan := prepared(t, in, neighbors.Nearest{K: 5})
		want, err := neighbors.Collect(context.Background(), neighbors.CPU{}, plan, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []Config{{Pattern: PatternFull}, {Pattern: PatternBrute}, {Threads: 8, Order: OrderWorkQueue}, {Pattern: PatternFull, Order: OrderSortByWL}, {Linear: true, Threads: 8}} {
			j := opened(t, c)
			got, err := neighbors.Collect(context.Background(), j, plan, 0)
			if err != nil || !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
				t.Errorf("%s, %+v: other neighbours than on the CPU, error %v", space, c, err)
			}
			if l := j.Launched(); l.Threads != max(c.Threads, 1) {
				t.Errorf("%s, %+v: launched %d threads a query", space, c, l.Threads)
			}
			if kernels := j.Launched().Kernels; !slices.ContainsFunc(kernels, func(k string) bool { return strings.HasPrefix(k, "pattern_pairs") }) || slices.ContainsFunc(kernels, func(k string) bool { return strings.HasPrefix(k, "join") || strings.HasPrefix(k, "nearest") }) {
				t.Errorf("%s, %+v: launched %v", space, c, kernels)
			}
		}
	}
}

// A tiling, and an output, is taken or refused.
func TestPairsRunAsAsked(t *testing.T) {
	p := publishedPoints(t, data{dim: 3, n: 200, seed: 11})
	edges := squaredEdges(t, linearEdges(0, 50, 9)...)
	for _, box := range []bool{false, true} {
		in := neighbors.Input{Query: p}
		if box {
			in.Metric = neighbors.Periodic(100, 100, 100)
		}
		for tiling := range tilingNames {
			for _, output := range histogramOutputs {
				j := opened(t, Config{Pairs: Pairs{Tiling: tiling, Output: output}})
				got, err := j.BinPairs(context.Background(), in, edges)
				if want := bruteBins(t, in, edges); !slices.Equal(got, want) {
					t.Errorf("%s %s, box %v: %v, want %v", tiling, output, box, got, want)
				}
				asked := tiling
				if tiling == TilingDefault {
					asked = TilingShared
				}
				if l := j.Launched(); err != nil || l.Tiling != asked || l.Output != output || len(l.Kernels) != 1 {
					t.Errorf("%s %s, box %v: launched %+v, error %v", tiling, output, box, l, err)
				}
			}
		}
	}
	many := squaredEdges(t, linearEdges(0, 50, 100_000)...)
	_, err := opened(t, Config{Pairs: Pairs{Output: OutputBlock}}).BinPairs(context.Background(), neighbors.Input{Query: p}, many)
	refused(t, err, "block", "shared memory")
}

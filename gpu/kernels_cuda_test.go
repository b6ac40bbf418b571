//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"skyjoin/dbscan"
	"skyjoin/neighbors"
)

// A knownJoin is a join and its table, found by the CPU.
type knownJoin struct {
	name string
	in   neighbors.Input
	plan *neighbors.Plan
	want *neighbors.Table
}

// knownJoins are joins of n points, half of them in a dense middle: in an open
// space, in a periodic box, and of two sets.
func knownJoins(t *testing.T, dim, n int) (joins []knownJoin) {
	const side = 10
	g := rand.New(rand.NewPCG(8, uint64(dim)))
	points := func(n int) *neighbors.Points {
		cols := make([]neighbors.Column, dim)
		for c := range cols {
			v := make([]float64, n)
			for i := range v {
				v[i] = side * g.Float64()
				if i%2 == 0 {
					v[i] = side / 2 * (1 + .1*g.NormFloat64())
				}
			}
			cols[c] = neighbors.Float64s(v)
		}
		p, err := neighbors.NewPoints(cols...)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	box := make([]float64, dim)
	for c := range box {
		box[c] = side
	}
	a, b := points(n), points(n/2)
	radius := []float64{.1, .1, .4, .8, 1, 1.4, 1.8, 2, 2.2}[dim]
	for _, c := range []struct {
		name string
		in   neighbors.Input
	}{
		{"open", neighbors.Input{Query: a}},
		{"box", neighbors.Input{Query: a, Metric: neighbors.Periodic(box...)}},
		{"two", neighbors.Input{Query: a, Data: b}},
	} {
		p, err := neighbors.Prepare(context.Background(), c.in, neighbors.Within{Radius: radius})
		if err != nil {
			t.Fatal(err)
		}
		want, err := neighbors.Collect(context.Background(), neighbors.CPU{}, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Index) < n/4 {
			t.Fatalf("%s: %d neighbours are too few to test with", c.name, len(want.Index))
		}
		joins = append(joins, knownJoin{c.name, c.in, p, want})
	}
	return joins
}

// Every kernel of every dimension finds and counts what the CPU finds, in an
// open space, a periodic box, and a join of two sets; so do those of the K
// nearest, of spanning trees and of clusters. On the emulator a few of
// the patterns must do, and under a checker.
func TestEveryKernel(t *testing.T) {
	configs, n := append(everyConfig(), Config{}), 1500
	if os.Getenv("SKYJOIN_GPU") == "" || testing.Short() {
		configs, n = []Config{{}, {Pattern: PatternFull, Threads: 4}, {Pattern: PatternLIDUnicomp, Order: OrderSortByWL}}, 120
	}
	keep, err := Open(Config{}) // the context, which takes long to make
	if err != nil {
		t.Fatal(err)
	}
	defer keep.Close()
	for dim := 1; dim <= maxDim; dim++ {
		t.Run(fmt.Sprintf("%dD", dim), func(t *testing.T) {
			joins := knownJoins(t, dim, n)
			for _, c := range configs {
				t.Run(c.name(), func(t *testing.T) {
					j, err := Open(c)
					if err != nil {
						t.Fatal(err)
					}
					defer j.Close()
					for _, n := range joins {
						if c.Pattern.serves(n.plan) == nil {
							n.check(t, j)
						}
					}
				})
			}
			t.Run("nearest", func(t *testing.T) { everyNearest(t, joins) })
			t.Run("span", func(t *testing.T) { everySpan(t, keep, joins) })
			t.Run("clusters", func(t *testing.T) { everyClustering(t, keep, joins) })
			t.Run("lanes", func(t *testing.T) { everyLane(t, keep, joins[0]) })
			if dim <= gridBinsDim {
				t.Run("bins", func(t *testing.T) { everyGridBins(t, keep, joins) })
			}
		})
	}
}

// check compares the table and the counts of j with those of the CPU.
func (n *knownJoin) check(t *testing.T, j *Joiner) {
	got, err := neighbors.Collect(context.Background(), j, n.plan, 0)
	if err != nil || !slices.Equal(got.Index, n.want.Index) || !slices.Equal(got.Offset, n.want.Offset) {
		t.Errorf("%s: another table, or error %v", n.name, err)
	}
	count := make([]int64, n.plan.Len())
	if err := j.Count(context.Background(), n.plan, n.plan.Work(), count); err != nil {
		t.Errorf("%s: %v", n.name, err)
	}
	for i, c := range count {
		if want := n.want.Offset[i+1] - n.want.Offset[i]; c != want {
			t.Errorf("%s: row %d has %d neighbours, want %d", n.name, i, c, want)
			break
		}
	}
}

func everyNearest(t *testing.T, joins []knownJoin) {
	for _, c := range []Config{{}, {Linear: true}} {
		j, err := Open(c)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		for _, n := range joins {
			for _, k := range []int{3, 40} { // which lanes hold, and which they do not
				p := prepared(t, n.in, neighbors.Nearest{K: k})
				want, err := neighbors.Collect(context.Background(), neighbors.CPU{}, p, 0)
				if err != nil {
					t.Fatal(err)
				}
				got, err := neighbors.Collect(context.Background(), j, p, 0)
				if err != nil || !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
					t.Errorf("%s, K %d, published search %v: another table, or error %v", n.name, k, c.Linear, err)
				}
			}
		}
	}
}

// everySpan compares spanning trees.
func everySpan(t *testing.T, j *Joiner, joins []knownJoin) {
	for _, n := range joins {
		if n.in.Data == nil {
			checkSpan(t, j, n.in, 8, 4, 1)
		}
	}
}

// everyClustering compares clusters whose core rows are those of more
// neighbours than most have.
func everyClustering(t *testing.T, j *Joiner, joins []knownJoin) {
	for _, n := range joins {
		if n.in.Data != nil {
			continue
		}
		lengths := make([]int64, n.want.Len())
		for i := range lengths {
			lengths[i] = n.want.Offset[i+1] - n.want.Offset[i]
		}
		slices.Sort(lengths)
		minPoints := float64(lengths[len(lengths)/2] + 2)
		for _, opt := range []dbscan.Options{{MinPoints: minPoints, Counts: true}, {MinPoints: minPoints, SkipPairs: true}} {
			radius := n.plan.Within().Radius
			want, err := dbscan.Run(context.Background(), n.in.Query, n.in.Metric, radius, opt)
			if err != nil {
				t.Fatal(err)
			}
			if want.CoreCount == 0 || want.CoreCount == int64(n.plan.Len()) {
				t.Fatalf("%s: %d core rows of %d do not test anything", n.name, want.CoreCount, n.plan.Len())
			}
			opt.Joiner = j
			got, err := dbscan.Run(context.Background(), n.in.Query, n.in.Metric, radius, opt)
			if err != nil || !slices.Equal(got.Labels, want.Labels) || !slices.Equal(got.Core, want.Core) || !slices.Equal(got.Counts, want.Counts) {
				t.Errorf("%s, counts %v: other labels, core rows or counts, or error %v", n.name, opt.Counts, err)
			}
		}
	}
}

// everyGridBins compares histograms of distances so short that they are counted
// on the grid.
func everyGridBins(t *testing.T, j *Joiner, joins []knownJoin) {
	for _, n := range joins {
		squared := squaredEdges(t, linearEdges(0, n.plan.Within().Radius/2, 5)...)
		got, err := j.BinPairs(context.Background(), n.in, squared)
		want := bruteBins(t, n.in, squared)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v; error %v", n.name, got, want, err)
		}
		if want[len(want)-2] == 0 {
			t.Errorf("%s: there is nothing to count", n.name)
		}
	}
}

// everyLane checks the kernel that counts active lanes: it finds what there is,
// and no warp has more than 32.
func everyLane(t *testing.T, j *Joiner, n knownJoin) {
	err := j.prepare.Do(func() error {
		s, err := newSession(j.prepare, n.plan, wide, nil)
		if err != nil {
			return err
		}
		defer s.release()
		if err := s.hand(n.plan.Work().Take(n.plan.Len(), 0)); err != nil {
			return err
		}
		for _, c := range []Config{{Pattern: PatternFull}, {Pattern: PatternUnicomp, Threads: 8, Order: OrderWorkQueue}} {
			if err := c.check(); err != nil {
				return err
			}
			lanes, err := s.activeLanes(c)
			if err != nil {
				return err
			}
			if lanes.found != uint64(len(n.want.Index)) {
				t.Errorf("%+v: %d neighbours, want %d", c, lanes.found, len(n.want.Index))
			}
			if lanes.steps == 0 || lanes.active < lanes.found/2 || lanes.active > 32*lanes.steps || lanes.active > 32*lanes.together || lanes.together > lanes.active || lanes.cells == 0 {
				t.Errorf("%+v: %d active lanes in %d steps of warps", c, lanes.active, lanes.steps)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Counts, lists and histograms of a periodic box are those of brute force with
// every output and type.
func TestEveryPeriodicOutput(t *testing.T) {
	j := openPairs(t)
	rng := rand.New(rand.NewPCG(9, 9))
	edges := squaredEdges(t, linearEdges(0, 30, 6)...)
	uneven := squaredEdges(t, logEdges(1, 30, 6)...)
	last := edges[len(edges)-1]
	for _, dim := range []int{2, 3} {
		for _, in := range inputs(t, rng, pairsCase{n: 150, dim: dim}, neighbors.Periodic([]float64{100, 0, 100}[:dim]...)) {
			var pairs []uint64
			bruteSquares(t, in, func(i, k int, d2 float64) {
				if d2 <= last {
					pairs = append(pairs, uint64(i)<<32|uint64(k))
				}
			})
			for _, exact := range []bool{false, true} {
				for _, output := range histogramOutputs {
					for _, e := range [][]float64{edges, uneven} {
						j.cfg.Pairs = Pairs{float64: exact, threads: 32, Output: output}
						got, err := j.BinPairs(context.Background(), in, e)
						if want := bruteBins(t, in, e); err != nil || !slices.Equal(got, want) {
							t.Errorf("%d dimensions, %+v: %v, want %v; error %v", dim, j.cfg.Pairs, got, want, err)
						}
					}
				}
				j.cfg.Pairs = Pairs{float64: exact, threads: 32}
				if n, err := j.CountPairs(context.Background(), in, last); err != nil || n != uint64(len(pairs)) {
					t.Errorf("%d dimensions, exact %v: %d pairs, want %d; error %v", dim, exact, n, len(pairs), err)
				}
				got, err := j.ListPairs(context.Background(), in, last)
				slices.Sort(got)
				if err != nil || !slices.Equal(got, pairs) {
					t.Errorf("%d dimensions, exact %v: %d listed pairs, want %d; error %v", dim, exact, len(got), len(pairs), err)
				}
			}
		}
	}
}

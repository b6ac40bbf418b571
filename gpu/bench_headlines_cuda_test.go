//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"skyjoin/neighbors"
)

// A scenario is a join that both sides of a published comparison carry out:
// lists are found, brought to the host and dropped. Times in seconds; without
// what indexes take, where not said otherwise.
type scenario struct {
	data
	radius      float64
	plan        *neighbors.Plan
	pairs       int64   // neighbours, from the GPU
	gpuSJ       float64 // UNICOMP, a thread a query; index included
	full        float64 // GPUSELFJOINGLOBAL = GPUCALCGLOBAL; index included
	lbjoin      float64 // LID-UNICOMP, 8 threads a query, WORKQUEUE; index included
	own         float64 // the default kernels; index included
	rtree       float64 // CPU-RTREE, one thread; from a part of the queries
	superEGO    float64 // SUPER-EGO, 16 threads
	sort        float64 // what SUPER-EGO needs to sort
	superEGOEnd bool    // it took longer than is waited for
}

const (
	superEGOThreads = 16
	rtreeBlock      = 512 // queries that follow each other in the order of a grid
	rtreeLimit      = 3 * time.Second
	superEGOLimit   = 6 * time.Second
)

// TestHeadlines sets the ratios of the published comparisons beside those of
// our own implementations of both sides.
//
// Sources: Gowanlock and Karsin, GPU-SJ, Figures 7 and 9 to 11; Gallet and
// Gowanlock, LBJOIN, Figure 13.
func TestHeadlines(t *testing.T) {
	needCard(t)
	var all []*scenario
	var trees sync.WaitGroup
	for _, c := range []struct {
		data
		radii []float64
		rtree bool
	}{
		{unif2D2M, []float64{.4, 1}, true},
		{unif3D2M, []float64{.4, 1}, true},
		{unif4D2M, []float64{4, 8}, true},
		{unif5D2M, []float64{4, 8}, true},
		{unif6D2M, []float64{4, 8}, true},
		{expo2D2M, []float64{4e-4, 1.2e-3}, false},
		{expo6D2M, []float64{.004, .01}, false},
	} {
		var set []*scenario
		for _, r := range c.radii {
			set = append(set, &scenario{data: c.data, radius: r, plan: publishedPlan(t, c.data, r)})
		}
		all = append(all, set...)
		if c.rtree {
			for _, s := range set {
				trees.Go(func() { searchTree(t, s) })
			}
		}
	}
	kernels := []struct {
		cfg  Config
		took func(*scenario) *float64
	}{
		{Config{}, func(s *scenario) *float64 { return &s.own }},
		{Config{Pattern: PatternUnicomp}, func(s *scenario) *float64 { return &s.gpuSJ }},
		{Config{Pattern: PatternFull}, func(s *scenario) *float64 { return &s.full }},
		{Config{Pattern: PatternLIDUnicomp, Threads: 8, Order: OrderWorkQueue, Batch: 100_000_000}, func(s *scenario) *float64 { return &s.lbjoin }},
	}
	for _, k := range kernels {
		j, err := Open(k.cfg)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range all {
			if i == 0 { // pinned memory is there then
				if _, err := list(j, s.plan, s.plan.Work()); err != nil {
					t.Error(err)
				}
			}
			start := time.Now()
			n, err := list(j, s.plan, s.plan.Work())
			*k.took(s) = time.Since(start).Seconds()
			if err != nil {
				t.Errorf("%s eps %g, %+v: %v", s.name, s.radius, k.cfg, err)
				*k.took(s) = math.NaN()
				continue
			}
			if s.pairs == 0 {
				s.pairs = n
			}
			if s.pairs != n {
				t.Errorf("%s eps %g, %+v: %d neighbours, want %d", s.name, s.radius, k.cfg, n, s.pairs)
			}
			fmt.Printf("headline %s eps %g, %+v: %.3f s\n", s.name, s.radius, k.cfg, *k.took(s))
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
	trees.Wait()
	printHead()
	for _, s := range all {
		superEGO(t, s)
		s.print()
	}
	printRatios(all)
}

// list carries out a join and returns how many neighbours it has.
func list(j neighbors.Joiner, p *neighbors.Plan, work neighbors.Work) (int64, error) {
	return listUntil(context.Background(), j, p, work)
}

func listUntil(ctx context.Context, j neighbors.Joiner, p *neighbors.Plan, work neighbors.Work) (int64, error) {
	var n atomic.Int64
	err := neighbors.Visit(ctx, j, p, work, func(_ int, b *neighbors.Batch) error {
		n.Add(int64(len(b.Index)))
		return nil
	})
	return n.Load(), err
}

// searchTree searches an R-tree for blocks of queries spread over all, until
// its time is up, and takes the others to be like them.
func searchTree(t *testing.T, s *scenario) {
	j := neighbors.CPU{Threads: 1, Algorithm: neighbors.RTree}
	start := time.Now()
	if err := neighbors.Index(context.Background(), j, s.plan); err != nil {
		t.Error(err)
		return
	}
	built := time.Since(start)
	rows := s.plan.Work().Take(s.n, 0)
	blocks := len(rows) / rtreeBlock
	start = time.Now()
	done := 0
	for b := 0; time.Since(start) < rtreeLimit && done < blocks; b = (b + 1597) % blocks {
		if _, err := list(j, s.plan, neighbors.NewWork(rows[b*rtreeBlock:(b+1)*rtreeBlock], nil)); err != nil {
			t.Error(err)
			return
		}
		done++
	}
	s.rtree = time.Since(start).Seconds() * float64(blocks) / float64(done)
	fmt.Printf("rtree %s eps %g: built in %v, %d of %d queries searched\n", s.name, s.radius, built, done*rtreeBlock, s.n)
}

func superEGO(t *testing.T, s *scenario) {
	j := neighbors.CPU{Threads: superEGOThreads, Algorithm: neighbors.SuperEGO}
	start := time.Now()
	if err := neighbors.Index(context.Background(), j, s.plan); err != nil {
		t.Fatal(err)
	}
	s.sort = time.Since(start).Seconds()
	ctx, cancel := context.WithTimeout(context.Background(), superEGOLimit)
	defer cancel()
	start = time.Now()
	n, err := listUntil(ctx, j, s.plan, s.plan.Work())
	s.superEGO = time.Since(start).Seconds()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		s.superEGOEnd = true
		if n > 0 && s.pairs > 0 { // as far as it got
			s.superEGO *= float64(s.pairs) / float64(n)
		}
	case err != nil:
		t.Fatal(err)
	case n != s.pairs:
		t.Errorf("%s eps %g, SUPER-EGO: %d neighbours, want %d", s.name, s.radius, n, s.pairs)
	}
}

// ratios are means and maxima of what joins take.
type ratios struct{ sum, most, n float64 }

func (r *ratios) add(v float64) {
	if v > 0 && !math.IsInf(v, 0) && !math.IsNaN(v) {
		r.sum, r.most, r.n = r.sum+v, max(r.most, v), r.n+1
	}
}

func (r ratios) String() string { return fmt.Sprintf("%.1f× mean, %.1f× max", r.sum/r.n, r.most) }

func printHead() {
	fmt.Printf("\nSeconds, lists brought to the host; %d processors\n\n", runtime.NumCPU())
	fmt.Println("| data, ε | neighbours | ours | GPU-SJ (UNICOMP) | full | LBJOIN | CPU-RTREE | SUPER-EGO (16), its sort |\n|---|---|---|---|---|---|---|---|")
}

func (s *scenario) print() {
	about, tree := "", "–"
	if s.superEGOEnd {
		about = "≈ "
	}
	if s.rtree > 0 {
		tree = fmt.Sprintf("%.1f", s.rtree)
	}
	fmt.Printf("| %s %g | %.1f | %.4f | %.3f | %.3f | %.3f | %s | %s%.2f, %.2f |\n", s.name, s.radius, float64(s.pairs)/float64(s.n), s.own, s.gpuSJ, s.full, s.lbjoin, tree, about, s.superEGO, s.sort)
}

func printRatios(all []*scenario) {
	var overTree, ownTree, overEGO, ownEGO, overFull, lbOverEGO ratios
	for _, s := range all {
		overTree.add(s.rtree / s.gpuSJ)
		ownTree.add(s.rtree / s.own)
		overEGO.add(s.superEGO / s.gpuSJ)
		ownEGO.add(s.superEGO / s.own)
		overFull.add(s.full / s.lbjoin)
		lbOverEGO.add((s.superEGO + s.sort) / s.lbjoin)
	}
	fmt.Printf(`
| ratio | published | ours, with their kernels | our kernels |
|---|---|---|---|
| GPU-SJ over CPU-RTREE | 26.9× mean, 125× max | %v | %v |
| GPU-SJ over SUPER-EGO | 2.39× mean (32 threads) | %v | %v |
| LBJOIN over GPUCALCGLOBAL | 1.6× mean, 9.7× max | %v | |
| LBJOIN over SUPER-EGO, sort included | 2.5× mean, 10.7× max | %v | |

`, overTree, ownTree, overEGO, ownEGO, overFull, lbOverEGO)
}

// TestPublishedBatches sets batch sizes, occupancies, and the types of
// coordinates beside Tables 4 and 5 and Figure 13 of GPU-SJ.
func TestPublishedBatches(t *testing.T) {
	needCard(t)
	plan := publishedPlan(t, expo2D2M, 4e-4)
	fmt.Println("| b_s | streams | UNICOMP: first, again, s | full: first, again, s |\n|---|---|---|---|")
	for _, b := range []struct{ size, streams int }{{25e6, 3}, {5e7, 3}, {1e8, 3}, {2e8, 3}, {3e8, 3}, {9e8, 1}} {
		var cells []string
		for _, pattern := range []Pattern{PatternUnicomp, PatternFull} {
			j, err := Open(Config{Pattern: pattern, Batch: b.size, Streams: b.streams})
			if err != nil {
				t.Fatal(err)
			}
			var took [2]float64
			for i := range took {
				start := time.Now()
				if _, err := list(j, plan, plan.Work()); err != nil {
					t.Error(err)
				}
				took[i] = time.Since(start).Seconds()
			}
			cells = append(cells, fmt.Sprintf("%.2f, %.2f", took[0], took[1]))
			if err := j.Close(); err != nil {
				t.Error(err)
			}
		}
		fmt.Printf("| %.3g | %d | %s |\n", float64(b.size), b.streams, strings.Join(cells, " | "))
	}

	const residentThreads = 2048 // of a multiprocessor
	onCard(t, func(m *memory) error {
		fmt.Println("\n| dimensions | published kernels | our count, fill |\n|---|---|---|")
		for dim := 2; dim <= 6; dim++ {
			share := func(kernel string, threads int) string {
				n, err := m.stream.Occupancy(fmt.Sprintf("%s_%d", kernel, dim), threads, 0)
				if err != nil {
					t.Error(err)
				}
				return fmt.Sprintf("%.1f %%", 100*float64(n*threads)/residentThreads)
			}
			fmt.Printf("| %d | %s | %s, %s |\n", dim, share("pattern_pairs", patternThreads), share("join_count", joinThreads), share("join_fill", joinThreads))
		}
		return nil
	})

	fmt.Println("\n| data, ε | float64 columns, s | float32 columns, s | ratio |\n|---|---|---|---|")
	j, err := Open(Config{Pattern: PatternUnicomp})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, c := range []struct {
		data
		radius float64
	}{{unif2D2M, .4}, {expo2D2M, 4e-4}, {unif6D2M, 8}} {
		var took [2]float64
		for i, single := range []bool{false, true} {
			var cols []neighbors.Column
			for _, f := range published(c.expo, c.dim, c.n, c.seed) {
				if single {
					cols = append(cols, neighbors.Float32s(narrowed(f.f64)))
				} else {
					cols = append(cols, neighbors.Float64s(f.f64))
				}
			}
			p, err := neighbors.NewPoints(cols...)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: p}, neighbors.Within{Radius: c.radius})
			if err != nil {
				t.Fatal(err)
			}
			took[i] = math.Inf(1)
			for range 3 {
				start := time.Now()
				if _, err := list(j, plan, plan.Work()); err != nil {
					t.Fatal(err)
				}
				took[i] = min(took[i], time.Since(start).Seconds())
			}
		}
		fmt.Printf("| %s %g | %.3f | %.3f | %.2f |\n", c.name, c.radius, took[0], took[1], took[0]/took[1])
	}
}

func narrowed(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}

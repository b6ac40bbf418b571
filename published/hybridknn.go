package published

import (
	"fmt"
	"slices"

	"skyjoin/gpu"
	"skyjoin/hybrid"
	"skyjoin/internal/each"
	"skyjoin/internal/epsilon"
	"skyjoin/neighbors"
)

// hybridknn is Gowanlock, Hybrid KNN-Join (2021).
var hybridknn = Paper{
	Number: "004",
	Title:  "Gowanlock, Hybrid KNN-Join: Parallel Nearest Neighbor Searches Exploiting CPU and GPU Architectural Features (JPDC 2021)",
	Tables: []*Table{
		compare(Table{Name: "Table 6", Title: "the choice of ε and the order of the queue, parts of the time, K = 32", Differs: nearTimes + " The CPU chooses and orders here, in a run by itself; the paper's ε is found by kernels."}, []way{overheads()},
			line{near("uniform", 2, 32), []float64{9.82, .063, .068}}, line{near("uniform", 4, 32), []float64{19.54, .037, .035}}, line{near("uniform", 6, 32), []float64{74.5, .012, .011}},
			line{near("expo", 2, 32), []float64{10.82, .057, .063}}, line{near("expo", 4, 32), []float64{22.97, .038, .035}}, line{near("expo", 6, 32), []float64{77.21, .013, .011}}),
		compare(Table{Name: "Table 7", Title: "threads a query, HYBRIDKNN-JOIN", Differs: nearTimes + standsForReal}, []way{shared("t = 1", 1), shared("t = 8", 8), shared("t = 16", 16), shared("t = 32", 32)},
			line{gaia(8), []float64{19.96, 19.9, 19.98, 21}}, line{osm(8), []float64{36.31, 32.45, 31.97, 32.34}}, line{near("uniform", 4, 8), []float64{11.75, 12.23, 12.5, 14}}, line{near("uniform", 6, 8), []float64{41.33, 42.62, 44.85, 52.15}},
			line{gaia(32), []float64{25.85, 25.34, 23.78, 24.4}}, line{osm(32), []float64{36.73, 32.13, 31.92, 31.19}}, line{near("uniform", 4, 32), []float64{20.35, 19.99, 20.15, 21.74}}, line{near("uniform", 6, 32), []float64{90.01, 73.99, 78.15, 84.43}},
			line{gaia(128), []float64{41.45, 39.42, 40.32, 40.38}}, line{osm(128), []float64{35.6, 32.51, 31.57, 32.24}}, line{near("uniform", 4, 128), []float64{41.65, 37.27, 38.27, 40.23}}, line{near("uniform", 6, 128), []float64{184.45, 168.01, 172.23, 172.67}}),
		compare(Table{Name: "Table 8", Title: "part of the queries of the GPU that failed", Differs: nearTimes + standsForReal}, []way{told("failed", failedPart)},
			failures(func(k int) []float64 {
				return map[int][]float64{8: {.073, 0, .163, .217, .27, .087, .257, .342}, 32: {.164, 0, .135, .198, .236, .058, .28, .274}, 96: {.24, 0, .162, .273, .211, .041, .296, .25}}[k]
			})...),
		compare(Table{Name: "Table 9", Title: "indexes built again for a larger distance", Differs: nearTimes + standsForReal + " Their part of the time, published as up to .083, is not measured."}, []way{told("re-indexings", func(r hybrid.Report) float64 { return float64(r.Reindexed) })},
			failures(func(k int) []float64 {
				return map[int][]float64{8: {1, 0, 1, 1, 1, 1, 3, 2}, 32: {1, 0, 1, 1, 1, 1, 2, 2}, 96: {1, 0, 1, 1, 1, 1, 2, 2}}[k]
			})...),
		compare(Table{Name: "Figure 7", Title: "scalability of CPU-ONLY, K = 32", Differs: "The k-d tree here is searched by groups of queries, and all threads share one; the paper's ANN has a tree a process, and 16 processes on as many cores.", Columns: nil},
			[]way{cpuOnly("1 thread", 1), cpuOnly("all threads", 0), speedup("speedup", 0, 1, false)},
			line{gaia(32), []float64{none, none, 5.26}}, line{near("uniform", 2, 32), nil}, line{near("uniform", 4, 32), nil}, line{near("uniform", 6, 32), []float64{none, none, 10.34}}),
		compare(Table{Name: "Figure 10", Title: "CPU-ONLY, and its rows dealt out in turn (RR)", Differs: nearTimes, X: "K"}, []way{cpuOnly("CPU-ONLY", 0), roundRobin(), speedup("CPU-ONLY over RR", 1, 0, false)},
			lines(nears([]string{"uniform"}, 1, 8, 32, 128)...)...),
		compare(Table{Name: "Figure 11", Title: "the first batch of the GPU, n_large, nothing kept for the CPU, K = 32", Differs: nearTimes}, largeBatches(.05, .2, .4, .6, .8, 1), lines(nears(kinds, 32)...)...),
		compare(Table{Name: "Figure 12", Title: "load imbalance", Differs: nearTimes + " In the paper all are below .1.", X: "K"}, []way{told("imbalance", func(r hybrid.Report) float64 { return r.Imbalance })}, lines(nears(kinds, 8, 32, 128)...)...),
		compare(Table{Name: "Figure 13", Title: "the first ε by a factor, K = 32", Differs: nearTimes + standsForReal}, stretched(.25, .5, 1, 2, 4), lines(gaia(32), osm(32), near("uniform", 2, 32), near("expo", 2, 32))...),
		compare(Table{Name: "Figure 14", Title: "rows of the batches of the GPU, K = 8", Differs: "Of all trials together; the first of them are shown."}, []way{batches(6)}, lines(near("uniform", 4, 8), near("expo", 4, 8))...),
		compare(Table{Name: "Figure 15", Title: "part of the rows that remain before each batch of GPU-ONLY, K = 32", Differs: "Rows that 64 batches leave, or 8 in a row find nothing for, go to the CPU."}, []way{remaining(9)},
			line{near("uniform", 6, 32), append(slices.Repeat([]float64{none}, 9), 4)}, line{near("expo", 6, 32), append(slices.Repeat([]float64{none}, 9), 64)}),
		compare(Table{Name: "Figure 16", Title: "times by K, and Figure 19 of them", Differs: nearTimes + " Published speedups over CPU-ONLY are below 2; GPU-ONLY is faster than both in 2-D, uniform, at every K.", X: "K"},
			[]way{cpuOnly("CPU-ONLY", 0), gpuOnly(), shared("HYBRIDKNN-JOIN", 8), speedup("over CPU-ONLY", 0, 2, true), told("rows by the GPU", gpuRows)}, lines(nears(kinds, 1, 8, 32, 128)...)...),
		compare(Table{Name: "Future work", Title: "the algorithm of the CPU by K, dimension and distribution, a million points", Differs: "Times with the index. The paper leaves open how to choose; the choice here is the plan's, by the evenness of the points and their dimensions. In more than three there is the tree alone.", X: "K"},
			[]way{rival("k-d tree", neighbors.KDTree), rival("grid", neighbors.Grid), rival("choice", neighbors.Auto), loss()}, lines(choices(1, 8, 32, 128)...)...),
	},
	Not: []Lack{
		{"Table 5, cache references and misses", "counters of the processor, which `bench/counters.sh` reads by perf where that is allowed"},
		{"Fig. 8 (KDTREE), Figs. 9, 20 (BUFFERKDTREE), and their columns of Figs. 16–18", "programs of others, not built here"},
		{"Fig. 17", "times by K on Gaia and OSM, which are not to be had; Table 7 has three K on data that stand in for them"},
	},
}

const (
	nearTimes     = "Times are of whole joins, both indexes included, which the paper leaves out."
	standsForReal = " A galactic plane with clusters stands in for Gaia, long tracks for OSM."
)

var kinds = []string{"uniform", "expo"}

// near is the data of the paper: 10 million points.
func near(kind string, dim, k int) set { return set{kind: kind, dim: dim, rows: 10_000_000, k: k} }

func gaia(k int) set { return set{kind: "galaxy", dim: 2, rows: 25_000_000, k: k, as: "Gaia"} }
func osm(k int) set  { return set{kind: "tracks", dim: 2, rows: 25_000_000, k: k, as: "OSM"} }

// nears are data of kinds in 2, 4 and 6 dimensions.
func nears(kinds []string, ks ...int) (all []set) {
	for _, kind := range kinds {
		for _, dim := range []int{2, 4, 6} {
			for _, k := range ks {
				all = append(all, near(kind, dim, k))
			}
		}
	}
	return all
}

// choices are data of a million points.
func choices(ks ...int) (all []set) {
	for _, kind := range kinds {
		for _, dim := range []int{2, 3} {
			for _, k := range ks {
				all = append(all, set{kind: kind, dim: dim, rows: 1_000_000, k: k})
			}
		}
	}
	return all
}

// loss is the time of the choice over the least of both.
func loss() way {
	return way{[]Column{{Name: "choice over the best"}}, func(_ *bench, _ *subject, before []float64) ([]float64, error) {
		return []float64{before[2] / min(before[0], before[1])}, nil
	}}
}

// failures are the data of Tables 8 and 9 with published values by K.
func failures(published func(k int) []float64) (all []line) {
	for _, k := range []int{8, 32, 96} {
		for i, s := range append([]set{gaia(k), osm(k)}, nears(kinds, k)...) {
			all = append(all, line{s, []float64{published(k)[i]}})
		}
	}
	return all
}

// cpuOnly is CPU-ONLY.
func cpuOnly(name string, threads int) way {
	return one(name+", s", false, 1, func(b *bench, s *subject) (float64, error) {
		j := b.cpu(neighbors.KDTree)
		if threads > 0 {
			j.Threads = threads
		}
		return b.join(s, j, nil)
	})
}

// roundRobin is CPU-ONLY-RR.
func roundRobin() way {
	return one("CPU-ONLY-RR, s", false, 1, func(b *bench, s *subject) (float64, error) {
		return b.join(s, b.cpu(neighbors.KDTree), func(p *neighbors.Plan) neighbors.Work {
			rows := make([]uint32, 0, p.Len())
			for first := range b.threads {
				for r := first; r < p.Len(); r += b.threads {
					rows = append(rows, uint32(r))
				}
			}
			return neighbors.NewWork(rows, nil)
		})
	})
}

// A search is how HYBRIDKNN-JOIN is run.
type search struct {
	threads int     // t
	large   float64 // n_large, nothing kept for the CPU; 0: both as in the paper
	stretch float64 // of ε_min; 0: 1
	alone   bool    // GPU-ONLY
}

// sharing runs HYBRIDKNN-JOIN, or GPU-ONLY, once for all tables.
func (b *bench) sharing(s *subject, how search) (d division, err error) {
	key := fmt.Sprint(s.set, how)
	if known, ok := b.shared[key]; ok {
		return known, nil
	}
	err = b.on(gpu.Config{Linear: true, Threads: how.threads}, func(g *gpu.Joiner) error {
		tune(g, how.stretch, how.alone)
		if how.alone {
			d.took, err = b.join(s, g, nil)
		} else {
			j := &hybrid.Joiner{CPU: b.cpu(neighbors.KDTree), GPUs: []neighbors.Joiner{g}, Partition: hybrid.Dynamic, Nearest: hybrid.NearestOptions{OwnCells: true}}
			if how.large > 0 {
				j.Nearest.Large, j.Nearest.Window = how.large, -1
			}
			d.took, d.report, err = b.divided(s, j)
		}
		d.rounds = rounds(g)
		return err
	})
	if err == nil {
		b.shared[key] = d
	}
	return d, err
}

// defaultThreads is t.
const defaultThreads = 8

// searched is the time of a run.
func searched(name string, how search) way {
	return one(name+", s", true, 1, func(b *bench, s *subject) (float64, error) {
		d, err := b.sharing(s, how)
		return d.took, err
	})
}

func shared(name string, threads int) way { return searched(name, search{threads: threads}) }

func gpuOnly() way { return searched("GPU-ONLY", search{threads: defaultThreads, alone: true}) }

func largeBatches(parts ...float64) (all []way) {
	for _, large := range parts {
		all = append(all, searched(fmt.Sprintf("%g", large), search{threads: defaultThreads, large: large}))
	}
	return all
}

func stretched(factors ...float64) (all []way) {
	for _, f := range factors {
		all = append(all, searched(fmt.Sprintf("%g ε", f), search{threads: defaultThreads, stretch: f}))
	}
	return all
}

// batches are the rows of the first batches of the GPU in the last of the trials.
func batches(n int) way {
	w := way{measure: func(b *bench, s *subject, _ []float64) ([]float64, error) {
		d, err := b.sharing(s, search{threads: defaultThreads})
		v := slices.Repeat([]float64{none}, n)
		for i := range min(n, len(d.rounds)) {
			v[i] = float64(d.rounds[i])
		}
		return append(v, float64(len(d.rounds)), float64(d.report.Reindexed)), err
	}}
	for i := range n {
		w.columns = append(w.columns, Column{fmt.Sprintf("batch %d", i+1), 1, true})
	}
	w.columns = append(w.columns, Column{"batches", 0, true}, Column{"re-indexings", 0, true})
	return w
}

// remaining is the part of the rows that is left before each of the first batches of
// GPU-ONLY, whose batches have all that is left.
func remaining(n int) way {
	w := way{measure: func(b *bench, s *subject, _ []float64) ([]float64, error) {
		d, err := b.sharing(s, search{threads: defaultThreads, alone: true})
		once := len(d.rounds) / b.trials()
		v := slices.Repeat([]float64{none}, n)
		for i := range min(n, once) {
			v[i] = float64(d.rounds[i]) / float64(s.points.Len())
		}
		return append(v, float64(once)), err
	}}
	for i := range n {
		w.columns = append(w.columns, Column{fmt.Sprintf("batch %d", i+1), 0, true})
	}
	w.columns = append(w.columns, Column{"batches", 0, true})
	return w
}

// overheads are the parts of the time that the choice of ε and the order of the queue
// take, which the CPU does alone, in a run by themselves.
func overheads() way {
	return way{[]Column{{"total, s", 1, true}, {"ε", 0, true}, {"order", 0, true}}, func(b *bench, s *subject, _ []float64) ([]float64, error) {
		d, err := b.sharing(s, search{threads: defaultThreads})
		if err != nil {
			return nil, err
		}
		p, err := b.plan(s)
		if err != nil {
			return nil, err
		}
		chosen, err := seconds(func() error {
			_, err := epsilon.Choose(p, p.Nearest().K, epsilon.CPU{Pairs: p, Threads: b.threads})
			return err
		})
		if err != nil {
			return nil, err
		}
		both, err := seconds(func() error { _, err := ownCells(p, each.Row(p.Len()), b.threads); return err })
		return []float64{d.took, chosen / d.took, max(both-chosen, 0) / d.took}, err
	}}
}

// told is what the report of a run says.
func told(name string, of func(hybrid.Report) float64) way {
	return one(name, true, 0, func(b *bench, s *subject) (float64, error) {
		d, err := b.sharing(s, search{threads: defaultThreads})
		return of(d.report), err
	})
}

// failedPart is the part of the queries of the GPU that it put back.
func failedPart(r hybrid.Report) float64 {
	return float64(r.Failed) / max(float64(r.Failed)+float64(r.Sides[0].Rows), 1)
}

func gpuRows(r hybrid.Report) float64 {
	all := int64(0)
	for _, s := range r.Sides {
		all += s.Rows
	}
	return float64(r.Sides[0].Rows) / max(float64(all), 1)
}

package published

import (
	"slices"

	"skyjoin/gpu"
	"skyjoin/neighbors"
)

// lbjoin is Gallet and Gowanlock, Load Imbalance Mitigation Optimizations (2019).
var lbjoin = Paper{
	Number: "000",
	Title:  "Gallet & Gowanlock, Load Imbalance Mitigation Optimizations for GPU-Accelerated Similarity Joins (HPBDC 2019)",
	Tables: []*Table{
		compare(Table{Name: "Table III", Title: "patterns of cells", Differs: efficiency}, []way{lanes("GPUCALCGLOBAL", full), lanes("UNICOMP", unicomp), lanes("LID-UNICOMP", lid)},
			imbalanced([]float64{26.5, 55.5, 13.2, 60.9, 18.3, 40.4}, []float64{15.2, 42.9, 7.8, 31.6, 10, 25.5}, []float64{75.4, 5.7, 48.94, 4.5, 69.1, 4.6}, []float64{51.3, 3.3, 19.25, 2.1, 40.9, 2.4})...),
		compare(Table{Name: "Table IV", Title: "threads a query", Differs: efficiency}, []way{lanes("k = 1", full), lanes("k = 8", eight)},
			imbalanced([]float64{26.5, 55.5, 40.8, 33.6}, []float64{15.2, 42.9, 39.27, 42.2}, []float64{75.4, 5.7, 80.3, 4.4}, []float64{51.3, 3.3, 60.9, 6.2})...),
		compare(Table{Name: "Table V", Title: "orders of the queries", Differs: efficiency}, []way{lanes("GPUCALCGLOBAL", full), lanes("SORTBYWL", sorting), lanes("WORKQUEUE", queue)},
			imbalanced([]float64{26.5, 55.5, 74.6, 48.7, 83.2, 35.6}, []float64{15.2, 42.9, 71.4, 19.1, 95.6, 13.1}, []float64{75.4, 5.7, 75.4, 5.9, 83.1, 5.6}, []float64{51.3, 3.3, 48.2, 3.5, 48.4, 3})...),
		compare(Table{Name: "Table VI", Title: "combinations, on data that stand in for real ones", Differs: efficiency + " Long tracks stand in for SW2DA and SW2DB, a galactic plane with clusters for Gaia, at radii with about as many neighbours as the papers have for the real data; SW in 3-D has no stand-in."},
			[]way{lanes("GPUCALCGLOBAL", full), lanes("WORKQUEUE, LID-UNICOMP", lidQueue), lanes("WORKQUEUE, LID-UNICOMP, k = 8", combined)},
			line{set{kind: "tracks", dim: 2, rows: 1_864_620, mean: 3720, as: "SW2DA"}, []float64{55.2, 15.1, 89.1, 13, 80.7, 12.5}},
			line{set{kind: "tracks", dim: 2, rows: 5_159_737, mean: 980, as: "SW2DB"}, []float64{54.2, 13.8, 83, 13, 79.7, 12.6}},
			line{set{kind: "galaxy", dim: 2, rows: 50_000_000, mean: 1000, as: "Gaia"}, []float64{64.1, 37.1, 80.3, 27.1, 78.3, 26.7}}),
		compare(Table{Name: "Figure 9", Title: "patterns of cells, by radius", Differs: loadTimes, X: "ε"}, []way{kernels("GPUCALCGLOBAL", full), kernels("UNICOMP", unicomp), kernels("LID-UNICOMP", lid)}, lines(byRadius...)...),
		compare(Table{Name: "Figure 10", Title: "threads a query, by radius", Differs: loadTimes, X: "ε"}, []way{kernels("k = 1", full), kernels("k = 8", eight)}, lines(byRadius...)...),
		compare(Table{Name: "Figure 11", Title: "orders of the queries, by radius", Differs: loadTimes, X: "ε"}, []way{kernels("GPUCALCGLOBAL", full), kernels("SORTBYWL", sorting), kernels("WORKQUEUE", queue)}, lines(byRadius...)...),
		compare(Table{Name: "Figure 13", Title: "WORKQUEUE, LID-UNICOMP and k = 8 together, over SUPER-EGO and GPUCALCGLOBAL", Differs: loadTimes + " The paper has means over all its data of 2.5 and 1.6, at most 10.7 and 9.7.", X: "ε"},
			[]way{kernels("combined", combined), kernels("GPUCALCGLOBAL", full), rival("SUPER-EGO", neighbors.SuperEGO), speedup("over SUPER-EGO", 2, 0, true), speedup("over GPUCALCGLOBAL", 1, 0, true)},
			lines(slices.Concat(byRadius, []set{unif(3, 2, .4), unif(4, 2, 4), unif(5, 2, 8), expo(3, 2, .003), expo(4, 2, .004), expo(5, 2, .006)})...)...),
		compare(Table{Name: "Future work", Title: "UNICOMP beside LID-UNICOMP, and eight threads a query, in two to six dimensions", Differs: counted + " The paper leaves open which pattern is better where, and why k = 8 loses on Unif6D."},
			[]way{steps("all cells", full), steps("UNICOMP", unicomp), steps("LID-UNICOMP", lid), steps("k = 8", eight)},
			lines(unif(2, 2, 1), unif(3, 2, 1), unif(4, 2, 4), unif(5, 2, 6), unif(6, 2, 8), expo(2, 2, .002), expo(3, 2, .003), expo(4, 2, .004), expo(5, 2, .006), expo(6, 2, .012))...),
	},
	Not: []Lack{
		{"Fig. 12", "times over radii on SW and Gaia, which are not to be had; Table VI has one radius on data that stand in for them"},
		{"Table VI, SW3DA and SW3DB", "the data, with electrons as a third column, are not to be had"},
	},
}

const counted = "Counts by an instrumented kernel, which no machine changes: candidates that are compared, the steps of warps if their lanes meet after every cell, and cells that the threads look up, each for a row."

// steps counts what a pattern does for a row.
func steps(name string, cfg gpu.Config) way {
	columns := []Column{{name + ", candidates", 0, true}, {name + ", steps", 0, true}, {name + ", cells", 0, true}}
	return way{columns, func(b *bench, s *subject, _ []float64) (v []float64, err error) {
		err = b.on(cfg, func(j *gpu.Joiner) error {
			p, err := b.plan(s)
			if err != nil {
				return err
			}
			lanes, _, _, err := activeLanes(j, p)
			rows := float64(p.Len())
			v = []float64{float64(lanes[0]) / rows, float64(lanes[2]) / rows, float64(lanes[3]) * float64(max(cfg.Threads, 1)) / rows}
			return err
		})
		return v, err
	}}
}

// The configurations of the paper.
var (
	full     = gpu.Config{Pattern: gpu.PatternFull, Batch: loadBatch}
	unicomp  = gpu.Config{Pattern: gpu.PatternUnicomp, Batch: loadBatch}
	lid      = gpu.Config{Pattern: gpu.PatternLIDUnicomp, Batch: loadBatch}
	eight    = gpu.Config{Pattern: gpu.PatternFull, Threads: 8, Batch: loadBatch}
	sorting  = gpu.Config{Pattern: gpu.PatternFull, Order: gpu.OrderSortByWL, Batch: loadBatch}
	queue    = gpu.Config{Pattern: gpu.PatternFull, Order: gpu.OrderWorkQueue, Batch: loadBatch}
	lidQueue = gpu.Config{Pattern: gpu.PatternLIDUnicomp, Order: gpu.OrderWorkQueue, Batch: loadBatch}
	combined = gpu.Config{Pattern: gpu.PatternLIDUnicomp, Order: gpu.OrderWorkQueue, Threads: 8, Batch: loadBatch}
)

// loadBatch is b_s.
const loadBatch = 100_000_000

const (
	loadTimes  = "Exponential data have radii a hundredth of those that the paper names, which would make nearly all points neighbours. Times are of whole joins, index and transfers included."
	efficiency = "WEE is the part of the lanes that compare a candidate, over all steps of warps in which one does, by an instrumented kernel; published by Nvidia's profiler, over all instructions. " + loadTimes
)

// imbalanced are the data of Tables III to V, with their published values.
func imbalanced(published ...[]float64) (all []line) {
	for i, s := range []set{expo(2, 2, .002), expo(6, 2, .012), unif(2, 2, 1), unif(6, 2, 8)} {
		all = append(all, line{s, published[i]})
	}
	return all
}

// byRadius are those of Figures 9 to 11.
var byRadius = radii([]set{expo(2, 2, .002), expo(6, 2, .012), unif(2, 2, 1), unif(6, 2, 8)}, .2, .4, .6, .8, 1)

// radii returns the sets at parts of their radii.
func radii(sets []set, parts ...float64) (all []set) {
	for _, s := range sets {
		for _, p := range parts {
			t := s
			t.radius = rounded(s.radius * p)
			all = append(all, t)
		}
	}
	return all
}

package published

import (
	"time"

	"skyjoin/internal/grid"
	"skyjoin/internal/superego"
	"skyjoin/neighbors"
)

// hegjoin is Gallet and Gowanlock, Heterogeneous CPU-GPU Epsilon Grid Joins (2020).
var hegjoin = Paper{
	Number: "003",
	Title:  "Gallet & Gowanlock, Heterogeneous CPU-GPU Epsilon Grid Joins (DSE 2020)",
	Tables: []*Table{&pruning, &egoSort, &successor},
	Not: []Lack{
		{"Tables 2 and 3, Figs. 10–13: SW, SDSS, Gaia, OSM", "the data are not to be had"},
		{"Table 3, Expo8D10M 0.012", "the neighbours alone are counted for longer than was waited for, 20 minutes of two busy cores"},
		{"Tables 4 and 5, Figs. 8, 9, 10, 12, 13", "need a card, and are not made by this command yet; `make bench-hybrid` measures joins on both sides"},
	},
}

// pruning is Table 3: how many candidates each index leaves to be compared.
var pruning = Table{
	Name:    "Table 3",
	Title:   "candidate points refined by LBJOIN and by NEW-SUPER-EGO",
	Differs: "Seeded data of our own with the distribution of the paper. Candidates are counted, not timed, so that no machine matters. LBJOIN's are the points of the own and the adjacent cells of length ε, by a count over both sorted sequences. On Expo4D2M the paper has fewer of them than this definition gives, on the others as many.",
	Columns: []Column{{Name: "S"}, {Name: "LBJOIN", Scales: 1}, {Name: "NEW-SUPER-EGO", Scales: 1}, {Name: "LBJOIN / NEW-SUPER-EGO"}},
	rows: []row{
		pruned(set{2, 2_000_000, .002}, 9390, 51_789_286_408, 50_121_273_123, 1.03),
		pruned(set{2, 10_000_000, .0004}, 1990, 56_439_981_246, 54_645_837_741, 1.03),
		pruned(set{4, 2_000_000, .01}, 9260, 113_929_159_776, 177_787_029_288, .64),
		pruned(set{4, 10_000_000, .004}, 1630, 217_420_698_818, 216_050_585_244, 1.01),
		pruned(set{8, 2_000_000, .015}, 157, 77_827_299_052, 108_430_322_625, .72),
	},
}

func pruned(s set, published ...float64) row {
	return row{s.name(), published, func(b *bench) ([]float64, error) {
		columns, err := b.columns(s)
		if err != nil {
			return nil, err
		}
		plan, err := b.plan(columns, b.radius(s))
		if err != nil {
			return nil, err
		}
		counts := make([]int64, plan.Len())
		if err := neighbors.Count(b.ctx, neighbors.CPU{Threads: b.threads}, plan, plan.Work(), counts); err != nil {
			return nil, err
		}
		found := int64(0)
		for _, n := range counts {
			found += n
		}
		ego, err := neighbors.CPU{Threads: b.threads, Algorithm: neighbors.NewSuperEGO}.Candidates(b.ctx, plan)
		if err != nil {
			return nil, err
		}
		order, err := superego.NewOrder(grid.Reach(plan.SquaredRadius()), columns, nil)
		if err != nil {
			return nil, err
		}
		sequence, err := order.Sort(b.ctx, columns, b.threads)
		if err != nil {
			return nil, err
		}
		lb := sequence.Adjacent(b.threads)
		return []float64{float64(found) / float64(plan.Len()), float64(lb), float64(ego), float64(lb) / float64(ego)}, nil
	}}
}

// egoSort is Fig. 7a.
var egoSort = Table{
	Name:    "Figure 7a",
	Title:   "EGO-sort of NEW-SUPER-EGO over that of SUPER-EGO",
	Differs: "Published are means, 7.18 over all sets of 2M points and 10.55 over those of 10M, of a parallel sample sort by 32 threads over qsort; here a parallel radix sort over a plain one that compares cells.",
	Columns: []Column{{Name: "one thread, plain, s", Scales: 1}, {Name: "all threads, s", Scales: 1}, {Name: "speedup"}},
	rows: []row{
		sorted(set{2, 2_000_000, .002}, 7.18), sorted(set{4, 2_000_000, .01}, 7.18), sorted(set{8, 2_000_000, .015}, 7.18),
		sorted(set{2, 10_000_000, .0004}, 10.55), sorted(set{8, 10_000_000, .012}, 10.55),
	},
}

func sorted(s set, speedup float64) row {
	return row{s.name(), []float64{none, none, speedup}, func(b *bench) ([]float64, error) {
		columns, err := b.columns(s)
		if err != nil {
			return nil, err
		}
		r := b.radius(s)
		order, err := superego.NewOrder(grid.Reach(r*r), columns, nil)
		if err != nil {
			return nil, err
		}
		plain, err := seconds(func() error { _, err := order.SortPlain(b.ctx, columns); return err })
		if err != nil {
			return nil, err
		}
		parallel, err := seconds(func() error { _, err := order.Sort(b.ctx, columns, b.threads); return err })
		return []float64{plain, parallel, plain / parallel}, err
	}}
}

// successor is Fig. 7b.
var successor = Table{
	Name:    "Figure 7b",
	Title:   "NEW-SUPER-EGO over SUPER-EGO",
	Differs: "Published is the mean, 1.63, over SW's sets, which are not to be had; here exponential data. Both are float64 and count neighbours, index included (published: SUPER-EGO in float32); ours compares with vector instructions in NEW-SUPER-EGO only.",
	Columns: []Column{{Name: "SUPER-EGO, s", Scales: 1}, {Name: "NEW-SUPER-EGO, s", Scales: 1}, {Name: "speedup"}},
	rows:    []row{succeeded(set{2, 2_000_000, .0001}), succeeded(set{2, 2_000_000, .0004}), succeeded(set{4, 2_000_000, .002})},
}

func succeeded(s set) row {
	return row{s.name(), []float64{none, none, 1.63}, func(b *bench) ([]float64, error) {
		columns, err := b.columns(s)
		if err != nil {
			return nil, err
		}
		var took [2]float64
		for i, a := range []neighbors.Algorithm{neighbors.SuperEGO, neighbors.NewSuperEGO} {
			plan, err := b.plan(columns, b.radius(s)) // without an index from the other
			if err != nil {
				return nil, err
			}
			counts := make([]int64, plan.Len())
			took[i], err = seconds(func() error {
				return neighbors.Count(b.ctx, neighbors.CPU{Threads: b.threads, Algorithm: a}, plan, plan.Work(), counts)
			})
			if err != nil {
				return nil, err
			}
		}
		return []float64{took[0], took[1], took[0] / took[1]}, nil
	}}
}

// seconds is the time that f takes.
func seconds(f func() error) (float64, error) {
	start := time.Now()
	err := f()
	return max(time.Since(start).Seconds(), 1e-9), err
}

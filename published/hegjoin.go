package published

import (
	"skyjoin/hybrid"
	"skyjoin/internal/grid"
	"skyjoin/internal/superego"
	"skyjoin/neighbors"
)

// hegjoin is Gallet and Gowanlock, Heterogeneous CPU-GPU Epsilon Grid Joins (2020).
var hegjoin = Paper{
	Number: "003",
	Title:  "Gallet & Gowanlock, Heterogeneous CPU-GPU Epsilon Grid Joins (DSE 2020)",
	Tables: []*Table{
		&pruning, &egoSort, &successor,
		compare(Table{Name: "Table 4", Title: "candidates refined a second", Differs: heteroTimes + " Candidates are those of LBJOIN for DYN. The paper's upper bound on Expo8D2M is less than the sum of both: their ratio is .64."},
			[]way{throughput(), bound(), dynamicThroughput()}, refined...),
		compare(Table{Name: "Table 5", Title: "transfers of HEGJOIN-DYN", Differs: heteroTimes + " Transfers of streams that overlap are added up."},
			[]way{dividedWay("transfer, s", hybrid.Dynamic, func(d division) float64 { return d.report.Transfer }), dividedWay("HEGJOIN-DYN, s", hybrid.Dynamic, elapsed), speedup("ratio", 0, 1, true)}, transferred...),
		compare(Table{Name: "Figure 8", Title: "LBJOIN and NEW-SUPER-EGO beside the model", Differs: heteroTimes + heteroModel, X: "ε"},
			[]way{card(), modelled("LBJOIN, model, s", true), host(), modelled("NEW-SUPER-EGO, model, s", false)}, lines(heterogeneous...)...),
		compare(Table{Name: "Figure 9", Title: "HEGJOIN-SQ and -SC beside the model", Differs: heteroTimes + heteroModel, X: "ε"},
			[]way{together(), dividedWay("HEGJOIN-SQ, s", hybrid.ByRows, elapsed), dividedWay("HEGJOIN-SC, s", hybrid.ByCandidates, elapsed)}, lines(heterogeneous...)...),
		compare(Table{Name: "Figure 10", Title: "times by radius, and Figure 13 of them", Differs: heteroTimes + " The paper's means of HEGJOIN-DYN are 1.50 over NEW-SUPER-EGO and 1.59 over LBJOIN on its first platform, 2.99 and 1.23 on its second.", X: "ε"},
			[]way{
				dividedWay("HEGJOIN-DYN, s", hybrid.Dynamic, elapsed), dividedWay("HEGJOIN-SQ, s", hybrid.ByRows, elapsed), dividedWay("HEGJOIN-SC, s", hybrid.ByCandidates, elapsed), card(), host(),
				speedup("DYN over NEW-SUPER-EGO", 4, 0, true), speedup("DYN over LBJOIN", 3, 0, true),
			}, lines(heterogeneous...)...),
		compare(Table{Name: "Figure 12", Title: "load imbalance", Differs: heteroTimes + " The paper's means are .14 of DYN, .53 of SQ, .32 of SC.", X: "ε"},
			[]way{dividedWay("DYN", hybrid.Dynamic, imbalance), dividedWay("SQ", hybrid.ByRows, imbalance), dividedWay("SC", hybrid.ByCandidates, imbalance)}, lines(heterogeneous...)...),
	},
	Not: []Lack{
		{"Tables 2 to 5, Figs. 8–13: SW, SDSS, Gaia, OSM", "the data are not to be had"},
		{"Table 3, Expo8D10M 0.012", "the neighbours alone are counted for longer than was waited for, 20 minutes of two busy cores"},
		{"Fig. 11", "times on real data, which are not to be had"},
	},
}

// pruning is Table 3: how many candidates each index leaves to be compared.
var pruning = Table{
	Name:    "Table 3",
	Title:   "candidate points refined by LBJOIN and by NEW-SUPER-EGO",
	Differs: "Seeded data of our own with the distribution of the paper. Candidates are counted, not timed, so that no machine matters. LBJOIN's are the points of the own and the adjacent cells of length ε, by a count over both sorted sequences. On Expo4D2M the paper has fewer of them than this definition gives, on the others as many.",
	Columns: []Column{{Name: "S"}, {Name: "LBJOIN", Scales: 1}, {Name: "NEW-SUPER-EGO", Scales: 1}, {Name: "LBJOIN / NEW-SUPER-EGO"}},
	rows: []row{
		pruned(expo(2, 2, .002), 9390, 51_789_286_408, 50_121_273_123, 1.03),
		pruned(expo(2, 10, .0004), 1990, 56_439_981_246, 54_645_837_741, 1.03),
		pruned(expo(4, 2, .01), 9260, 113_929_159_776, 177_787_029_288, .64),
		pruned(expo(4, 10, .004), 1630, 217_420_698_818, 216_050_585_244, 1.01),
		pruned(expo(8, 2, .015), 157, 77_827_299_052, 108_430_322_625, .72),
	},
}

func pruned(s set, published ...float64) row {
	return row{label: s.name(), published: published, measure: func(b *bench) ([]float64, error) {
		data, err := b.subject(s)
		if err != nil {
			return nil, err
		}
		plan, err := b.plan(data)
		if err != nil {
			return nil, err
		}
		counts := make([]int64, plan.Len())
		if err := neighbors.Count(b.ctx, b.cpu(neighbors.Auto), plan, plan.Work(), counts); err != nil {
			return nil, err
		}
		found := int64(0)
		for _, n := range counts {
			found += n
		}
		lb, ego, err := b.candidates(data)
		return []float64{float64(found) / float64(plan.Len()), lb, ego, lb / ego}, err
	}}
}

// candidates are the points that LBJOIN and NEW-SUPER-EGO compare rows with.
func (b *bench) candidates(s *subject) (lbjoin, ego float64, err error) {
	plan, err := b.plan(s)
	if err != nil {
		return 0, 0, err
	}
	compared, err := b.cpu(neighbors.NewSuperEGO).Candidates(b.ctx, plan)
	if err != nil {
		return 0, 0, err
	}
	order, err := superego.NewOrder(grid.Reach(plan.SquaredRadius()), s.columns, nil)
	if err != nil {
		return 0, 0, err
	}
	sequence, err := order.Sort(b.ctx, s.columns, b.threads)
	if err != nil {
		return 0, 0, err
	}
	return float64(sequence.Adjacent(b.threads)), float64(compared), nil
}

// egoSort is Fig. 7a.
var egoSort = Table{
	Name:    "Figure 7a",
	Title:   "EGO-sort of NEW-SUPER-EGO over that of SUPER-EGO",
	Differs: "Published are means, 7.18 over all sets of 2M points and 10.55 over those of 10M, of a parallel sample sort by 32 threads over qsort; here a parallel radix sort over a plain one that compares cells.",
	Columns: []Column{{Name: "one thread, plain, s", Scales: 1}, {Name: "all threads, s", Scales: 1}, {Name: "speedup"}},
	rows: []row{
		sorted(expo(2, 2, .002), 7.18), sorted(expo(4, 2, .01), 7.18), sorted(expo(8, 2, .015), 7.18),
		sorted(expo(2, 10, .0004), 10.55), sorted(expo(8, 10, .012), 10.55),
	},
}

func sorted(s set, speedup float64) row {
	return row{label: s.name(), published: []float64{none, none, speedup}, measure: func(b *bench) ([]float64, error) {
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
	rows:    []row{succeeded(expo(2, 2, .0001)), succeeded(expo(2, 2, .0004)), succeeded(expo(4, 2, .002))},
}

func succeeded(s set) row {
	return row{label: s.name(), published: []float64{none, none, 1.63}, measure: func(b *bench) ([]float64, error) {
		data, err := b.subject(s)
		if err != nil {
			return nil, err
		}
		var took [2]float64
		for i, a := range []neighbors.Algorithm{neighbors.SuperEGO, neighbors.NewSuperEGO} {
			plan, err := b.plan(data)
			if err != nil {
				return nil, err
			}
			counts := make([]int64, plan.Len())
			took[i], err = seconds(func() error {
				return neighbors.Count(b.ctx, b.cpu(a), plan, plan.Work(), counts)
			})
			if err != nil {
				return nil, err
			}
		}
		return []float64{took[0], took[1], took[0] / took[1]}, nil
	}}
}

package hdbscan

import (
	"cmp"
	"slices"
	"strconv"

	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/each"
)

// shown is how many clusters the summary shows.
const shown = 12

// report says what was found. With several sizes the first one is in the result
// itself, and all are in a list.
func (r *result) report() {
	o := &r.job.Sum.Result
	o.Add(r.answers[0].found())
	if r.tree != nil { // it is not stored
		nodes, multiway := r.tree.Nodes()
		o.Add(merges{int64(nodes), int64(multiway)})
	}
	unit, inverse := r.lengthUnit()
	r.job.Unit(unit)
	if unit != "" && r.job.Run.AsJSON() {
		o.Add(inverseLengths{inverse})
	}
	o.Add(selected{r.answers[0].selected(r)})
	if len(r.answers) > 1 {
		o.Add(bySize{each.Of(r.answers, func(a answer) Sized { return Sized{a.size, a.found()} })})
	}
	r.job.Sum.Detail = r.answers[0].table(r)
}

// found are the numbers of one size.
func (a *answer) found() Found {
	splits := map[int32]bool{}
	for _, c := range a.condensed.Clusters[1:] {
		splits[c.Parent] = true
	}
	f := Found{
		Clusters: int64(a.clustering.Clusters()), Noise: a.clustering.NoiseCount, Largest: a.clustering.Largest(),
		Nodes: int64(len(a.condensed.Clusters)), Splits: int64(len(splits)), Infinite: a.clustering.Infinite,
	}
	if a.validity != nil {
		f.DBCV = new(report.Float(a.validity.Index))
	}
	return f
}

// selected are the selected clusters, for the summary.
func (a *answer) selected(r *result) []Selected {
	all := make([]Selected, a.clustering.Clusters())
	for label, node := range a.clustering.Nodes {
		c := a.condensed.Clusters[node]
		all[label] = Selected{
			int64(label), int64(node), a.clustering.Sizes[label], report.Float(c.Stability * r.perUnit),
			report.Float(r.height(c.Birth)), report.Float(r.height(c.Death)), report.Float(c.Persistence),
		}
	}
	return all
}

// table is the largest clusters for people, nil if there are none.
func (a *answer) table(r *result) *human.Grid {
	n := a.clustering.Clusters()
	if n == 0 {
		return nil
	}
	unit, _ := r.lengthUnit()
	if unit != "" {
		unit = " (" + unit + ")"
	}
	labels := each.To(n, func(i int) int { return i })
	slices.SortStableFunc(labels, func(x, y int) int {
		return cmp.Compare(a.clustering.Sizes[y], a.clustering.Sizes[x])
	})
	g := &human.Grid{Right: map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true}}
	g.Add("CLUSTER", "SIZE", "BIRTH"+unit, "DEATH"+unit, "PERSISTENCE")
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
	for _, l := range labels[:min(n, shown)] {
		c := a.condensed.Clusters[a.clustering.Nodes[l]]
		g.Add(strconv.Itoa(l), human.Commas(a.clustering.Sizes[l]), number(r.height(c.Birth)), number(r.height(c.Death)), number(c.Persistence))
	}
	return g
}

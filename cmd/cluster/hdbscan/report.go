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
	r.answers[0].say(o, r)
	if r.tree != nil { // it is not stored
		nodes, multiway := r.tree.Nodes()
		o.Set("merges", int64(nodes))
		o.Set("multiway_nodes", int64(multiway))
	}
	unit, inverse := r.lengthUnit()
	r.job.Unit(unit)
	if unit != "" && r.job.Run.JSON {
		o.Set("stability_unit", inverse)
	}
	o.Set("selected", r.answers[0].selected(r))
	if len(r.answers) > 1 {
		sizes := make([]report.Object, len(r.answers))
		for i := range r.answers {
			sizes[i].Set("min_cluster_size", r.answers[i].size)
			r.answers[i].say(&sizes[i], r)
		}
		o.Set("sizes", sizes)
	}
	r.job.Sum.Detail = r.answers[0].table(r)
}

// say sets the numbers of one size.
func (a *answer) say(o *report.Object, r *result) {
	splits := map[int32]bool{}
	for _, c := range a.condensed.Clusters[1:] {
		splits[c.Parent] = true
	}
	o.Set("clusters", int64(a.clustering.Clusters()))
	o.Set("noise", a.clustering.NoiseCount)
	o.Set("largest", a.clustering.Largest())
	o.Set("nodes", int64(len(a.condensed.Clusters)))
	o.Set("splits", int64(len(splits)))
	o.Set("infinite", a.clustering.Infinite)
	if a.validity != nil {
		o.Set("dbcv", a.validity.Index)
	}
}

// selected are the selected clusters, for the summary.
func (a *answer) selected(r *result) []report.Object {
	all := make([]report.Object, a.clustering.Clusters())
	for label, node := range a.clustering.Nodes {
		c := a.condensed.Clusters[node]
		o := &all[label]
		o.Set("label", int64(label))
		o.Set("node", int64(node))
		o.Set("size", a.clustering.Sizes[label])
		o.Set("stability", c.Stability*r.perUnit)
		o.Set("birth", r.height(c.Birth))
		o.Set("death", r.height(c.Death))
		o.Set("persistence", c.Persistence)
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

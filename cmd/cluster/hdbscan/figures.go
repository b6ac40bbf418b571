package hdbscan

import (
	"context"
	"math"

	"skyjoin/cmd/cluster/internal/drawn"
	"skyjoin/cmd/cluster/internal/pages"
	"skyjoin/internal/expr"
	"skyjoin/internal/page"
	"skyjoin/io/figure"
)

// plotTree draws the condensed tree of the first size.
func (r *result) plotTree(ctx context.Context) error {
	o := r.options
	if o.icicles == "" {
		return nil
	}
	a := r.answers[0]
	unit, _ := r.lengthUnit()
	f := drawn.Tree(a.condensed, a.clustering.Nodes, r.perUnit, unit)
	f.Style = o.Out.Of()
	return pages.Chart(ctx, r.job, []string{o.icicles}, f, func(h page.Head) pages.Document { return r.page(h, &f) })
}

// page is the page of the condensed tree, on which a cluster or a radius is chosen.
func (r *result) page(h page.Head, f *figure.CondensedTree) *page.Tree {
	j := r.job
	h.Label = f.Unit
	if j.Geo.Angle {
		h.Unit = f.Unit
	}
	if r.options.fromTree == "" { // the edges that --cut needs are not in its file
		h.Command = j.Again("hdbscan", "cut")
	}
	name := j.WrittenAs("cluster" + r.suffix(r.answers[0].size))
	t := &page.Tree{Head: h, Labels: page.Label{Name: name, Where: expr.Name(name), Output: j.Out.Output}}
	for _, k := range f.Clusters {
		c := page.TreeCluster{Parent: k.Parent, Death: k.Death, Rows: k.Rows, Left: k.Left, Selected: k.Label}
		if !math.IsInf(k.Birth, 0) {
			c.Birth = &k.Birth
		}
		t.Clusters = append(t.Clusters, c)
	}
	return t
}

// plotDendrogram draws the last merges of parts that both have as many rows as a cluster
// of the first size.
func (r *result) plotDendrogram(ctx context.Context) error {
	o, a := r.options, r.answers[0]
	if o.dendrogram == "" {
		return nil
	}
	unit, _ := r.lengthUnit()
	least := int64(2)
	if o.weights == "" {
		least = int64(a.size)
	}
	f := drawn.Dendrogram(a.clustering.Labels, r.tree.Linkage(), least, r.perUnit, unit)
	f.Style = o.Out.Of()
	return r.job.Plot(ctx, []string{o.dendrogram}, f)
}

package hdbscan

import (
	"context"
	"math"

	"skyjoin/cmd/cluster/internal/pages"
	"skyjoin/hdbscan"
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
	f := figure.CondensedTree{Unit: unit, Style: o.Out.Of(), Clusters: make([]figure.TreeCluster, len(a.condensed.Clusters))}
	for id, c := range a.condensed.Clusters {
		f.Clusters[id] = figure.TreeCluster{Parent: c.Parent, Birth: r.height(c.Birth), Death: r.height(c.Death), Rows: c.Rows, Label: hdbscan.Noise}
		if c.Parent >= 0 {
			f.Clusters[c.Parent].Left += c.Rows
		}
	}
	for label, id := range a.clustering.Nodes {
		f.Clusters[id].Label = int32(label)
	}
	node, height := a.condensed.Rows()
	for i, id := range node {
		if height[i] == a.condensed.Clusters[id].Death {
			f.Clusters[id].Left++
		}
	}
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

// drawnMerges is how many merges of the dendrogram are drawn.
const drawnMerges = 49

// several is the label of parts that have rows of several clusters.
const several = hdbscan.Noise - 1

// plotDendrogram draws the last merges of parts that both have as many rows as a cluster,
// of the first size; others only drop out.
func (r *result) plotDendrogram(ctx context.Context) error {
	o, a := r.options, r.answers[0]
	if o.dendrogram == "" {
		return nil
	}
	unit, _ := r.lengthUnit()
	d := top{labels: a.clustering.Labels, merges: r.tree.Linkage(), figure: figure.Dendrogram{Unit: unit, Style: o.Out.Of()}}
	least := int64(2)
	if o.weights == "" {
		least = int64(a.size)
	}
	d.draw(least, drawnMerges)
	for i := range d.figure.Merges {
		d.figure.Merges[i].Distance = r.height(d.figure.Merges[i].Distance)
	}
	return r.job.Plot(ctx, []string{o.dendrogram}, d.figure)
}

// A top is the merges of a dendrogram that are drawn.
type top struct {
	labels []int32
	merges []hdbscan.Merge
	label  []int32 // of the one cluster whose rows a merge has, noise left out
	figure figure.Dendrogram
}

func (d *top) rows(id int64) int64 {
	if n := int64(len(d.labels)); id >= n {
		return d.merges[id-n].Rows
	}
	return 1
}

func (d *top) labelOf(id int64) int32 {
	if n := int64(len(d.labels)); id >= n {
		return d.label[id-n]
	}
	return d.labels[id]
}

// together is the label of two parts.
func together(a, b int32) int32 {
	switch {
	case a == b || b == hdbscan.Noise:
		return a
	case a == hdbscan.Noise:
		return b
	}
	return several
}

// draw takes apart what the last merges of parts of at least so many rows have made.
func (d *top) draw(least int64, most int) {
	n := int64(len(d.labels))
	d.label = make([]int32, len(d.merges))
	var kept []int // merges
	for i, m := range d.merges {
		d.label[i] = together(d.labelOf(m.A), d.labelOf(m.B))
		if min(d.rows(m.A), d.rows(m.B)) >= least {
			kept = append(kept, i)
		}
	}
	kept = kept[max(len(kept)-most, 0):]
	drawn := map[int64]int{} // the last drawn merge within a part
	next := 0
	for i, m := range d.merges {
		id := n + int64(i)
		a, inA := drawn[m.A]
		b, inB := drawn[m.B]
		switch {
		case next < len(kept) && kept[next] == i:
			d.figure.Merges = append(d.figure.Merges, figure.BranchMerge{A: d.side(m.A, a, inA), B: d.side(m.B, b, inB), Distance: m.Height, Label: d.label[i]})
			drawn[id] = next
			next++
		case inA:
			drawn[id] = a
		case inB:
			drawn[id] = b
		}
	}
	for i := range d.figure.Merges { // numbers of merges come after those of branches
		for _, side := range []*int{&d.figure.Merges[i].A, &d.figure.Merges[i].B} {
			if *side < 0 {
				*side = len(d.figure.Branches) - 1 - *side
			}
		}
	}
}

// side is the number of one side of a merge: of a branch, or below 0 of a merge.
func (d *top) side(id int64, merge int, within bool) int {
	if within {
		return -1 - merge
	}
	d.figure.Branches = append(d.figure.Branches, figure.Branch{Rows: d.rows(id), Label: d.labelOf(id)})
	return len(d.figure.Branches) - 1
}

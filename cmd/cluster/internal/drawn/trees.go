package drawn

import (
	"skyjoin/hdbscan"
	"skyjoin/io/figure"
)

// Tree is a condensed tree with the nodes of the clusters that are selected, by their
// labels; perUnit is how many heights are one of the unit.
func Tree(c *hdbscan.Condensed, nodes []int32, perUnit float64, unit string) figure.CondensedTree {
	f := figure.CondensedTree{Unit: unit, Clusters: make([]figure.TreeCluster, len(c.Clusters))}
	for id, k := range c.Clusters {
		f.Clusters[id] = figure.TreeCluster{Parent: k.Parent, Birth: k.Birth / perUnit, Death: k.Death / perUnit, Rows: k.Rows, Label: hdbscan.Noise}
		if k.Parent >= 0 {
			f.Clusters[k.Parent].Left += k.Rows
		}
	}
	for label, id := range nodes {
		f.Clusters[id].Label = int32(label)
	}
	node, height := c.Rows()
	for i, id := range node {
		if height[i] == c.Clusters[id].Death {
			f.Clusters[id].Left++
		}
	}
	return f
}

// drawnMerges is how many merges of a dendrogram are drawn.
const drawnMerges = 49

// several is the label of parts that have rows of several clusters.
const several = hdbscan.Noise - 1

// Dendrogram is the last merges of parts that both have at least so many rows, as others
// only drop out.
func Dendrogram(labels []int32, merges []hdbscan.Merge, least int64, perUnit float64, unit string) figure.Dendrogram {
	d := top{labels: labels, merges: merges, figure: figure.Dendrogram{Unit: unit}}
	d.draw(least, drawnMerges)
	for i := range d.figure.Merges {
		d.figure.Merges[i].Distance /= perUnit
	}
	return d.figure
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

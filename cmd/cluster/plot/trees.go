package plot

import (
	"context"
	"math"
	"strconv"

	"skyjoin/cmd/cluster/internal/drawn"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/hdbscan"
	"skyjoin/internal/each"
)

// tree draws a condensed tree of one --min-cluster-size, with the clusters that the run
// selected as far as --select says.
func (d *drawing) tree(ctx context.Context) error {
	t, err := d.table(ctx, "parent")
	if err != nil {
		return err
	}
	v, err := t.numbers(ctx, "min_cluster_size", "parent", "child", "height", "weight")
	if err != nil {
		return err
	}
	s := hdbscan.Stored{Threads: d.Run.Count()}
	for i, size := range v[0] {
		switch parent, child, height := v[1][i], v[2][i], v[3][i]; {
		case size != v[0][0]:
			return exit.Usagef("%s: trees of --min-cluster-size %v and %v; choose one, as in --where \"min_cluster_size == %v\"", t.path, v[0][0], size, v[0][0])
		case !(parent >= 0 && parent <= math.MaxInt32) || child >= 0 && child != float64(len(s.Parents)+1):
			return exit.Usagef("%s: parent %v and child %v are in no --tree of hdbscan", t.path, parent, child)
		case child >= 0:
			s.Parents, s.Births = append(s.Parents, int32(parent)), append(s.Births, height)
		default:
			s.Cluster, s.Height, s.Weights = append(s.Cluster, int32(parent)), append(s.Height, height), append(s.Weights, v[4][i])
		}
		s.MinClusterSize = size
	}
	condensed, err := s.Restore()
	if err != nil {
		return exit.Usagef("%s: %s", t.path, exit.Message(err))
	}
	selection := hdbscan.Selection{SingleCluster: t.parameter("single-cluster") == "true"}
	if t.parameter("select") == "leaf" {
		selection.Method = hdbscan.Leaf
	}
	selection.MaxClusterSize, _ = strconv.ParseFloat(t.parameter("max-cluster-size"), 64) // none is 0
	c, err := condensed.Select(selection)
	if err != nil {
		return err
	}
	perUnit, unit := d.lengthsOf(t)
	f := drawn.Tree(condensed, c.Nodes, perUnit, unit)
	f.Style = d.Out.Of()
	return d.show(ctx, f)
}

// lengthsOf is how many heights of a tree, which are in radians on the sky, are one of
// the unit that figures have.
func (d *drawing) lengthsOf(t *table) (perUnit float64, unit string) {
	if unit = t.unit("height"); unit == "rad" {
		return math.Pi / 180 / 3600, "arcsec"
	}
	return 1, unit
}

// dendrogram draws the last merges of --linkage, without clusters.
func (d *drawing) dendrogram(ctx context.Context) error {
	t, err := d.table(ctx, "a")
	if err != nil {
		return err
	}
	v, err := t.numbers(ctx, "a", "b", "height", "size")
	if err != nil {
		return err
	}
	merges := each.To(len(v[0]), func(i int) hdbscan.Merge {
		return hdbscan.Merge{A: int64(v[0][i]), B: int64(v[1][i]), Height: v[2][i], Rows: int64(v[3][i])}
	})
	labels := make([]int32, len(merges)+1)
	for i := range labels {
		labels[i] = hdbscan.Noise
	}
	for i, m := range merges {
		if known := int64(len(labels) + i); !(m.A >= 0 && m.A < known && m.B >= 0 && m.B < known) {
			return exit.Usagef("%s: merge %d is of %d and %d, which no --linkage has", t.path, i, m.A, m.B)
		}
	}
	least, _ := strconv.ParseInt(t.parameter("min-cluster-size"), 10, 64)
	f := drawn.Dendrogram(labels, merges, max(least, 2), 1, t.unit("height"))
	f.Style = d.Out.Of()
	return d.show(ctx, f)
}

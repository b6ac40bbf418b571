package hdbscan

import (
	"context"
	"math"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/dbscan"
	"skyjoin/hdbscan"
	"skyjoin/hdbscan/validity"
	"skyjoin/internal/each"
	"skyjoin/io/catalog"
)

// A described is a selected cluster and what its table has of it.
type described struct {
	size  float64 // min-cluster-size
	label int32
	node  int32
	hdbscan.Cluster
	where dbscan.Cluster
	test  validity.Test
	valid float64 // of --dbcv
	deep  int64   // row of the input that leaves last
}

// describe summarises the clusters of all sizes.
func (r *result) describe(ctx context.Context) ([]described, error) {
	var all []described
	for _, a := range r.answers {
		core := each.Of(a.clustering.Labels, func(l int32) bool { return l >= 0 })
		links, err := r.links(ctx, &a)
		if err != nil {
			return nil, exit.OverMemory(err)
		}
		where, err := dbscan.Summarize(ctx, r.job.Sel.Points, r.job.Metric,
			&dbscan.Result{Labels: a.clustering.Labels, Core: core, Sizes: a.clustering.Sizes, Links: links}, r.job.Join(nil))
		if err != nil {
			return nil, exit.OverMemory(err)
		}
		tests := make([]validity.Test, len(a.clustering.Nodes))
		if r.options.test.Value != "" {
			opt := validity.TestOptions{Threads: r.job.Run.Count(), Memory: r.job.Run.Memory.Bytes}
			if tests, err = validity.Significance(ctx, r.job.Sel.Points, r.job.Metric, a.clustering.Labels, opt); err != nil {
				return nil, exit.OverMemory(err)
			}
		}
		deepest := r.deepest(&a)
		for label, node := range a.clustering.Nodes {
			d := described{a.size, int32(label), node, a.condensed.Clusters[node], where[label], tests[label], 0, deepest[label]}
			if a.validity != nil {
				d.valid = a.validity.Clusters[label].Validity
			}
			all = append(all, d)
		}
	}
	return all, nil
}

// deepest returns of every cluster the row of the input that leaves it last, the lowest
// of several.
func (r *result) deepest(a *answer) []int64 {
	_, height := a.condensed.Rows()
	rows := r.job.Rows()
	deepest, least := make([]int64, a.clustering.Clusters()), make([]float64, a.clustering.Clusters())
	for label := range least {
		least[label] = math.Inf(1)
	}
	for i, label := range a.clustering.Labels {
		if label >= 0 && height[i] < least[label] {
			deepest[label], least[label] = rows[i], height[i]
		}
	}
	return deepest
}

// clusterTable is the table of --clusters.
func (r *result) clusterTable(ctx context.Context) ([]catalog.Column, error) {
	all, err := r.describe(ctx)
	if err != nil {
		return nil, err
	}
	unit, inverse := r.lengthUnit()
	var cols []catalog.Column
	if len(r.answers) > 1 {
		cols = append(cols, columns.Reals("min_cluster_size", "", "min-cluster-size", each.Of(all, func(c described) float64 { return c.size })))
	}
	cols = append(cols,
		columns.Ints("cluster", catalog.Int32, "cluster number", each.Of(all, func(c described) int64 { return int64(c.label) })),
		columns.Ints("node", catalog.Int32, "node of the condensed tree", each.Of(all, func(c described) int64 { return int64(c.node) })),
		columns.Ints("size", catalog.Int64, "rows with the label", each.Of(all, func(c described) int64 { return c.where.Size })),
		columns.Reals("weight", "", "what the rows of the node weigh", each.Of(all, func(c described) float64 { return c.Weight })),
		columns.Reals("birth", unit, "distance at which the cluster parts from others", each.Of(all, func(c described) float64 { return r.height(c.Birth) })),
		columns.Reals("death", unit, "distance at which it splits, or its last rows leave", each.Of(all, func(c described) float64 { return r.height(c.Death) })),
		columns.Reals("stability", inverse, "sum over its rows of 1/distance where they leave, less 1/birth", each.Of(all, func(c described) float64 { return c.Stability * r.perUnit })),
		columns.Reals("persistence", "", "stability of a row as a part of the largest 1/distance", each.Of(all, func(c described) float64 { return c.Persistence })))
	if r.options.test.Value != "" {
		cols = append(cols, columns.Reals("cst", "", "significance against the rows around it, in standard deviations",
			each.Of(all, func(c described) float64 { return c.test.Sigma })))
	}
	if r.options.dbcv {
		cols = append(cols, columns.Reals("dbcv", "", "validity by density", each.Of(all, func(c described) float64 { return c.valid })))
	}
	cols = append(cols, columns.Ints("exemplar", catalog.Int64, "row of the input, from 0, that leaves last", each.Of(all, func(c described) int64 { return c.deep })))
	first := len(cols) // of the columns about the centre
	for i, f := range r.job.Sel.Fields {
		cols = append(cols,
			columns.Reals(f.Name, f.Unit, "centre", each.Of(all, func(c described) float64 { return c.where.Centre[i] })),
			columns.Reals(f.Name+"_std", f.Unit, "standard deviation about the centre", each.Of(all, func(c described) float64 { return c.where.Deviation[i] })))
	}
	cols = append(cols, columns.Reals("extent", unit, "largest distance of a row from the centre", each.Of(all, func(c described) float64 { return r.height(c.where.Extent) })))
	wraps := each.Of(all, func(c described) bool { return c.where.Wraps })
	columns.NullWhere(cols[first:], wraps)
	r.job.Sum.Wrapping(wraps)
	return columns.Distinct(cols), nil
}

// treeTable is the condensed tree of --tree: a row for each child of a node, be
// it a node or a row of the catalog. Heights are in the unit of the metric,
// radians on the sky, so that --from-tree has the same bits.
func (r *result) treeTable(context.Context) ([]catalog.Column, error) {
	var size, height, weight []float64
	var parent, child, row, rows []int64
	points := r.job.Rows()
	for _, a := range r.answers {
		for id, c := range a.condensed.Clusters[1:] {
			size, parent, child, row = append(size, a.size), append(parent, int64(c.Parent)), append(child, int64(id+1)), append(row, -1)
			height, rows, weight = append(height, c.Birth), append(rows, c.Rows), append(weight, c.Weight)
		}
		node, left := a.condensed.Rows()
		for i := range node {
			size, parent, child, row = append(size, a.size), append(parent, int64(node[i])), append(child, -1), append(row, points[i])
			height, rows, weight = append(height, left[i]), append(rows, 1), append(weight, r.weight(i))
		}
	}
	unit, inverse := r.lengthUnit()
	if r.job.Geo.Angle {
		unit, inverse = "rad", "rad**-1"
	}
	return []catalog.Column{
		columns.Reals("min_cluster_size", "", "min-cluster-size", size),
		columns.Ints("parent", catalog.Int32, "node, 0 being all rows", parent),
		columns.Ints("child", catalog.Int32, "node that begins there, -1 for a row", child),
		columns.Ints("row", catalog.Int64, "row of the input that leaves there, from 0, -1 for a node", row),
		columns.Reals("height", unit, "distance at which the child leaves", height),
		columns.Reals("lambda", inverse, "1 over it", each.Of(height, func(h float64) float64 { return 1 / h })),
		columns.Ints("size", catalog.Int64, "rows of the child", rows),
		columns.Reals("weight", "", "what they weigh", weight),
	}, nil
}

func (r *result) weight(i int) float64 {
	if r.job.Sel.Weights == nil {
		return 1
	}
	return r.job.Sel.Weights[i]
}

// linkageTable is the dendrogram of --linkage.
func (r *result) linkageTable(context.Context) ([]catalog.Column, error) {
	merges := r.tree.Linkage()
	unit, _ := r.lengthUnit()
	return []catalog.Column{
		columns.Ints("a", catalog.Int64, "a used row, from 0, or n and more: what merge a-n makes", each.Of(merges, func(m hdbscan.Merge) int64 { return m.A })),
		columns.Ints("b", catalog.Int64, "the same, larger", each.Of(merges, func(m hdbscan.Merge) int64 { return m.B })),
		columns.Reals("height", unit, "mutual reachability distance", each.Of(merges, func(m hdbscan.Merge) float64 { return r.height(m.Height) })),
		columns.Ints("size", catalog.Int64, "rows of both", each.Of(merges, func(m hdbscan.Merge) int64 { return m.Rows })),
	}, nil
}

// edgeTable is the edges of --mst.
func (r *result) edgeTable(context.Context) ([]catalog.Column, error) {
	edges, points := r.tree.Edges(), r.job.Rows()
	unit, _ := r.lengthUnit()
	return []catalog.Column{
		columns.Ints("a", catalog.Int64, "row of the input, from 0", each.Of(edges, func(e hdbscan.Edge) int64 { return points[e.A] })),
		columns.Ints("b", catalog.Int64, "row of the input, higher than a", each.Of(edges, func(e hdbscan.Edge) int64 { return points[e.B] })),
		columns.Reals("height", unit, "mutual reachability distance", each.Of(edges, func(e hdbscan.Edge) float64 { return r.height(e.Height) })),
	}, nil
}

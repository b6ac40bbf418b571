package hdbscan

import (
	"context"

	"skyjoin/dbscan"
	"skyjoin/hdbscan"
)

// links are the edges of the spanning tree, and of each cluster the least radius at
// which its rows hang together: the largest height at which one of them leaves, or
// at which it splits. Outside of periodic boxes nothing needs them.
func (r *result) links(ctx context.Context, a *answer) (*dbscan.Links, error) {
	if !r.job.Metric.Kind().Box {
		return nil, nil
	}
	l := &dbscan.Links{Radius: make([]float64, a.clustering.Clusters())}
	for label, node := range a.clustering.Nodes {
		l.Radius[label] = a.condensed.Clusters[node].Death
	}
	_, height := a.condensed.Rows()
	members := make([][]uint32, len(l.Radius))
	for row, label := range a.clustering.Labels {
		if label >= 0 {
			l.Radius[label] = max(l.Radius[label], height[row])
			members[label] = append(members[label], uint32(row))
		}
	}
	for label := range l.Radius {
		l.Radius[label] *= r.alpha // heights are distances divided by it
	}
	if r.tree != nil {
		for _, e := range r.tree.Edges() {
			l.Edges = append(l.Edges, [2]uint32{e.A, e.B})
		}
		return l, nil
	}
	for _, rows := range members { // a tree that was stored has no edges; any within the radius will do
		opt := hdbscan.Options{MinSamples: 1, Threads: r.job.Run.Count(), Memory: r.job.Run.Memory.Bytes}
		tree, err := hdbscan.Build(ctx, r.job.Sel.Points.Subset(rows), r.job.Metric, opt)
		if err != nil {
			return nil, err
		}
		for _, e := range tree.Edges() {
			l.Edges = append(l.Edges, [2]uint32{rows[e.A], rows[e.B]})
		}
	}
	return l, nil
}

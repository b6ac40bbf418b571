package hdbscan

import (
	"context"
	"fmt"
	"slices"

	"skyjoin/cmd/cluster/internal/pages"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/hdbscan"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

// write writes the labels first: they are what the run was for.
func (r *result) write(ctx context.Context) error {
	o, j := r.options, r.job
	defer j.Timed(&j.Sum.Seconds.Write)()
	columns, err := r.columns()
	if err != nil {
		return err
	}
	if err := j.Append(ctx, columns); err != nil {
		return err
	}
	for _, t := range []struct {
		path    string
		columns func(context.Context) ([]catalog.Column, error)
	}{
		{o.clusters, r.clusterTable}, {o.tree, r.treeTable}, {o.linkage, r.linkageTable}, {o.mst, r.edgeTable},
	} {
		if t.path == "" {
			continue
		}
		metadata := j.Params.Metadata
		if t.path == o.tree {
			j.Params.Metadata = append(slices.Clip(metadata), catalog.KeyValue{Key: report.MetadataPrefix + coordinatesKey, Value: r.coordinates()})
		}
		columns, err := t.columns(ctx)
		if err == nil {
			err = j.Table(ctx, t.path, columns)
		}
		j.Params.Metadata = metadata
		if err != nil {
			return err
		}
	}
	first := r.answers[0]
	if err := pages.Plot(ctx, j, first.clustering.Labels, "cluster"+r.suffix(first.size), &o.usual); err != nil {
		return err
	}
	if err := r.plotTree(ctx); err != nil {
		return err
	}
	return r.plotDendrogram(ctx)
}

// columns are those that are added to the catalog.
func (r *result) columns() ([]table.Column, error) {
	rows := r.job.Sel.Rows
	_, inverse := r.lengthUnit()
	var all []table.Column
	for _, a := range r.answers {
		node, height := a.condensed.Rows()
		lambda := r.heights(height)
		for i, h := range lambda {
			lambda[i] = 1 / h
		}
		s := r.suffix(a.size)
		all = append(all,
			table.Column{Name: "cluster" + s, Int32: a.clustering.Labels, Rows: rows, Description: "cluster number, -1 for noise"},
			table.Column{Name: "probability" + s, Float64: a.clustering.Probabilities, Rows: rows, Description: "how firmly the row belongs to its cluster"},
			table.Column{Name: "outlier" + s, Float64: a.condensed.Outliers(), Rows: rows, Description: "GLOSH outlier score"},
			table.Column{Name: "lambda" + s, Float64: lambda, Unit: inverse, Rows: rows, Description: "1 over the distance at which the row leaves its node"},
			table.Column{Name: "node" + s, Int32: node, Rows: rows, Description: "node of the condensed tree that the row leaves"})
		soft, err := r.soft(&a)
		if err != nil {
			return nil, err
		}
		all = append(all, soft...)
	}
	for i, labels := range r.cutLabels {
		text := r.options.cut[i].Text
		all = append(all, table.Column{Name: "cut_" + text, Int32: labels, Rows: rows, Description: "cluster of DBSCAN* at " + text + ", -1 for noise"})
	}
	return all, nil
}

// soft are the columns of --soft.
func (r *result) soft(a *answer) (all []table.Column, err error) {
	k := int(r.options.soft.Value)
	if k == 0 {
		return nil, nil
	}
	m, err := a.condensed.Memberships(r.selection, k)
	if err != nil {
		return nil, err
	}
	for i := range k {
		labels, values := slices.Repeat([]int32{hdbscan.Noise}, len(a.clustering.Labels)), make([]float64, len(a.clustering.Labels))
		for row := range labels {
			if at := row*m.K + i; i < m.K {
				labels[row], values[row] = m.Labels[at], m.Values[at]
			}
		}
		place, rows := fmt.Sprintf("_%d%s", i+1, r.suffix(a.size)), r.job.Sel.Rows
		all = append(all,
			table.Column{Name: "soft" + place, Int32: labels, Rows: rows, Description: "a cluster that the row belongs to, -1 for none"},
			table.Column{Name: "membership" + place, Float64: values, Rows: rows, Description: "how much it belongs to that"})
	}
	return all, nil
}

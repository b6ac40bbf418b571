package plot

import (
	"context"
	"path/filepath"
	"strings"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

// A table is one that a command wrote, as far as --where keeps its rows.
type table struct {
	path string
	cat  *catalog.Catalog
	sel  *catalog.Selection
}

// table is the first of the tables, by a column that has a number in all of its rows.
func (d *drawing) table(ctx context.Context, key string) (*table, error) {
	t, err := d.read(ctx, d.paths[0], d.job.Cat, key)
	if err == nil {
		d.job.Sum.Input.Took(d.job.Cat.Files(), t.sel)
	}
	return t, err
}

func (d *drawing) read(ctx context.Context, path string, cat *catalog.Catalog, key string) (*table, error) {
	if _, err := cat.Field(key); err != nil {
		return nil, exit.Usagef("%s: no figure of the kind %s can be drawn of it: %s", path, d.kind.name, exit.Message(err))
	}
	r := &d.Read
	sel, err := d.job.Select(ctx, cat, catalog.Request{Columns: []string{key}, Metric: neighbors.Euclidean(), Where: r.Where, Strict: r.Strict, Empty: r.Empty})
	if err != nil {
		return nil, err
	}
	d.rows += int64(sel.Points.Len())
	return &table{path, cat, sel}, nil
}

// each reads all tables in turn.
func (d *drawing) each(ctx context.Context, key string, use func(i int, t *table) error) error {
	t, err := d.table(ctx, key)
	for i := 0; err == nil; i++ {
		if err = use(i, t); err != nil || i+1 == len(d.paths) {
			return err
		}
		var cat *catalog.Catalog
		if cat, err = flags.OpenCatalog(ctx, d.paths[i+1:i+2], d.Read.Options(d.Run.Count())); err == nil {
			defer cat.Close()
			if err = d.job.Reads(d.paths[i+1]); err == nil {
				t, err = d.read(ctx, d.paths[i+1], cat, key)
			}
		}
	}
	return err
}

// name is that of the i-th table in the legend.
func (d *drawing) name(i int) string {
	if len(d.series) > 0 {
		return d.series[i]
	}
	base := filepath.Base(d.paths[i])
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// numbers are the values of columns, NaN where they are null.
func (t *table) numbers(ctx context.Context, names ...string) (all [][]float64, err error) {
	cols, err := job.ReadColumns(ctx, t.cat, names...)
	if err != nil {
		return nil, exit.Usagef("%s: %s", t.path, exit.Message(err))
	}
	for i := range cols {
		v, err := columns.NumbersOf(&cols[i], t.sel)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// unit is that of a column.
func (t *table) unit(name string) string {
	f, _ := t.cat.Field(name)
	return f.Unit
}

// has reports whether there is a column.
func (t *table) has(name string) bool {
	_, err := t.cat.Field(name)
	return err == nil
}

func (t *table) parameter(name string) string { return parameterOf(t.cat, name) }

// parameterOf is a parameter that a table records, or "".
func parameterOf(cat *catalog.Catalog, name string) string {
	for _, kv := range cat.Metadata() {
		if kv.Key == report.MetadataPrefix+name {
			return kv.Value
		}
	}
	return ""
}

// binsOf are bins with edges as two columns have them.
func (t *table) binsOf(lo, hi []float64) (stats2b.Bins, error) {
	edges := lo[:min(1, len(lo)):min(1, len(lo))]
	for i := range lo {
		if lo[i] != edges[len(edges)-1] {
			return stats2b.Bins{}, exit.Usagef("%s: the bins are not side by side: one ends at %v, the next begins at %v", t.path, edges[len(edges)-1], lo[i])
		}
		edges = append(edges, hi[i])
	}
	b, err := stats2b.EdgeBins(edges...)
	if err != nil {
		return b, exit.Usagef("%s: %s", t.path, exit.Message(err))
	}
	if n := b.Len(); edges[0] > 0 && n > 1 {
		log, err := stats2b.LogBins(edges[0], edges[n], n)
		same := err == nil
		for i := range edges {
			same = same && abs(log.Edge(i)-edges[i]) <= 1e-9*edges[i]
		}
		if same {
			return log, nil
		}
	}
	return b, nil
}

func abs(x float64) float64 { return max(x, -x) }

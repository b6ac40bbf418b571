package validity

import (
	"context"
	"math"
	"slices"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/dbscan"
	"skyjoin/hdbscan/validity"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// A labelled is the rows that have labels.
type labelled struct {
	points *neighbors.Points
	labels []int32 // counted from 0 in the order of the numbers in the catalog
	names  []int64 // those numbers
}

// labelsOf reads the labels of the usable rows.
func labelsOf(ctx context.Context, j *job.Job, column string) (*labelled, error) {
	cols, err := job.ReadColumns(ctx, j.Cat, column)
	if err != nil {
		return nil, err
	}
	c, err := columns.Integers(&cols[0], j.Sel)
	if err != nil {
		return nil, exit.Usagef("--labels %s: %s", column, exit.Message(err))
	}
	var rows []uint32
	var values []int64
	for i := range j.Sel.Points.Len() {
		row := int(job.CatalogRow(j.Sel, uint32(i)))
		if c.IsNull(row) {
			continue
		}
		v := int64(math.MaxInt64)
		if c.Int64 != nil {
			v = c.Int64[row]
		} else if c.Uint64[row] < math.MaxInt64 {
			v = int64(c.Uint64[row])
		}
		rows, values = append(rows, uint32(i)), append(values, v)
	}
	if len(rows) == 0 && !j.Read.Empty {
		return nil, exit.Usagef("--labels %s: no usable row has a label", column)
	}
	l := &labelled{points: j.Sel.Points, labels: make([]int32, len(rows))}
	if len(rows) < l.points.Len() {
		l.points = l.points.Subset(rows)
		j.Sum.Note("labels", "%s without one are left out", human.Plural(int64(j.Sel.Points.Len()-len(rows)), "row", "rows"))
	}
	l.names = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(values))), func(v int64) bool { return v < 0 })
	for i, v := range values {
		l.labels[i] = dbscan.Noise
		if at, ok := slices.BinarySearch(l.names, v); ok {
			l.labels[i] = int32(at)
		}
	}
	return l, nil
}

// table is the table of --clusters.
func table(v *validity.Validity, names []int64, unit string, perUnit float64) []catalog.Column {
	n := len(names)
	size, missing := make([]int64, n), make([]bool, n)
	sparse, apart, valid := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, c := range v.Clusters {
		size[i], sparse[i], apart[i], valid[i] = c.Rows, c.Sparseness/perUnit, c.Separation/perUnit, c.Validity
		missing[i] = math.IsNaN(c.Separation)
	}
	floats := func(name, unit, what string, v []float64, null []bool) catalog.Column {
		return catalog.Column{Field: catalog.Field{Name: name, Type: catalog.Float64, Unit: unit, Description: what, Nullable: null != nil}, Float64: v, Null: null}
	}
	invalid := make([]bool, n)
	for i, x := range valid {
		invalid[i] = math.IsNaN(x)
	}
	return columns.Distinct([]catalog.Column{
		{Field: catalog.Field{Name: "cluster", Type: catalog.Int64, Description: "cluster number"}, Int64: names},
		{Field: catalog.Field{Name: "size", Type: catalog.Int64, Description: "rows"}, Int64: size},
		floats("sparseness", unit, "longest edge within", sparse, nil),
		floats("separation", unit, "distance from the nearest other cluster", apart, missing),
		floats("validity", "", "(separation - sparseness) over the larger", valid, invalid),
	})
}

// shown is how many clusters the summary shows.
const shown = 20

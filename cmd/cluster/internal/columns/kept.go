// Package columns picks columns of catalogs that are written beside a result.
package columns

import (
	"context"
	"math"
	"slices"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/each"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// A Kept column is one of either catalog that is written beside a result.
type Kept struct {
	Second bool // of the catalog of the neighbours
	Name   string
	Field  catalog.Field  // as it is written
	Values catalog.Column // of all rows, once read
}

// Keep finds the named columns in the catalogs. A column of both, or of a
// self-join, is written for each side, with the suffixes _1 and _2, which also
// set columns apart from those reserved. outerA and outerB say that
// rows may lack the side.
func Keep(names []string, a, b *catalog.Catalog, reserved []catalog.Field, outerA, outerB bool) ([]Kept, error) {
	var all []Kept
	for _, name := range names {
		fa, errA := a.Field(name)
		fb, errB := b.Field(name)
		switch {
		case errA != nil && errB != nil && a != b:
			return nil, exit.Usagef("--keep %s: %s; of the second catalog, %s", name, exit.Message(errA), exit.Message(errB))
		case errA != nil && errB != nil:
			return nil, errA
		}
		for _, side := range []struct {
			second, has bool
			field       catalog.Field
		}{{false, errA == nil, fa}, {true, errB == nil, fb}} {
			if !side.has {
				continue
			}
			if side.field.Type == catalog.List || side.field.Type == catalog.Unsupported && side.field.Text != noValues {
				return nil, exit.Usagef("column %s is %s and cannot be kept; an element of a list can, as in %s[0]", name, side.field.Text, name)
			}
			all = append(all, Kept{Second: side.second, Name: name, Field: side.field})
		}
	}
	settleNames(all, reserved)
	for i := range all {
		k := &all[i]
		if k.Field.Type == catalog.Unsupported {
			k.Field.Type = catalog.String
		}
		k.Field.Nullable = k.Field.Nullable || k.Second && outerB || !k.Second && outerA
	}
	return all, nil
}

// noValues is the type of text columns without a value.
const noValues = "no values"

// Everything is the names of all columns that can be kept, those of both
// catalogs, and of those that cannot.
func Everything(a, b *catalog.Catalog) (names, left []string) {
	for _, cat := range []*catalog.Catalog{a, b} {
		for _, f := range cat.Fields() {
			switch {
			case slices.Contains(names, f.Name) || slices.Contains(left, f.Name):
			case f.Type == catalog.List || f.Type == catalog.Unsupported && f.Text != noValues:
				left = append(left, f.Name)
			default:
				names = append(names, f.Name)
			}
		}
	}
	return names, left
}

// settleNames gives a suffix to every column whose name another one or the
// result has, and another where that is taken, too.
func settleNames(all []Kept, reserved []catalog.Field) {
	count := map[string]int{}
	for _, f := range reserved {
		count[f.Name]++
	}
	for _, k := range all {
		count[k.Name]++
	}
	taken := map[string]bool{}
	for n := range count {
		taken[n] = true
	}
	for i := range all {
		k := &all[i]
		k.Field.Name = k.Name
		if count[k.Name] == 1 {
			continue
		}
		suffix := map[bool]string{false: "_1", true: "_2"}[k.Second]
		for taken[k.Field.Name] {
			k.Field.Name += suffix
		}
		taken[k.Field.Name] = true
	}
}

// Side returns the columns of one catalog.
func Side(all []Kept, second bool) []*Kept {
	var some []*Kept
	for i := range all {
		if all[i].Second == second {
			some = append(some, &all[i])
		}
	}
	return some
}

// Names returns those of the columns in their catalog.
func Names(some []*Kept) []string { return each.Of(some, func(k *Kept) string { return k.Name }) }

// ReadKept reads the values of kept columns, all of one catalog of the job.
func ReadKept(ctx context.Context, j *job.Job, some []*Kept) error {
	if len(some) == 0 {
		return nil
	}
	cat := j.Cat
	if some[0].Second {
		cat = j.Data().Cat
	}
	if cat.Rows() == 0 {
		for _, k := range some {
			k.Values = Pick(&catalog.Column{Field: k.Field}, k.Field, nil)
		}
		return nil
	}
	columns, err := job.ReadColumns(ctx, cat, Names(some)...)
	if err != nil {
		return err
	}
	for i, k := range some {
		k.Values = columns[i]
	}
	return nil
}

// Pick returns the values of the rows, in that order; row -1 gives null.
func Pick(c *catalog.Column, field catalog.Field, rows []int64) catalog.Column {
	out := catalog.Column{Field: field}
	switch t := field.Type; {
	case t == catalog.Float32:
		out.Float32 = pickValues(c.Float32, rows, float32(math.NaN()))
	case t == catalog.Bool:
		out.Bool = pickValues(c.Bool, rows, false)
	case t == catalog.String:
		out.String = pickValues(c.String, rows, "")
	case t == catalog.Uint64 || t == catalog.Uint32 || t == catalog.Uint16 || t == catalog.Uint8:
		out.Uint64 = pickValues(c.Uint64, rows, 0)
	case t.IsInteger():
		out.Int64 = pickValues(c.Int64, rows, 0)
	default:
		out.Float64 = pickValues(c.Float64, rows, math.NaN())
	}
	if c.Null == nil && !slices.Contains(rows, -1) {
		return out
	}
	out.Null = each.Of(rows, func(r int64) bool { return r < 0 || c.IsNull(int(r)) })
	return out
}

func pickValues[T any](v []T, rows []int64, null T) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		if out[i] = null; r >= 0 && int(r) < len(v) {
			out[i] = v[r]
		}
	}
	return out
}

// PairBlock is how many rows a thread writes at once.
const PairBlock = 1 << 16

// PairFields are the columns of every table of pairs.
func PairFields(unit string) []catalog.Field {
	return []catalog.Field{
		{Name: "row", Type: catalog.Int64, Description: "row of the first catalog, from 0"},
		{Name: "neighbor", Type: catalog.Int64, Description: "row of the catalog of the neighbours, from 0"},
		{Name: "distance", Type: catalog.Float64, Unit: unit, Description: "distance of the two rows"},
	}
}

// NumbersOf returns the values of a column at the points of a selection, null
// ones NaN.
func NumbersOf(c *catalog.Column, sel *catalog.Selection) ([]float64, error) {
	if !c.Field.Type.IsNumber() {
		return nil, exit.Usagef("column %s is %s; numbers are needed", c.Field.Name, c.Field.Text)
	}
	out := make([]float64, sel.Points.Len())
	for i := range out {
		row := int(job.CatalogRow(sel, uint32(i)))
		switch {
		case c.IsNull(row):
			out[i] = math.NaN()
		case c.Float32 != nil:
			out[i] = float64(c.Float32[row])
		case c.Int64 != nil:
			out[i] = float64(c.Int64[row])
		case c.Uint64 != nil:
			out[i] = float64(c.Uint64[row])
		default:
			out[i] = c.Float64[row]
		}
	}
	return out, nil
}

// mostWhole bounds the whole numbers that floats hold without a gap.
const mostWhole = 1 << 53

// Integers returns a column of integers as it is, and one of floats that are whole
// numbers at the points of a selection, as programs that know no integers write
// labels, as integers. NaN and infinities are null there, as other rows are.
func Integers(c *catalog.Column, sel *catalog.Selection) (*catalog.Column, error) {
	if c.Float64 == nil && c.Float32 == nil {
		return c, nil
	}
	values, err := NumbersOf(c, sel)
	if err != nil {
		return nil, err
	}
	out := &catalog.Column{Field: c.Field, Int64: make([]int64, c.Len()), Null: slices.Repeat([]bool{true}, c.Len())}
	out.Field.Type, out.Field.Text, out.Field.Nullable = catalog.Int64, "", true
	for i, v := range values {
		row := job.CatalogRow(sel, uint32(i))
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			continue
		case v != math.Trunc(v) || math.Abs(v) > mostWhole:
			return nil, exit.Usagef("column %s is %s and has %v in row %d: whole numbers are needed", c.Field.Name, c.Field.Text, v, row)
		}
		out.Int64[row], out.Null[row] = int64(v), false
	}
	return out, nil
}

// Floats returns a coordinate as float64.
func Floats(c neighbors.Column) []float64 {
	if c.Float64 != nil {
		return c.Float64
	}
	return each.To(c.Len(), c.At)
}

// Passed gives the rows of the catalog that the filter keeps.
func Passed(sel *catalog.Selection) func(yield func(int64) bool) {
	return func(yield func(int64) bool) {
		for row := range sel.Total {
			if (sel.Passed == nil || sel.Passed[row]) && !yield(row) {
				return
			}
		}
	}
}

package main

import (
	"context"
	"math"
	"slices"

	"skyjoin/io/catalog"
)

// A kept column is one of either catalog that is written beside a result.
type kept struct {
	second bool // of the catalog of the neighbours
	name   string
	field  catalog.Field  // as it is written
	values catalog.Column // of all rows, once read
}

// keep finds the named columns in the catalogs. A column of both, or of a
// self-join, is written for each side, with the suffixes _1 and _2, which also
// set columns apart from the names in reserved. outerA and outerB say that
// rows may lack the side.
func keep(names []string, a, b *catalog.Catalog, reserved []string, outerA, outerB bool) ([]kept, error) {
	var all []kept
	for _, name := range names {
		fa, errA := a.Field(name)
		fb, errB := b.Field(name)
		switch {
		case errA != nil && errB != nil && a != b:
			return nil, usagef("--keep %s: %s; of the second catalog, %s", name, message(errA), message(errB))
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
				return nil, usagef("column %s is %s and cannot be kept; an element of a list can, as in %s[0]", name, side.field.Text, name)
			}
			all = append(all, kept{second: side.second, name: name, field: side.field})
		}
	}
	settleNames(all, reserved)
	for i := range all {
		k := &all[i]
		if k.field.Type == catalog.Unsupported {
			k.field.Type = catalog.String
		}
		k.field.Nullable = k.field.Nullable || k.second && outerB || !k.second && outerA
	}
	return all, nil
}

// noValues is the type of text columns without a value.
const noValues = "no values"

// everything is the names of all columns that can be kept, those of both
// catalogs, and of those that cannot.
func everything(a, b *catalog.Catalog) (names, left []string) {
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
func settleNames(all []kept, reserved []string) {
	count := map[string]int{}
	for _, n := range reserved {
		count[n]++
	}
	for _, k := range all {
		count[k.name]++
	}
	taken := map[string]bool{}
	for n := range count {
		taken[n] = true
	}
	for i := range all {
		k := &all[i]
		k.field.Name = k.name
		if count[k.name] == 1 {
			continue
		}
		suffix := map[bool]string{false: "_1", true: "_2"}[k.second]
		for taken[k.field.Name] {
			k.field.Name += suffix
		}
		taken[k.field.Name] = true
	}
}

// side returns the columns of one catalog.
func side(all []kept, second bool) []*kept {
	var some []*kept
	for i := range all {
		if all[i].second == second {
			some = append(some, &all[i])
		}
	}
	return some
}

// readKept reads the values of kept columns of one catalog.
func readKept(ctx context.Context, cat *catalog.Catalog, some []*kept) error {
	if len(some) == 0 {
		return nil
	}
	if cat.Rows() == 0 {
		for _, k := range some {
			k.values = pick(&catalog.Column{Field: k.field}, k.field, nil)
		}
		return nil
	}
	names := make([]string, len(some))
	for i, k := range some {
		names[i] = k.name
	}
	var columns []catalog.Column
	err := await(ctx, func() (err error) {
		columns, err = cat.Read(ctx, names, nil)
		return err
	})
	if err != nil {
		return err
	}
	for i, k := range some {
		k.values = columns[i]
	}
	return nil
}

// pick returns the values of the rows, in that order; row -1 gives null.
func pick(c *catalog.Column, field catalog.Field, rows []int64) catalog.Column {
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
	out.Null = make([]bool, len(rows))
	for i, r := range rows {
		out.Null[i] = r < 0 || c.IsNull(int(r))
	}
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

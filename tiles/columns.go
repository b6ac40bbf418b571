package tiles

import (
	"context"
	"errors"
	"path/filepath"

	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

// integers and floats make columns of a table.
func integers(name, what string, v []int64) catalog.Column {
	return catalog.Column{Field: catalog.Field{Name: name, Type: catalog.Int64, Description: what}, Int64: notNil(v)}
}

func int32s(name, what string, v []int64) catalog.Column {
	c := integers(name, what, v)
	c.Field.Type = catalog.Int32
	return c
}

func floats(name, unit, what string, v []float64) catalog.Column {
	return catalog.Column{Field: catalog.Field{Name: name, Type: catalog.Float64, Unit: unit, Description: what}, Float64: notNil(v)}
}

func bools(name, what string, v []bool) catalog.Column {
	return catalog.Column{Field: catalog.Field{Name: name, Type: catalog.Bool, Description: what}, Bool: notNil(v)}
}

func notNil[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}

// writeTables writes tables to a folder, by their names.
func writeTables(ctx context.Context, dir string, threads int, tables map[string][]catalog.Column) error {
	for name, cols := range tables {
		if err := table.Write(ctx, filepath.Join(dir, name), cols, table.Options{Threads: threads}); err != nil {
			return err
		}
	}
	return nil
}

// readTable reads columns of a table of a plan. They must have the types that they
// were written with and no nulls; otherwise the file is damaged.
func readTable(ctx context.Context, path string, names ...string) ([]catalog.Column, error) {
	cat, err := catalog.Open(ctx, []string{path}, catalog.Options{Threads: 1})
	if err != nil {
		return nil, tableError(path, err)
	}
	defer cat.Close()
	cols, err := cat.Read(ctx, names, nil)
	if err != nil {
		return nil, tableError(path, err)
	}
	for i, c := range cols {
		n := len(c.Int64)
		switch names[i] {
		case "seconds", "distance", "d2":
			n = len(c.Float64)
		case "settled":
			n = len(c.Bool)
		}
		if int64(n) != cat.Rows() || c.Null != nil {
			return nil, planf("%s is damaged: column %s is %s", path, names[i], c.Field.Type)
		}
	}
	return cols, nil
}

// tableError wraps an error of reading a table of a plan: a missing column means a
// damaged plan, not a wrong request.
func tableError(path string, err error) error {
	if errors.Is(err, catalog.ErrRequest) {
		return planf("%s is damaged: %v", path, err)
	}
	return err
}

package table

import (
	"context"
	"slices"

	"skyjoin/io/catalog"
)

// parquetOnly are the keys of metadata that describe the columns of a Parquet
// file once more, in the words of some library. In another table they would be
// wrong; units and descriptions are those of the fields.
var parquetOnly = map[string]bool{
	arrowKey: true, "pandas": true, "table_meta_yaml": true,
	"IVOA.VOTable-Parquet.content": true, "IVOA.VOTable-Parquet.version": true,
}

// asciiColumns returns the names of the columns of strings that are ASCII.
func asciiColumns(cols []catalog.Column) map[string]bool {
	out := map[string]bool{}
	for i := range cols {
		out[cols[i].Field.Name] = isASCII(&cols[i])
	}
	return out
}

func isASCII(c *catalog.Column) bool {
	return !slices.ContainsFunc(c.String, func(s string) bool {
		for i := range len(s) {
			if s[i] >= 0x80 {
				return true
			}
		}
		return false
	})
}

// asciiFields is asciiColumns of a catalog, whose strings are read for it.
func asciiFields(ctx context.Context, cat *catalog.Catalog, adds []addition) (map[string]bool, error) {
	out := map[string]bool{}
	var names []string
	for _, f := range cat.Fields() {
		if f.Type == catalog.String {
			names = append(names, f.Name)
			out[f.Name] = true
		}
	}
	for i := range adds {
		out[adds[i].field.Name] = adds[i].stream == nil && isASCII(&catalog.Column{String: adds[i].col.String})
	}
	if len(names) == 0 {
		return out, nil
	}
	for b, err := range cat.Scan(ctx, catalog.Scan{Columns: names}) {
		if err != nil {
			return nil, err
		}
		for i, name := range names {
			out[name] = out[name] && isASCII(&b.Columns[i])
		}
	}
	return out, nil
}

// convert writes a catalog of one format in another, with columns added, a
// block of rows after the other. Values that the catalog was told are nulls
// are nulls in the copy.
func convert(ctx context.Context, enc encoderOf, out *output, cat *catalog.Catalog, adds []addition, opt Options) error {
	old := slices.DeleteFunc(slices.Clone(cat.Metadata()), func(kv catalog.KeyValue) bool {
		return parquetOnly[kv.Key] || opt.replaced(kv.Key) || opt.given(kv.Key)
	})
	opt.Metadata = append(old, opt.Metadata...)
	scan := catalog.Scan{Where: opt.Where}
	var fields []catalog.Field
	scan.Columns = opt.Columns
	if len(scan.Columns) == 0 {
		for _, f := range cat.Fields() {
			scan.Columns = append(scan.Columns, f.Name)
		}
	}
	for _, name := range scan.Columns {
		f, err := cat.Field(name)
		if err != nil {
			return err
		}
		fields = append(fields, f)
	}
	fields = append(fields, addedFields(adds)...)
	if enc.ascii {
		var err error
		if opt.ascii, err = asciiFields(ctx, cat, adds); err != nil {
			return err
		}
	}
	e, err := enc.start(out, fields, opt)
	if err != nil {
		return err
	}
	written := int64(0)
	for b, err := range cat.Scan(ctx, scan) {
		if err != nil {
			return err
		}
		if err := advance(ctx, adds, b.First, b.First+b.Rows); err != nil {
			return err
		}
		if rows := keptRows(append(b.Columns, blocks(adds, b.First, b.First+b.Rows)...), b.Keep); rows != nil {
			written += int64(rows[0].Len())
			if err := e.rows(ctx, rows); err != nil {
				return err
			}
		}
		opt.progress(b.Rows)
	}
	if opt.Rows != nil {
		*opt.Rows = written
	}
	return e.close(ctx)
}

// keptRows returns the rows that a filter keeps, nil if there are none. keep
// nil keeps all.
func keptRows(cols []catalog.Column, keep []bool) []catalog.Column {
	if keep == nil {
		return cols
	}
	var out []catalog.Column
	for lo := 0; lo < len(keep); {
		if !keep[lo] {
			lo++
			continue
		}
		hi := lo
		for hi < len(keep) && keep[hi] {
			hi++
		}
		if lo == 0 && hi == len(keep) {
			return cols
		}
		if out == nil {
			out = make([]catalog.Column, len(cols))
			for i := range out {
				out[i].Field = cols[i].Field
			}
		}
		for i := range cols {
			extend(&out[i], rowsOf(&cols[i], lo, hi), out[i].Len(), hi-lo)
		}
		lo = hi
	}
	return out
}

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
		out[cols[i].Field.Name] = !slices.ContainsFunc(cols[i].String, func(s string) bool {
			for i := range len(s) {
				if s[i] >= 0x80 {
					return true
				}
			}
			return false
		})
	}
	return out
}

// convert writes a catalog of one format in another, with columns added: all
// values are read, then written. Values that the catalog was told are nulls
// are nulls in the copy.
func convert(ctx context.Context, enc func(*output, []catalog.Field, Options) (encoder, error), out *output, cat *catalog.Catalog, adds []addition, opt Options) error {
	old := slices.DeleteFunc(slices.Clone(cat.Metadata()), func(kv catalog.KeyValue) bool { return parquetOnly[kv.Key] })
	opt.Metadata = append(old, opt.Metadata...)
	var names []string
	for _, f := range cat.Fields() {
		names = append(names, f.Name)
	}
	cols, err := cat.ReadAll(ctx, names, nil)
	if err != nil {
		return err
	}
	cols = append(cols, blocks(adds, 0, cat.Rows())...)
	var fields []catalog.Field
	for i := range cols {
		cols[i].Field.Nullable = cols[i].Field.Nullable || cols[i].Null != nil
		fields = append(fields, cols[i].Field)
	}
	opt.ascii = asciiColumns(cols)
	e, err := enc(out, fields, opt)
	if err != nil {
		return err
	}
	const block = 1 << 16
	for lo := 0; lo < int(cat.Rows()); lo += block {
		hi := min(lo+block, int(cat.Rows()))
		rows := make([]catalog.Column, len(cols))
		for i := range cols {
			rows[i] = rowsOf(&cols[i], lo, hi)
		}
		if err := e.rows(ctx, rows); err != nil {
			return err
		}
		opt.progress(int64(hi - lo))
	}
	return e.close(ctx)
}

package table

import (
	"context"
	"slices"

	"skyjoin/io/catalog"
)

// convert writes a catalog of one format in another, with columns added: all
// values are read, then written. Values that the catalog was told are nulls
// are nulls in the copy.
func convert(ctx context.Context, enc func(*output, []catalog.Field, Options) (encoder, error), out *output, cat *catalog.Catalog, adds []addition, opt Options) error {
	old := slices.DeleteFunc(slices.Clone(cat.Metadata()), func(kv catalog.KeyValue) bool { return kv.Key == arrowKey }) // of other types
	opt.Metadata = append(old, opt.Metadata...)
	var names []string
	for _, f := range cat.Fields() {
		names = append(names, f.Name)
	}
	cols, err := cat.Read(ctx, names, nil)
	if err != nil {
		return err
	}
	cols = append(cols, blocks(adds, 0, cat.Rows())...)
	var fields []catalog.Field
	for i := range cols {
		cols[i].Field.Nullable = cols[i].Field.Nullable || cols[i].Null != nil
		fields = append(fields, cols[i].Field)
	}
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

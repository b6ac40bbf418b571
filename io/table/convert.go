package table

import (
	"context"

	"skyjoin/io/catalog"
)

// convert writes a catalog of one format in another, with columns added: all
// values are read, then written. Values that the catalog was told are nulls
// are nulls in the copy.
func convert(ctx context.Context, enc func(*output, []catalog.Field, Options) (encoder, error), out *output, cat *catalog.Catalog, adds []addition, opt Options) error {
	opt.Metadata = mergeKeyValues(cat.Metadata(), opt.Metadata)
	var names []string
	for _, f := range cat.Fields() {
		names = append(names, f.Name)
	}
	cols, err := cat.Read(ctx, names, nil)
	if err != nil {
		return err
	}
	for i := range adds {
		cols = append(cols, adds[i].block(0, cat.Rows()))
	}
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

// mergeKeyValues adds key-values to others; a key that is there gets the new
// value in its place.
func mergeKeyValues(old, more []catalog.KeyValue) []catalog.KeyValue {
	out := append([]catalog.KeyValue(nil), old...)
	at := make(map[string]int)
	for i, kv := range out {
		at[kv.Key] = i
	}
	for _, kv := range more {
		if i, ok := at[kv.Key]; ok {
			out[i] = kv
			continue
		}
		at[kv.Key] = len(out)
		out = append(out, kv)
	}
	return out
}

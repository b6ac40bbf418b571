package table

import (
	"context"
	"errors"
	"slices"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
	"skyjoin/io/catalog"
)

// describe says of the fields that are written which are uncertainties, and makes the
// header of ECSV that a table may have among its metadata one of them.
func describe(opt format.WriteOptions, fields []format.Field) format.WriteOptions {
	opt.Uncertainty = uncertainties(fields)
	opt.Metadata = slices.Clone(opt.Metadata)
	for i, kv := range opt.Metadata {
		if kv.Key == ecsv.MetaKey {
			if opt.Metadata[i].Value = ecsv.Rewritten(kv.Value, fields, opt.Replaced); opt.Metadata[i].Value == "" {
				opt.Metadata = slices.Delete(opt.Metadata, i, i+1)
			}
			break
		}
	}
	return opt
}

// parquetOnly are the keys of metadata that repeat the description of the columns of
// a Parquet file in the terms of some library. In another table they would be wrong;
// units and descriptions come from the fields.
var parquetOnly = map[string]bool{
	"ARROW:schema": true, "pandas": true,
	"IVOA.VOTable-Parquet.content": true, "IVOA.VOTable-Parquet.version": true,
}

// asciiColumns returns the names of the columns of strings that are ASCII.
func asciiColumns(cols []format.Column) map[string]bool {
	out := map[string]bool{}
	for i := range cols {
		out[cols[i].Field.Name] = isASCII(&cols[i])
	}
	return out
}

func isASCII(c *format.Column) bool {
	return !slices.ContainsFunc(c.String, func(s string) bool {
		for i := range len(s) {
			if s[i] >= 0x80 {
				return true
			}
		}
		return false
	})
}

// asciiFields is asciiColumns for a catalog, whose strings it reads.
func asciiFields(ctx context.Context, cat *catalog.Catalog, adds added) (map[string]bool, error) {
	out := map[string]bool{}
	var names []string
	for _, f := range cat.Fields() {
		if f.Type == catalog.String {
			names = append(names, f.Name)
			out[f.Name] = true
		}
	}
	for i := range adds {
		out[adds[i].field.Name] = adds[i].stream == nil && isASCII(&format.Column{String: adds[i].col.String})
	}
	if len(names) == 0 {
		return out, nil
	}
	for b, err := range cat.Scan(ctx, catalog.Scan{Columns: names}) {
		if err != nil {
			return nil, err
		}
		for i, name := range names {
			out[name] = out[name] && isASCII(&format.Column{String: b.Columns[i].String})
		}
	}
	return out, nil
}

// convert writes a catalog in another format, with columns added, one block of rows
// at a time. Values that the catalog was told to take for nulls are nulls in the
// copy.
func convert(ctx context.Context, to *format.Output, out *output, cat *catalog.Catalog, adds added, opt Options) error {
	old := slices.DeleteFunc(slices.Clone(cat.Metadata()), func(kv catalog.KeyValue) bool {
		return parquetOnly[kv.Key] || opt.replaced(kv.Key) || opt.given(kv.Key)
	})
	opt.Metadata = append(old, opt.Metadata...)
	kept, err := held(to, cat, opt)
	if err != nil {
		return err
	}
	scan := catalog.Scan{Where: opt.Where, Columns: kept.names}
	fields := append(kept.fields, adds.Fields()...)
	if len(fields) == 0 {
		return errors.New("none of the columns can be read and written")
	}
	raw := opt.writeOptions()
	if to.ASCII {
		if raw.ASCII, err = asciiFields(ctx, cat, adds); err != nil {
			return err
		}
	}
	w, err := to.Create(out, fields, describe(raw, fields))
	if err != nil {
		return err
	}
	written := int64(0)
	for b, err := range cat.Scan(ctx, scan) {
		if err != nil {
			return err
		}
		cols, err := adds.beside(ctx, b)
		if err != nil {
			return err
		}
		kept.write(cols)
		if rows := keptRows(cols, b.Keep); rows != nil {
			written += int64(rows[0].Len())
			if err := w.Rows(ctx, rows); err != nil {
				return err
			}
		}
		opt.progress(b.Rows)
	}
	if opt.Rows != nil {
		*opt.Rows = written
	}
	return w.Close(ctx)
}

// beside returns the columns of a block followed by the added ones.
func (a added) beside(ctx context.Context, b *catalog.Block) ([]format.Column, error) {
	if err := a.Advance(ctx, b.First, b.First+b.Rows); err != nil {
		return nil, err
	}
	cols := rawColumns(b.Columns)
	for i := range a {
		cols = append(cols, a.Block(i, b.First, b.First+b.Rows))
	}
	return cols, nil
}

// keptRows returns the rows that a filter keeps, nil if there are none. keep
// nil keeps all.
func keptRows(cols []format.Column, keep []bool) []format.Column {
	kept := 0
	for _, k := range keep {
		if k {
			kept++
		}
	}
	switch {
	case kept == len(keep):
		return cols
	case kept == 0:
		return nil
	}
	out := make([]format.Column, len(cols))
	for i := range out {
		out[i] = cols[i].Empty(kept)
	}
	for lo := 0; lo < len(keep); {
		if !keep[lo] {
			lo++
			continue
		}
		hi := lo
		for hi < len(keep) && keep[hi] {
			hi++
		}
		for i := range cols {
			run := cols[i].Slice(lo, hi)
			out[i].Append(&run)
		}
		lo = hi
	}
	return out
}

package table

import (
	"context"
	"slices"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
	"skyjoin/io/catalog"
)

// Append writes a catalog with columns added to the file out: all columns and rows
// in their order, with types, nulls, units and metadata. It returns the names of the
// added columns: a name that the catalog already has gets the suffix _1, _2, ….
//
// The extension of out determines the format; "-" is CSV on stdout. From Parquet to
// Parquet the files are copied as bytes, and their schemas must agree.
func Append(ctx context.Context, out string, cat *catalog.Catalog, add []Column, opt Options) (names []string, err error) {
	adds, err := additions(add, cat.Rows(), takenNames(cat))
	if err != nil {
		return nil, err
	}
	return writeWith(ctx, out, cat, adds, func() error { return nil }, opt)
}

// AppendStream is [Append] for columns whose values are computed while the catalog
// is written.
func AppendStream(ctx context.Context, out string, cat *catalog.Catalog, add Stream, opt Options) (names []string, err error) {
	used := newTaken(takenNames(cat))
	fields := slices.Clone(add.Fields)
	for i := range fields {
		fields[i].Name = used.free(fields[i].Name)
	}
	add.Fields = fields
	s := add.start()
	defer s.stop()
	return writeWith(ctx, out, cat, s.additions(), s.end, opt)
}

// writeWith writes a catalog with prepared columns; end says whether they are
// complete.
func writeWith(ctx context.Context, out string, cat *catalog.Catalog, adds added, end func() error, opt Options) (names []string, err error) {
	to, err := outputOf(out, opt.Stdout)
	if err != nil {
		return nil, err
	}
	var inputs []string
	for _, f := range cat.Files() {
		if inputs = append(inputs, f.Path); f.Beside != "" {
			inputs = append(inputs, f.Beside)
		}
	}
	for _, a := range adds {
		names = append(names, a.field.Name)
	}
	if err := Check(out, inputs, opt.Force); err != nil {
		return nil, err
	}
	o, err := create(out, opt)
	if err != nil {
		return nil, err
	}
	defer o.abort()
	if copied := copyOf(to, cat, opt); copied != nil {
		err = copied(ctx, o, adds)
	} else {
		err = convert(ctx, to, o, cat, adds, opt)
	}
	if err == nil {
		err = end()
	}
	if err != nil {
		return nil, err
	}
	return names, o.commit(ctx)
}

// copyOf returns the function that copies a catalog as it is, with columns added;
// nil if that is not possible.
func copyOf(to *format.Output, cat *catalog.Catalog, opt Options) func(ctx context.Context, out *output, adds added) error {
	if to.Copies == nil || opt.anew() {
		return nil
	}
	from := format.Table{Fields: rawFields(cat.Stored())}
	readers := readersOf(cat)
	for _, r := range readers {
		if p, ok := r.(format.Partial); ok && p.Partial() {
			return nil
		}
	}
	copied := to.Copies(readers)
	if copied == nil {
		return nil
	}
	for i, f := range cat.Files() {
		from.Files = append(from.Files, format.File{Path: f.Path, Reader: readers[i]})
	}
	return func(ctx context.Context, out *output, adds added) error {
		if len(cat.Derived()) > 0 { // which are in no file
			derived := derivedColumns(ctx, cat)
			s := derived.start()
			defer s.stop()
			adds = append(s.additions(), adds...)
		}
		if opt.Rows != nil {
			*opt.Rows = cat.Rows()
		}
		for _, kv := range cat.Metadata() {
			if kv.Key == ecsv.MetaKey && len(adds) > 0 {
				opt.Metadata = append(slices.Clip(opt.Metadata), kv)
			}
		}
		return copied(ctx, out, from, adds, describe(opt.writeOptions(), slices.Concat(from.Fields, adds.Fields())))
	}
}

// takenNames returns the names that a new column cannot have: those of the columns
// and, in Parquet, those of structs, whose columns have longer names.
func takenNames(cat *catalog.Catalog) (names []string) {
	for _, f := range cat.Fields() {
		names = append(names, f.Name)
	}
	if readers := readersOf(cat); len(readers) > 0 { // the catalog is open
		if r, ok := readers[0].(format.Reserver); ok {
			names = append(names, r.Reserved()...)
		}
	}
	return names
}

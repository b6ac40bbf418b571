package table

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skyjoin/io/catalog"
)

// A format is a kind of output, known by the extension of its name.
type format struct {
	extension string
	// copies writes a catalog whose files it can copy as bytes or as text, with
	// columns added; nil if it copies none.
	copies func(cat *catalog.Catalog) copier
	encoderOf
}

// A copier writes a catalog with columns added.
type copier func(ctx context.Context, out *output, cat *catalog.Catalog, adds []addition, opt Options) error

// An encoderOf makes encoders of a format.
type encoderOf struct {
	start func(out *output, fields []catalog.Field, opt Options) (encoder, error)
	ascii bool // whether strings are ASCII matters
}

// formats has one entry per kind of output.
var formats = []format{
	{".parquet", parquetCopies, encoderOf{start: newParquetEncoder}},
	{".csv", csvCopies, encoderOf{start: newCSVEncoder}},
	{".ecsv", noCopies, encoderOf{start: newECSVEncoder}},
	{".vot", noCopies, encoderOf{newVOTableEncoder, true}},
	{".xml", noCopies, encoderOf{newVOTableEncoder, true}},
	{".fits", noCopies, encoderOf{start: newFITSEncoder}},
}

// formatOf finds the format of an output by its name.
func formatOf(name string) (*format, error) {
	ext := strings.ToLower(filepath.Ext(name))
	if name == Stdout {
		ext = ".csv"
	}
	var known []string
	for i := range formats {
		if formats[i].extension == ext {
			return &formats[i], nil
		}
		known = append(known, formats[i].extension)
	}
	return nil, requestf("cannot tell the format of output %q from its extension: use %s, or %s for CSV on stdout",
		name, strings.Join(known, ", "), Stdout)
}

// Check reports, before anything is computed, what would keep an output from
// being written: an unknown extension, a file that exists without force, an
// input of the same run, which is never overwritten, a directory that is not
// there or not writable.
func Check(out string, inputs []string, force bool) error {
	if _, err := formatOf(out); err != nil || out == Stdout {
		return err
	}
	if st, err := os.Stat(out); err == nil {
		for _, in := range inputs {
			if it, err := os.Stat(in); err == nil && os.SameFile(st, it) {
				return requestf("output %s is the input %s, and inputs are never overwritten; name another file", out, in)
			}
		}
	}
	o, err := create(out, force)
	if err != nil {
		return err
	}
	o.abort()
	return nil
}

// Append writes a catalog with columns added to the file out: all columns and
// rows in their order, with types, nulls, units and metadata. It returns the
// names of the columns as written: a name the catalog has taken gets the
// suffix _1, _2, ….
//
// The format goes by the extension of out; "-" is CSV on stdout. From Parquet
// to Parquet the files are copied as bytes, and their schemas must agree.
func Append(ctx context.Context, out string, cat *catalog.Catalog, add []Column, opt Options) (names []string, err error) {
	taken, err := takenNames(cat)
	if err != nil {
		return nil, err
	}
	adds, err := additions(add, cat.Rows(), taken)
	if err != nil {
		return nil, err
	}
	return write(ctx, out, cat, adds, opt)
}

// AppendStream is [Append] for columns whose values are made meanwhile.
func AppendStream(ctx context.Context, out string, cat *catalog.Catalog, add Stream, opt Options) (names []string, err error) {
	taken, err := takenNames(cat)
	if err != nil {
		return nil, err
	}
	used := newTaken(taken)
	fields := slices.Clone(add.Fields)
	for i := range fields {
		fields[i].Name = used.free(fields[i].Name)
	}
	add.Fields = fields
	s := add.start()
	defer s.stop()
	return write(ctx, out, cat, s.additions(), opt)
}

// write is Append for columns made ready.
func write(ctx context.Context, out string, cat *catalog.Catalog, adds []addition, opt Options) (names []string, err error) {
	fm, err := formatOf(out)
	if err != nil {
		return nil, err
	}
	var inputs []string
	for _, f := range cat.Files() {
		inputs = append(inputs, f.Path)
	}
	for _, a := range adds {
		names = append(names, a.field.Name)
	}
	if err := Check(out, inputs, opt.Force); err != nil {
		return nil, err
	}
	o, err := create(out, opt.Force)
	if err != nil {
		return nil, err
	}
	defer o.abort()
	if copied := fm.copies(cat); copied != nil && !opt.anew() {
		if len(cat.Derived()) > 0 { // which are in no file
			derived := derivedColumns(ctx, cat)
			s := derived.start()
			defer s.stop()
			adds = append(s.additions(), adds...)
		}
		err = copied(ctx, o, cat, adds, opt)
		if opt.Rows != nil {
			*opt.Rows = cat.Rows()
		}
	} else {
		err = convert(ctx, fm.encoderOf, o, cat, adds, opt)
	}
	if err != nil {
		return nil, err
	}
	return names, o.commit(ctx)
}

// takenNames returns the names that a new column cannot have: those of the
// columns and, in Parquet, those of structs, whose columns go by longer names.
func takenNames(cat *catalog.Catalog) (names []string, err error) {
	for _, f := range cat.Fields() {
		names = append(names, f.Name)
	}
	if len(cat.Files()) == 0 || cat.Files()[0].Format != "parquet" {
		return names, nil
	}
	p, err := openParquet(cat.Files()[0].Path)
	if err != nil {
		return nil, err
	}
	defer p.f.Close()
	for _, c := range p.columns {
		names = append(names, c.name)
	}
	return names, nil
}

func noCopies(*catalog.Catalog) copier { return nil }

func parquetCopies(cat *catalog.Catalog) copier {
	if allFiles(cat, "parquet") {
		return appendParquet
	}
	return nil
}

func csvCopies(cat *catalog.Catalog) copier {
	if allFiles(cat, "parquet") {
		return parquetToCSV
	}
	if _, ok := textLayout(cat); ok {
		return copyCSV
	}
	return nil
}

// allFiles reports whether all files of a catalog are of one format.
func allFiles(cat *catalog.Catalog, format string) bool {
	return !slices.ContainsFunc(cat.Files(), func(f catalog.File) bool { return f.Format != format })
}

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
	// append writes the catalog with columns added.
	append func(ctx context.Context, out *output, cat *catalog.Catalog, adds []addition, opt Options) error
	// encoder starts a table of its own.
	encoder func(out *output, fields []catalog.Field, opt Options) (encoder, error)
}

// formats has one entry per kind of output.
var formats = []format{
	{".parquet", appendToParquet, newParquetEncoder},
	{".csv", appendToCSV, newCSVEncoder},
	{".ecsv", converted(newECSVEncoder), newECSVEncoder},
	{".vot", converted(newVOTableEncoder), newVOTableEncoder},
	{".xml", converted(newVOTableEncoder), newVOTableEncoder},
	{".fits", converted(newFITSEncoder), newFITSEncoder},
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
	fm, err := formatOf(out)
	if err != nil {
		return nil, err
	}
	var inputs []string
	for _, f := range cat.Files() {
		inputs = append(inputs, f.Path)
	}
	taken, err := takenNames(cat)
	if err != nil {
		return nil, err
	}
	adds, err := additions(add, cat.Rows(), taken)
	if err != nil {
		return nil, err
	}
	for _, a := range adds {
		names = append(names, a.field.Name)
	}
	if copies(fm, cat) && !opt.Decode { // the columns that are not in the files are added too
		derived, err := derivedColumns(ctx, cat)
		if err != nil {
			return nil, err
		}
		adds = append(derived, adds...)
	}
	if err := Check(out, inputs, opt.Force); err != nil {
		return nil, err
	}
	o, err := create(out, opt.Force)
	if err != nil {
		return nil, err
	}
	defer o.abort()
	if opt.Decode {
		err = convert(ctx, fm.encoder, o, cat, adds, opt)
	} else {
		err = fm.append(ctx, o, cat, adds, opt)
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

func appendToParquet(ctx context.Context, out *output, cat *catalog.Catalog, adds []addition, opt Options) error {
	if allFiles(cat, "parquet") {
		return appendParquet(ctx, out, cat.Files(), adds, opt)
	}
	return convert(ctx, newParquetEncoder, out, cat, adds, opt)
}

func appendToCSV(ctx context.Context, out *output, cat *catalog.Catalog, adds []addition, opt Options) error {
	if allFiles(cat, "parquet") {
		return parquetToCSV(ctx, out, cat, adds, opt)
	}
	if layout, ok := textLayout(cat); ok {
		return copyCSV(ctx, out, cat, layout, adds, opt)
	}
	return convert(ctx, newCSVEncoder, out, cat, adds, opt)
}

// converted returns how a catalog of any format is written by an encoder.
func converted(enc func(*output, []catalog.Field, Options) (encoder, error)) func(context.Context, *output, *catalog.Catalog, []addition, Options) error {
	return func(ctx context.Context, out *output, cat *catalog.Catalog, adds []addition, opt Options) error {
		return convert(ctx, enc, out, cat, adds, opt)
	}
}

// copies reports whether the files are copied as bytes or as text.
func copies(fm *format, cat *catalog.Catalog) bool {
	_, text := textLayout(cat)
	return fm.extension == ".parquet" && allFiles(cat, "parquet") || fm.extension == ".csv" && (text || allFiles(cat, "parquet"))
}

// derivedColumns returns the columns of a catalog that are in no file.
func derivedColumns(ctx context.Context, cat *catalog.Catalog) ([]addition, error) {
	var names []string
	for _, f := range cat.Derived() {
		names = append(names, f.Name)
	}
	if len(names) == 0 {
		return nil, nil
	}
	cols, err := cat.Read(ctx, names, nil)
	if err != nil {
		return nil, err
	}
	adds := make([]addition, len(cols))
	for i := range cols {
		adds[i] = addition{field: cols[i].Field, whole: &cols[i]}
	}
	return adds, nil
}

// allFiles reports whether all files of a catalog are of one format.
func allFiles(cat *catalog.Catalog, format string) bool {
	return !slices.ContainsFunc(cat.Files(), func(f catalog.File) bool { return f.Format != format })
}

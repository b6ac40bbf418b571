package table

import (
	"context"
	"errors"
	"fmt"

	"skyjoin/internal/format"
	"skyjoin/io/catalog"
)

// A Writer writes a table of its own, rows as they come. Nothing appears
// under the table's name before Commit; Abort, which does nothing after
// Commit, removes what was written. Defer it:
//
//	w, err := table.NewWriter("pairs.parquet", fields, opt)
//	if err != nil {
//		return err
//	}
//	defer w.Abort()
//	for … {
//		if err := w.WriteRows(ctx, columns); err != nil {
//			return err
//		}
//	}
//	return w.Commit(ctx)
//
// The bytes written do not depend on how the rows are divided among calls.
type Writer struct {
	out    *output
	w      format.Writer
	fields []catalog.Field
	opt    Options
	err    error // the first; nothing is written after it
}

// NewWriter starts a table with the given columns in the file out, whose
// extension tells the format; "-" is CSV on stdout. Only columns whose field
// is Nullable may have nulls.
func NewWriter(out string, fields []catalog.Field, opt Options) (*Writer, error) {
	return newWriter(out, fields, opt, opt.writeOptions())
}

func newWriter(out string, fields []catalog.Field, opt Options, raw format.WriteOptions) (*Writer, error) {
	to, err := outputOf(out, opt.Stdout)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for _, f := range fields {
		if seen[f.Name] {
			return nil, format.Requestf("%s would have two columns named %q", out, f.Name)
		}
		seen[f.Name] = true
		if f.Type == catalog.List && f.Elem == nil {
			return nil, format.Requestf("column %q (%s) cannot be written: its lists have no type of elements", f.Name, f.Text)
		}
	}
	o, err := create(out, opt)
	if err != nil {
		return nil, err
	}
	w, err := to.Create(o, rawFields(fields), describe(raw, rawFields(fields)))
	if err != nil {
		o.abort()
		return nil, err
	}
	return &Writer{out: o, w: w, fields: fields, opt: opt}, nil
}

// WriteRows appends rows: one column for each field, of its type and in its
// order, all of one length. The columns are the caller's again on return.
func (w *Writer) WriteRows(ctx context.Context, cols []catalog.Column) error {
	if w.err != nil {
		return w.err
	}
	n, err := checkColumns(w.fields, cols)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && n > 0 {
		err = w.w.Rows(ctx, rawColumns(cols))
	}
	if err != nil {
		w.err = err
		return err
	}
	w.opt.progress(int64(n))
	return nil
}

// Commit finishes the table and gives it its name.
func (w *Writer) Commit(ctx context.Context) error {
	err := w.err
	if err == nil {
		err = w.w.Close(ctx)
	}
	if err == nil {
		err = w.out.commit(ctx)
	}
	w.err = errors.Join(err, errors.New("the table is finished"))
	return err
}

// Abort removes an unfinished table.
func (w *Writer) Abort() { w.out.abort() }

// Write writes a table of its own to the file out; see [NewWriter].
func Write(ctx context.Context, out string, cols []catalog.Column, opt Options) error {
	fields := make([]catalog.Field, len(cols))
	for i, c := range cols {
		fields[i] = c.Field
		fields[i].Nullable = c.Field.Nullable || c.Null != nil
	}
	raw := opt.writeOptions()
	raw.ASCII = asciiColumns(rawColumns(cols))
	w, err := newWriter(out, fields, opt, raw)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := w.WriteRows(ctx, cols); err != nil {
		return err
	}
	return w.Commit(ctx)
}

// checkColumns checks rows against the fields of a table and counts them.
func checkColumns(fields []catalog.Field, cols []catalog.Column) (int, error) {
	if len(cols) != len(fields) {
		return 0, fmt.Errorf("%d columns of values for a table of %d", len(cols), len(fields))
	}
	for i := range cols {
		c := &cols[i]
		if c.Len() != columnLen(c, fields[i].Type) {
			return 0, fmt.Errorf("column %q: its values are not of its type", fields[i].Name)
		}
		if c.Len() != cols[0].Len() || c.Null != nil && len(c.Null) != c.Len() {
			return 0, fmt.Errorf("column %q has %d values (%d null marks), column %q has %d",
				fields[i].Name, c.Len(), len(c.Null), fields[0].Name, cols[0].Len())
		}
		if !fields[i].Nullable {
			for row, null := range cols[i].Null {
				if null {
					return 0, fmt.Errorf("column %q is null in row %d, but is not nullable", fields[i].Name, row)
				}
			}
		}
	}
	if len(cols) == 0 {
		return 0, nil
	}
	return cols[0].Len(), nil
}

// columnLen returns the number of values in the slice that holds those of a
// type.
func columnLen(c *catalog.Column, typ catalog.Type) int {
	switch typ {
	case catalog.Float64, catalog.Decimal, catalog.Timestamp:
		return len(c.Float64)
	case catalog.Float32:
		return len(c.Float32)
	case catalog.Int64, catalog.Int32, catalog.Int16, catalog.Int8:
		return len(c.Int64)
	case catalog.Uint64, catalog.Uint32, catalog.Uint16, catalog.Uint8:
		return len(c.Uint64)
	case catalog.Bool:
		return len(c.Bool)
	case catalog.String:
		return len(c.String)
	case catalog.List:
		if c.List != nil {
			return len(c.List.Offset) - 1
		}
	}
	return -1
}

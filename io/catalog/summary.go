package catalog

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"skyjoin/internal/format"
)

// A Summary describes a catalog, as the info command prints it.
type Summary struct {
	Files     []File
	Rows      int64
	RowGroups int // of all Parquet files; 0 for other formats
	Columns   []ColumnSummary
	Metadata  []KeyValue
}

// A ColumnSummary describes one column.
type ColumnSummary struct {
	Field     Field
	Nulls     int64    // rows without a value; -1 where they are not counted: lists, unreadable types
	Min, Max  string   // smallest and largest value, NaN left out, exactly; "" if there is none
	Codecs    []string // of the stored chunks, where there are any
	Encodings []string
	Bytes     int64 // stored size, compressed; 0 for formats that do not record it
	Err       error // why the values cannot be read though those of other columns can; else nil
}

// Summary describes the catalog. Nulls and extremes come from the statistics
// in the files if they are there and can be trusted, else from reading the
// column. That fails only if no column can be read.
func (c *Catalog) Summary(ctx context.Context) (*Summary, error) {
	s := &Summary{Files: c.files, Rows: c.rows, Metadata: c.Metadata(), Columns: make([]ColumnSummary, len(c.fields))}
	for _, src := range c.sources {
		if d, ok := src.(format.Divider); ok {
			s.RowGroups += len(d.Groups())
		}
	}
	var read []int // columns that have to be read
	for i, f := range c.fields {
		col := &s.Columns[i]
		col.Field, col.Nulls = f, -1
		c.storage(col, i)
		if hidden := i >= c.stored && i < c.stored+c.hidden; !hidden && f.Type != List && f.Type != Unsupported && !c.fromStatistics(col, i) && c.everywhere(i) {
			read = append(read, i)
		}
	}
	err := c.fromValues(ctx, s.Columns, read)
	if err != nil && ctx.Err() == nil {
		err = c.fromReadable(ctx, s.Columns, read, err)
	}
	s.Columns = slices.Delete(s.Columns, c.stored, c.stored+c.hidden)
	return s, err
}

// everywhere reports whether column i can be read from all files.
func (c *Catalog) everywhere(i int) bool {
	if i >= c.stored {
		return true
	}
	for file := range c.sources {
		if c.inFile(file, format.Ref{Field: i, Elem: -1}).Field < 0 {
			return false // a column that only some files have is not counted
		}
	}
	return true
}

// storage sets the codecs, encodings and size of column i.
func (c *Catalog) storage(col *ColumnSummary, i int) {
	for file, src := range c.sources {
		st, ok := src.(format.Storer)
		at := c.inFile(file, format.Ref{Field: i, Elem: -1})
		if !ok || at.Field < 0 {
			continue
		}
		codecs, encodings, bytes := st.Stored(at.Field)
		col.Codecs, col.Encodings = appendNew(col.Codecs, codecs), appendNew(col.Encodings, encodings)
		col.Bytes += bytes
	}
}

// fromStatistics summarises column i by the statistics of all parts of all
// files; false if some are missing.
func (c *Catalog) fromStatistics(col *ColumnSummary, i int) bool {
	if len(c.opt.Null) > 0 {
		return false
	}
	var lo, hi format.Number
	nulls := int64(0)
	for file, src := range c.sources {
		st, ok := src.(format.Statistician)
		at := c.inFile(file, format.Ref{Field: i, Elem: -1})
		if !ok || at.Field < 0 || c.sources[file].Fields()[at.Field].Type != format.Type(col.Field.Type) {
			return false
		}
		st.Bounds(func(_, n int64, of func(r format.Ref) (format.Bounds, bool)) {
			b, known := of(at)
			switch {
			case n == 0:
			case !known || b.Nulls < 0:
				ok = false
			case b.AllNull:
				nulls += b.Nulls
			default:
				nulls += b.Nulls
				if lo.Store == format.NoStorage || lo.More(b.Min) {
					lo = b.Min
				}
				if hi.Store == format.NoStorage || b.Max.More(hi) {
					hi = b.Max
				}
			}
		})
		if !ok {
			return false
		}
	}
	col.Nulls, col.Min, col.Max = nulls, lo.Text(format.Type(col.Field.Type)), hi.Text(format.Type(col.Field.Type))
	return true
}

// fromValues summarises columns by reading them, a block of rows at a time.
func (c *Catalog) fromValues(ctx context.Context, out []ColumnSummary, read []int) error {
	if len(read) == 0 {
		return nil
	}
	names := make([]string, len(read))
	for k, i := range read {
		names[k], out[i].Nulls = c.fields[i].Name, 0
	}
	limits := make([]format.Column, len(read)) // the least and the greatest values so far
	for b, err := range c.scan(ctx, Scan{Columns: names}) {
		if err != nil {
			return err
		}
		err := c.pool.Run(ctx, len(read), func(k int) error {
			v := &b.cols[k]
			for _, null := range v.Null {
				if null {
					out[read[k]].Nulls++
				}
			}
			least := &limits[k]
			if least.Len() == 0 {
				least.Field = v.Field
			}
			least.Append(limitsOf(v))
			if least.Len() > 2 { // two of before, two of the block
				*least = *limitsOf(least)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for k, i := range read {
		if n := limits[k].Len(); n > 0 {
			out[i].Min, out[i].Max = limits[k].Text(0), limits[k].Text(n-1)
		}
	}
	return nil
}

// fromReadable is fromValues of one column after the other, after an error that some
// are to blame for. If none can be read, that is the error.
func (c *Catalog) fromReadable(ctx context.Context, out []ColumnSummary, read []int, err error) error {
	for _, i := range read {
		if out[i].Err = c.fromValues(ctx, out, []int{i}); out[i].Err != nil {
			out[i].Nulls = -1
		}
	}
	if slices.ContainsFunc(out, func(col ColumnSummary) bool { return col.Nulls >= 0 }) {
		err = nil
	}
	return cmp.Or(context.Cause(ctx), err)
}

// limitsOf returns a column with the least and the greatest value, without rows if
// all values are null or NaN.
func limitsOf(c *format.Column) *format.Column {
	var lo, hi int
	switch {
	case c.Float64 != nil:
		lo, hi = extremes(c.Float64, c.Null)
	case c.Float32 != nil:
		lo, hi = extremes(c.Float32, c.Null)
	case c.Int64 != nil:
		lo, hi = extremes(c.Int64, c.Null)
	case c.Uint64 != nil:
		lo, hi = extremes(c.Uint64, c.Null)
	case c.String != nil:
		lo, hi = extremes(c.String, c.Null)
	case c.Bool != nil:
		lo, hi = extremeBools(c.Bool, c.Null)
	default:
		return &format.Column{Field: c.Field} // no rows
	}
	out := &format.Column{Field: c.Field}
	if lo < 0 {
		return out
	}
	for _, i := range []int{lo, hi} {
		one := c.Slice(i, i+1)
		one.Null, one.Sentinels = nil, nil
		if one.String != nil {
			one.String = []string{strings.Clone(one.String[0])} // not with the memory that it was read into
		}
		out.Append(&one)
	}
	return out
}

// extremes returns the first rows with the smallest and the largest value, -1
// if all are null or NaN.
func extremes[T cmp.Ordered](v []T, null []bool) (lo, hi int) {
	lo, hi = -1, -1
	for i, x := range v {
		if x != x || null != nil && null[i] {
			continue
		}
		if lo < 0 || x < v[lo] {
			lo = i
		}
		if hi < 0 || x > v[hi] {
			hi = i
		}
	}
	return lo, hi
}

func extremeBools(v []bool, null []bool) (lo, hi int) {
	bytes := make([]uint8, len(v))
	for i, x := range v {
		if x {
			bytes[i] = 1
		}
	}
	return extremes(bytes, null)
}

package catalog

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"skyjoin/internal/pages"
)

// A Summary describes a catalog: what info prints.
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
	Nulls     int64    // rows without a value; -1 where it is not counted: lists, unreadable types
	Min, Max  string   // smallest and largest value, NaN left out, exactly; "" if there is none
	Codecs    []string // of the stored chunks, where there are any
	Encodings []string
	Bytes     int64 // stored, compressed; 0 where formats do not tell
}

// A storer is a source that stores columns in chunks.
type storer interface {
	rowGroups() int
	stored(field int) (codecs, encodings []string, bytes int64)
}

// Summary describes the catalog. Nulls and extremes come from the statistics
// in the files if they are there and can be trusted, else from reading the
// column.
func (c *Catalog) Summary(ctx context.Context) (*Summary, error) {
	s := &Summary{Files: c.files, Rows: c.rows, Metadata: c.Metadata(), Columns: make([]ColumnSummary, len(c.fields))}
	for _, src := range c.sources {
		if st, ok := src.(storer); ok {
			s.RowGroups += st.rowGroups()
		}
	}
	var read []int // columns that have to be read
	for i, f := range c.fields {
		col := &s.Columns[i]
		col.Field, col.Nulls = f, -1
		c.storage(col, i)
		if f.Type != List && f.Type != Unsupported && !c.fromStatistics(col, i) && c.everywhere(i) {
			read = append(read, i)
		}
	}
	return s, c.fromValues(ctx, s.Columns, read)
}

// everywhere reports whether all files have column i, or what it is derived
// from.
func (c *Catalog) everywhere(i int) bool {
	if i >= c.stored {
		return true
	}
	for file := range c.sources {
		if c.inFile(file, ref{i, -1}).field < 0 {
			return false // a column that only some files have is not counted
		}
	}
	return true
}

// storage sets what is known of how column i is stored.
func (c *Catalog) storage(col *ColumnSummary, i int) {
	for file, src := range c.sources {
		st, ok := src.(storer)
		at := c.inFile(file, ref{i, -1})
		if !ok || at.field < 0 {
			continue
		}
		codecs, encodings, bytes := st.stored(at.field)
		col.Codecs, col.Encodings = appendNew(col.Codecs, codecs), appendNew(col.Encodings, encodings)
		col.Bytes += bytes
	}
}

// fromStatistics summarises column i by the statistics of all parts of all
// files; false if some are missing.
func (c *Catalog) fromStatistics(col *ColumnSummary, i int) bool {
	if len(c.null) > 0 {
		return false
	}
	var lo, hi number
	nulls := int64(0)
	for file, src := range c.sources {
		st, ok := src.(statistician)
		at := c.inFile(file, ref{i, -1})
		if !ok || at.field < 0 || c.sources[file].fields()[at.field].Type != col.Field.Type {
			return false
		}
		st.bounds(func(_, n int64, of func(r ref) (bounds, bool)) {
			b, known := of(at)
			switch {
			case n == 0:
			case !known || b.nulls < 0:
				ok = false
			case b.allNull:
				nulls += b.nulls
			default:
				nulls += b.nulls
				if lo.store == noStorage || lo.more(b.min) {
					lo = b.min
				}
				if hi.store == noStorage || b.max.more(hi) {
					hi = b.max
				}
			}
		})
		if !ok {
			return false
		}
	}
	col.Nulls, col.Min, col.Max = nulls, lo.text(col.Field.Type), hi.text(col.Field.Type)
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
	limits := make([]Column, len(read)) // the least and the greatest values so far
	for b, err := range c.Scan(ctx, Scan{Columns: names}) {
		if err != nil {
			return err
		}
		err := c.pool.run(ctx, len(read), func(k int) error {
			v := &b.Columns[k]
			for _, null := range v.Null {
				if null {
					out[read[k]].Nulls++
				}
			}
			least := &limits[k]
			if least.Len() == 0 {
				least.Field = v.Field
			}
			least.append(v.limits())
			if least.Len() > 2 { // two of before, two of the block
				*least = *least.limits()
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for k, i := range read {
		if n := limits[k].Len(); n > 0 {
			out[i].Min, out[i].Max = limits[k].text(0), limits[k].text(n-1)
		}
	}
	return nil
}

// limits returns a column of the least and the greatest value, of none if all
// are null or NaN.
func (c *Column) limits() *Column {
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
		return &Column{Field: c.Field} // no rows
	}
	out := &Column{Field: c.Field}
	if lo < 0 {
		return out
	}
	for _, i := range []int{lo, hi} {
		one := c.Slice(i, i+1)
		one.Null, one.sentinels = nil, nil
		if one.String != nil {
			one.String = []string{strings.Clone(one.String[0])} // not with all that it was read with
		}
		out.append(&one)
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

// rowGroups and stored implement storer.

func (s *parquetSource) rowGroups() int { return len(s.groups) }

func (s *parquetSource) stored(field int) (codecs, encodings []string, bytes int64) {
	for i := range s.groups {
		c := &s.groups[i].chunks[field]
		codecs = appendNew(codecs, []string{c.Codec.String()})
		encodings = appendNew(encodings, c.encodingNames())
		bytes += c.Size
	}
	slices.SortFunc(encodings, strings.Compare)
	return codecs, encodings, bytes
}

// encodingNames names the encodings of the values of a chunk, not those of its
// levels.
func (c *chunk) encodingNames() []string {
	var names []string
	for _, e := range c.encodings {
		if e != pages.RLE && e != pages.BitPacked || c.Physical == pages.Boolean && e == pages.RLE {
			names = append(names, e.String())
		}
	}
	return names
}

package catalog

import (
	"context"
	"slices"

	"skyjoin/internal/format"
)

// A filter holds the rows that a row filter keeps and the columns that it read.
type filter struct {
	keep []bool // nil without an expression
	cols []format.Column
}

// take removes and returns the named column if the filter has read it.
func (f *filter) take(name string) (format.Column, bool) {
	i := slices.IndexFunc(f.cols, func(c format.Column) bool { return c.Field.Name == name })
	if i < 0 {
		return format.Column{}, false
	}
	c := f.cols[i]
	f.cols = slices.Delete(f.cols, i, i+1)
	return c, true
}

// skip returns a function that reports whether the filter keeps none of n rows.
func (f *filter) skip() func(first, n int64) bool {
	if f.keep == nil {
		return nil
	}
	return func(first, n int64) bool { return !slices.Contains(f.keep[first:first+n], true) }
}

// where evaluates a row filter over all rows. Parts of the files that cannot
// contain a passing row, according to their statistics, are not read, and their
// rows are not kept.
func (c *Catalog) where(ctx context.Context, src string, prune bool, progress func(rows int64)) (*filter, error) {
	if src == "" {
		return &filter{}, nil
	}
	e, p, err := c.parseFilter(src)
	if err != nil {
		return nil, err
	}
	var excluded spans
	if prune {
		excluded = c.excluded(e)
	}
	cols, err := c.load(ctx, p.Columns(), excluded.covers, progress)
	if err != nil {
		return nil, err
	}
	f := &filter{keep: make([]bool, c.rows), cols: cols}
	err = c.inParts(ctx, excluded.covers, func(lo, hi int64) error {
		if err := p.Filter(c.vectors(cols, lo, hi), lo, f.keep[lo:hi]); err != nil {
			return whereError(src, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, s := range excluded {
		clear(f.keep[s.lo:s.hi])
	}
	return f, nil
}

package catalog

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"skyjoin/internal/format"
)

// A Tally counts the rows of one or more selections.
type Tally struct {
	Total    int64  // rows of the catalog
	Used     int64  // that became points
	Filtered int64  // dropped by the filter
	Skipped  []Skip // that cannot be used, by column and reason
}

// Tally returns the counts of a selection.
func (s *Selection) Tally() Tally {
	return Tally{s.Total, int64(s.Points.Len()), s.Filtered, s.Skipped}
}

// add counts the rows of the selection of a block whose first row is first.
func (t *Tally) add(s *Selection, first int64) {
	t.Total += s.Total
	t.Used += int64(s.Points.Len())
	t.Filtered += s.Filtered
	for _, k := range s.Skipped {
		at := slices.IndexFunc(t.Skipped, func(have Skip) bool { return have.Why == k.Why && have.Column == k.Column })
		if at < 0 {
			at = len(t.Skipped)
			t.Skipped = append(t.Skipped, Skip{Why: k.Why, Column: k.Column})
		}
		sum := &t.Skipped[at]
		sum.Rows += k.Rows
		for _, row := range k.First {
			if len(sum.First) < firstRows {
				sum.First = append(sum.First, first+row)
			}
		}
	}
}

// A SelectedBlock is consecutive rows of a catalog, with the points of those that
// can be used.
type SelectedBlock struct {
	*Block                // with the columns requested in addition
	Selection  *Selection // of the block: its rows count from the first row of the block
	CountSoFar Tally      // of all rows up to the end of the block
}

// SelectBlocks is [Catalog.Select] one block of rows at a time, so that memory does
// not grow with the catalog. also names columns that are read in addition. Blocks
// without a usable row have no points; if no block has any, or if req is strict and
// some row cannot be used, the stream ends with an error.
func (c *Catalog) SelectBlocks(ctx context.Context, req Request, also []string, rows int) iter.Seq2[*SelectedBlock, error] {
	return func(yield func(*SelectedBlock, error) bool) {
		if err := c.checkColumns(req); err != nil {
			yield(nil, err)
			return
		}
		names := append(slices.Clone(req.names()), also...)
		var sum Tally
		for b, err := range c.scan(ctx, Scan{Columns: names, Where: req.Where, Rows: rows}) {
			if err != nil {
				yield(nil, err)
				return
			}
			s, err := c.selectBlock(ctx, b, req, also)
			if err != nil {
				yield(nil, err)
				return
			}
			sum.add(s, b.first)
			b.cols = b.cols[len(req.names()):]
			if !yield(&SelectedBlock{b.public(), s, sum}, nil) {
				return
			}
			if req.Progress != nil {
				req.Progress(b.rows)
			}
		}
		s := Selection{Filtered: sum.Filtered, Skipped: sum.Skipped}
		order := req.names()
		slices.SortStableFunc(s.Skipped, func(a, b Skip) int {
			return cmp.Or(cmp.Compare(slices.Index(order, a.Column), slices.Index(order, b.Column)), cmp.Compare(rank(a.Why), rank(b.Why)))
		})
		if err := s.complain(c, req); err != nil {
			yield(nil, err)
		}
	}
}

// selectBlock makes points of the rows of a block, whose first columns are
// those of the request.
func (c *Catalog) selectBlock(ctx context.Context, b *block, req Request, also []string) (*Selection, error) {
	names := req.names()
	cols := make([]format.Column, len(names))
	for i := range cols {
		cols[i] = b.cols[i]
		if slices.Index(names, names[i]) < i || slices.Contains(also, names[i]) { // the selection changes its columns
			own := format.Column{Field: cols[i].Field}
			own.Append(&cols[i])
			cols[i] = own
		}
	}
	return c.choose(ctx, cols, b.rows, slices.Clone(b.keep), req)
}

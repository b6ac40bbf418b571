package format

import (
	"context"
	"io"
	"sync"

	"skyjoin/internal/par"
)

// Blocks are the rows of an opened file that is read block by block. One decoder
// of blocks serves both ways of reading.
type Blocks[T any] struct {
	// Next returns the next block and its number of rows, and io.EOF after the
	// last. Calls do not overlap. old is the zero value or a block that has been
	// decoded, whose memory can be reused.
	Next func(old T) (block T, rows int64, err error)
	// Decode puts the values of a block into the first rows of columns, or
	// appends them to columns of lists. Calls for different blocks may overlap.
	Decode func(block T, rows int64, cols []Column) error
	// Columns, if it is not nil, returns a block that is decoded already, in
	// place of Decode.
	Columns func(block T) []Column
}

// Read does the job of [Reader.Read].
func (b *Blocks[T]) Read(ctx context.Context, j Job) error {
	var mu sync.Mutex
	var over error // that ended the blocks
	row := int64(0)
	next := func(old T) (block T, first, n int64, err error) {
		mu.Lock()
		defer mu.Unlock()
		if over == nil {
			over = ctx.Err()
		}
		if over == nil {
			block, n, over = b.Next(old)
		}
		first = row
		row += n
		return block, first, n, over
	}
	return j.Pool.Run(ctx, max(1, cap(j.Pool)), func(int) error {
		var block T
		cols := make([]Column, len(j.Dst))
		for {
			var first, n int64
			var err error
			block, first, n, err = next(block)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if j.Skip == nil || !j.Skip(first, n) {
				for i, c := range j.Dst {
					cols[i] = c.Slice(int(j.At+first), int(j.At+first+n))
				}
				if b.Columns != nil {
					for i, c := range b.Columns(block) {
						cols[i].Copy(&c)
					}
				} else if err := b.Decode(block, n, cols); err != nil {
					return err
				}
			}
			j.Add(n)
		}
	})
}

// Flow does the work of [Reader.Flow].
func (b *Blocks[T]) Flow(ctx context.Context, w Flow) error {
	type block struct {
		raw  T
		rows int64
		skip bool
		cols []Column
	}
	row := int64(0)
	return par.InOrder(ctx, w.Pool, func() (next block, ok bool, err error) {
		if err := ctx.Err(); err != nil {
			return next, false, context.Cause(ctx)
		}
		if next.raw, next.rows, err = b.Next(next.raw); err != nil {
			if err == io.EOF {
				err = nil
			}
			return next, false, err
		}
		next.skip = w.Skip != nil && w.Skip(row, next.rows)
		row += next.rows
		return next, true, nil
	}, func(next block) (block, error) {
		if next.skip {
			return next, nil
		}
		if b.Columns != nil {
			next.cols = b.Columns(next.raw)
			return next, nil
		}
		next.cols = w.Columns(next.rows)
		return next, b.Decode(next.raw, next.rows, next.cols)
	}, func(next block) error { return w.Visit(next.rows, next.cols) })
}

// PutCell puts a cell with n values into a row of a column: all of them at the end
// of a column of lists, otherwise value elem. put puts value i into a row and
// returns false if it is null.
func PutCell(c *Column, row, elem, n int, put func(to *Column, row, i int) bool) error {
	if c.List != nil {
		l := ListColumn{c}
		e, at := &c.List.Elem, l.Grow(n)
		for i := range n {
			if !put(e, at+i, i) {
				e.SetNull(at + i)
			}
		}
		l.End(false)
		return nil
	}
	if elem < n && put(c, row, elem) {
		return nil
	}
	return PutNull(c, row)
}

// PutNull makes a row null, or appends a null to a column of lists.
func PutNull(c *Column, row int) error {
	switch {
	case c.List != nil:
		ListColumn{c}.End(true)
	case c.Null == nil:
		return ErrChanged // there was no null
	default:
		c.SetNull(row)
	}
	return nil
}

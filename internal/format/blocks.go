package format

import (
	"context"
	"io"
	"sync"

	"skyjoin/internal/par"
)

// Blocks are the rows of an opened file that is read a block after the other.
// They serve both ways of reading: for each there is but one decoder.
type Blocks[T any] struct {
	// Next returns the next block and its number of rows; io.EOF follows the
	// last. It is called for one block at a time. old is a block that is decoded,
	// or none, whose memory may be used again.
	Next func(old T) (block T, rows int64, err error)
	// Decode puts the values of a block into the first rows of columns, and
	// appends them to columns of lists. It is called for several blocks at once.
	Decode func(block T, rows int64, cols []Column) error
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
				if err := b.Decode(block, n, cols); err != nil {
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
		next.cols = w.Columns(next.rows)
		return next, b.Decode(next.raw, next.rows, next.cols)
	}, func(next block) error { return w.Visit(next.rows, next.cols) })
}

// PutCell puts a cell of n values into a row of a column: all of them at the end
// of a column of lists, else the one of number elem. put puts one value, false if
// it is null.
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

package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"skyjoin/internal/format"
	"skyjoin/internal/par"
)

// fitsBytes is the bytes of a block of rows, where it was read before its turn.
type fitsBytes struct {
	index int
	bytes []byte
}

// flow implements source. A file that is not compressed is read by several
// threads.
func (s *fitsSource) Flow(ctx context.Context, w format.Flow) error {
	cells := make([]fitsCells, len(w.Refs))
	for i, r := range w.Refs {
		c, f := &s.table.Columns[r.Field], w.Fields[i]
		if f.Type == format.List {
			f = *f.Elem
		}
		cells[i].table, cells[i].col, cells[i].elem, cells[i].put = s.table, c, max(0, r.Elem), fitsPutter(c, f.Type)
	}
	in, err := s.openRows()
	if err != nil {
		return err
	}
	defer in.Close()
	type block struct {
		rows int64
		cols []format.Column
	}
	next := 0
	return par.InOrder(ctx, w.Pool, func() (b fitsBytes, ok bool, err error) {
		if next == in.blocks || ctx.Err() != nil {
			return b, false, context.Cause(ctx)
		}
		b.index = next
		next++
		if in.at == nil {
			b.bytes, err = in.read(b.index)
		}
		return b, err == nil, err
	}, func(b fitsBytes) (out block, err error) {
		first, n := in.rows(b.index)
		out.rows = n
		if w.Skip != nil && w.Skip(first, n) {
			return out, nil
		}
		if in.at != nil {
			if b.bytes, err = in.read(b.index); err != nil {
				return out, err
			}
		}
		out.cols = w.Columns(n)
		for i := range cells {
			if w.Fields[i].Type == format.List && w.Refs[i].Elem < 0 {
				err = cells[i].readLists(in.at, b.bytes, format.ListColumn{Column: &out.cols[i]}, int(n))
			} else {
				err = cells[i].read(in.at, b.bytes, &out.cols[i], 0, int(n))
			}
			if err != nil {
				return out, fmt.Errorf("column %s: %w", s.field[w.Refs[i].Field].Name, err)
			}
		}
		return out, nil
	}, func(b block) error { return w.Visit(b.rows, b.cols) })
}

// readLists appends the lists of rows.
func (c *fitsCells) readLists(f io.ReaderAt, block []byte, dst format.ListColumn, n int) error {
	var text textArena
	var array []byte
	e := &dst.List.Elem
	for row := range n {
		b, count := block[row*int(c.table.RowBytes)+int(c.col.Offset):], c.col.Count
		if c.col.Variable {
			var err error
			if array, count, err = c.array(f, b, array, math.MaxInt64); err != nil {
				return err
			}
			b = array
			// Arrays that share bytes could make a small file fill the memory.
			if c.taken.Add(int64(len(array))) > c.table.End-c.table.Heap {
				return errors.New("its arrays overlap in the heap")
			}
		}
		at := dst.Grow(int(count))
		for i := range int(count) {
			if c.put(b, i, e, at+i, &text) {
				e.SetNull(at + i)
			}
		}
		dst.End(false)
	}
	if e.String != nil {
		text.flush(e.String)
	}
	return nil
}

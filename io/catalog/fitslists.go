package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
)

// readLists implements lister.
func (s *fitsSource) readLists(ctx context.Context, fields []int, dst []listColumn) error {
	cells := make([]fitsCells, len(fields))
	for i, field := range fields {
		c := &s.table.Columns[field]
		cells[i] = fitsCells{table: s.table, col: c, put: fitsPutter(c, &dst[i].List.Elem)}
	}
	// One thread, so that the rows come in order.
	return s.blocks(ctx, newPool(1), func(f io.ReaderAt, block []byte, _, n int64) error {
		for i := range cells {
			if err := cells[i].readLists(f, block, dst[i], int(n)); err != nil {
				return fmt.Errorf("column %s: %w", s.field[fields[i]].Name, err)
			}
		}
		return nil
	}, nil, nil)
}

// readLists appends the lists of rows.
func (c *fitsCells) readLists(f io.ReaderAt, block []byte, dst listColumn, n int) error {
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
			if c.taken += int64(len(array)); c.taken > c.table.End-c.table.Heap {
				return errors.New("its arrays overlap in the heap")
			}
		}
		at := dst.grow(int(count))
		for i := range int(count) {
			if c.put(b, i, e, at+i, &text) {
				e.setNull(at + i)
			}
		}
		dst.end(false)
	}
	if e.String != nil {
		text.flush(e.String)
	}
	return nil
}

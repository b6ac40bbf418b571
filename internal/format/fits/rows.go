package fits

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"

	"skyjoin/internal/each"
	"skyjoin/internal/format"
)

// A rowBlock is consecutive rows. If the file can be read at any position, the
// goroutine that decodes a block also reads it.
type rowBlock struct {
	first int64
	bytes []byte // of the rows, or room for those of one of their columns
}

// withBlocks opens the file, whose size must not have changed, and calls do with
// its rows.
func (s *reader) withBlocks(refs []format.Ref, do func(*format.Blocks[rowBlock]) error) error {
	r, err := format.OpenAt(s.path, s.table.Data)
	if err != nil {
		return err
	}
	defer r.Close()
	if size, err := fileSize(s.path); err != nil || s.size != size {
		return cmp.Or(err, format.ErrChanged)
	}
	file, _ := r.(io.ReaderAt)
	t, row := s.table, int64(0)
	cells := each.Of(refs, func(ref format.Ref) cells { return s.cellsOf(ref, file) })
	per, width := t.blockRows(refs)
	return do(&format.Blocks[rowBlock]{
		Next: func(old rowBlock) (b rowBlock, n int64, err error) {
			if n = min(per, t.Rows-row); n == 0 {
				return b, 0, io.EOF
			}
			b = rowBlock{row, resize(old.bytes, n*width)}
			row += n
			if file == nil {
				if _, err = io.ReadFull(r, b.bytes); err == io.EOF || err == io.ErrUnexpectedEOF {
					err = format.ErrChanged
				}
			}
			return b, n, err
		},
		Decode: func(b rowBlock, n int64, cols []format.Column) error {
			if file != nil && !t.isScattered() {
				if err := readAt(file, b.bytes, t.Data+b.first*t.RowBytes); err != nil {
					return err
				}
			}
			for i := range cells {
				if err := cells[i].of(b, &cols[i], n); err != nil {
					return fmt.Errorf("column %s: %w", s.Columns[refs[i].Field].Name, err)
				}
			}
			return nil
		},
	})
}

// isScattered reports whether the values of a row do not follow each other, so that
// the file is read at any position.
func (t *Table) isScattered() bool { return t.byColumn || t.tiles != nil }

// blockRows returns how many rows are read at a time, and for how many bytes of each
// room is kept.
func (t *Table) blockRows(refs []format.Ref) (rows, width int64) {
	switch {
	case t.tiles != nil:
		return t.tiles.rows, 0
	case t.byColumn:
		for _, r := range refs {
			width = max(width, t.Columns[r.Field].rowBytes())
		}
	default:
		width = t.RowBytes
	}
	return max(1, blockBytes/max(1, width)), width
}

// readAt fills b.
func readAt(file io.ReaderAt, b []byte, at int64) error {
	if _, err := file.ReadAt(b, at); err == io.EOF {
		return format.ErrChanged
	} else if err != nil {
		return err
	}
	return nil
}

// resize returns n bytes, in buf if it is large enough.
func resize(buf []byte, n int64) []byte {
	if int64(cap(buf)) < n {
		return make([]byte, n)
	}
	return buf[:n]
}

// cells are the values of a column, or of one element of it.
type cells struct {
	table *Table
	field int
	col   *Column
	elem  int
	file  io.ReaderAt   // nil if it cannot be read at any position
	taken *atomic.Int64 // bytes of the arrays of variable length in the lists read
}

func (s *reader) cellsOf(r format.Ref, file io.ReaderAt) cells {
	return cells{s.table, r.Field, &s.table.Columns[r.Field], max(0, r.Elem), file, new(atomic.Int64)}
}

// of puts the values of the n rows of a block into a column.
func (c *cells) of(b rowBlock, dst *format.Column, n int64) error {
	t, size := c.table, c.col.rowBytes()
	switch {
	case c.col.Text:
		return c.decodeText(b.bytes, dst, int(n))
	case t.tiles != nil:
		values, err := t.tile(c.file, c.field, b.first, n)
		if err != nil {
			return err
		}
		return c.decode(values, int(size), dst, int(n))
	case t.byColumn:
		values := b.bytes[:n*size]
		if err := readAt(c.file, values, t.Data+c.col.Offset+b.first*size); err != nil {
			return err
		}
		return c.decode(values, int(size), dst, int(n))
	}
	return c.decode(b.bytes[c.col.Offset:], int(t.RowBytes), dst, int(n))
}

// decode puts the values of n rows into a column. block has their bytes from the
// first value on, stride apart.
func (c *cells) decode(block []byte, stride int, dst *format.Column, n int) error {
	var text format.Texts
	var array []byte
	var values []byte // from the first of the row on
	leaf := dst.Field.Leaf()
	put := func(to *format.Column, row, i int) bool { return c.col.put(to, row, values, i, &text) }
	if dst.List == nil && !c.col.Variable && int64(c.elem) < c.col.Count {
		for row := range n {
			if !c.col.put(dst, row, block[row*stride:], c.elem, &text) {
				if err := format.PutNull(dst, row); err != nil {
					return err
				}
			}
		}
		n = 0 // all are done
	}
	for row := range n {
		values = block[row*stride:]
		count := c.col.Count
		if c.col.Variable {
			most := int64(c.elem) + 1
			if dst.List != nil {
				most = math.MaxInt64
			}
			var err error
			if c.table.tiles != nil {
				array, count, err = c.packedArray(values, block[n*stride+row*packedBytes:], array)
			} else {
				array, count, err = c.array(values, array, most)
			}
			if err != nil {
				return err
			}
			values = array
			// Arrays that share bytes could make a small file fill the memory.
			if dst.List != nil && c.taken.Add(int64(len(array))) > c.table.room {
				return errors.New("its arrays overlap in the heap")
			}
		}
		if err := format.PutCell(dst, row, c.elem, int(count), put); err != nil {
			return err
		}
	}
	if leaf == format.String {
		text.Flush(dst)
	}
	return nil
}

// array reads the first values, most of them at most, of the variable-length
// array of the descriptor at b, into buf if it is large enough, and returns
// their number: one for a string, which is read whole.
func (c *cells) array(b, buf []byte, most int64) ([]byte, int64, error) {
	n, at, err := c.table.Descriptor(c.col, b)
	if err != nil {
		return nil, 0, err
	}
	if c.col.Kind != Character {
		n = min(n, most)
	}
	buf = resize(buf, c.col.ValueBytes(n))
	if err := readAt(c.file, buf, at); err != nil {
		return nil, 0, err
	}
	if c.col.Kind == Character {
		return buf, 1, nil
	}
	return buf, n, nil
}

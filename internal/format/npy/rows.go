package npy

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"

	"skyjoin/internal/format"
)

// Read implements [format.Reader].
func (s *reader) Read(ctx context.Context, j format.Job) error {
	return s.withBlocks(j.Refs, func(b *format.Blocks[block]) error { return b.Read(ctx, j) })
}

// Flow implements [format.Reader].
func (s *reader) Flow(ctx context.Context, w format.Flow) error {
	return s.withBlocks(w.Refs, func(b *format.Blocks[block]) error { return b.Flow(ctx, w) })
}

// A block is the bytes of consecutive rows, of each stream.
type block [][]byte

// blockBytes is about how many bytes of rows are read at a time.
const blockBytes = 1 << 20

// streams are the runs that are read, each once.
type streams struct {
	of    *reader
	in    []io.ReadCloser
	width []int64 // of a record
	slots map[int]int
	row   int64
}

// withBlocks opens the runs that have the values, and calls do with their rows.
func (s *reader) withBlocks(refs []format.Ref, do func(*format.Blocks[block]) error) error {
	info, err := os.Stat(s.path)
	if err != nil || info.Size() != s.size {
		return cmp.Or(format.Bare(err), format.ErrChanged)
	}
	in := &streams{of: s, slots: map[int]int{}}
	defer in.close()
	cells := make([]cells, len(refs))
	for i, r := range refs {
		if cells[i], err = in.cellsOf(r); err != nil {
			return err
		}
	}
	return do(&format.Blocks[block]{
		Next: in.next,
		Decode: func(b block, n int64, cols []format.Column) error {
			for i := range cells {
				if err := cells[i].decode(b, &cols[i], int(n)); err != nil {
					return fmt.Errorf("column %s: %w", s.Columns[refs[i].Field].Name, err)
				}
			}
			return nil
		},
	})
}

// next reads the next rows.
func (t *streams) next(old block) (b block, n int64, err error) {
	width := int64(0)
	for _, w := range t.width {
		width += w
	}
	if n = min(max(1, blockBytes/max(1, width)), t.of.Count-t.row); n == 0 {
		return nil, 0, io.EOF
	}
	t.row += n
	if b = old; b == nil {
		b = make(block, len(t.in))
	}
	for i, in := range t.in {
		if size := n * t.width[i]; int64(cap(b[i])) < size {
			b[i] = make([]byte, size)
		} else {
			b[i] = b[i][:size]
		}
		if _, err := io.ReadFull(in, b[i]); err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, 0, format.ErrChanged
		} else if err != nil {
			return nil, 0, err
		}
	}
	return b, n, nil
}

func (t *streams) close() {
	for _, in := range t.in {
		in.Close()
	}
}

// cells are the values of a column, or one of them.
type cells struct {
	*column
	elem  int
	slots []int   // the streams of its values, one if all are in one
	width []int64 // of their records
}

// cellsOf opens the streams that have the values of a column.
func (t *streams) cellsOf(r format.Ref) (cells, error) {
	c := cells{column: &t.of.cols[r.Field], elem: r.Elem}
	n := 1
	if c.apart {
		n = int(c.count / c.parts)
	}
	c.slots = make([]int, n)
	for i := range n {
		if c.apart && r.Elem >= 0 && int64(r.Elem)/c.parts != int64(i) {
			continue // not asked for
		}
		slot, ok := t.slots[c.run+i]
		if !ok {
			run := &t.of.runs[c.run+i]
			in, err := t.of.stream(run)
			if err != nil {
				return c, err
			}
			slot = len(t.in)
			t.slots[c.run+i], t.in, t.width = slot, append(t.in, in), append(t.width, run.width)
		}
		c.slots[i] = slot
	}
	c.width = t.width
	return c, nil
}

// decode puts the values of n rows into a column.
func (c *cells) decode(b block, dst *format.Column, n int) error {
	var text format.Texts
	size := int(c.dtype.size)
	row := 0
	put := func(to *format.Column, at, i int) bool {
		slot, place := c.slots[0], int(c.at)+i*size
		if c.apart {
			slot, place = c.slots[i/int(c.parts)], i%int(c.parts)*size
		}
		return c.dtype.put(to, at, b[slot][row*int(c.width[slot])+place:], &text)
	}
	for ; row < n; row++ {
		if err := format.PutCell(dst, row, max(0, c.elem), int(c.count), put); err != nil {
			return err
		}
	}
	if c.dtype.typeOf() == format.String {
		text.Flush(dst)
	}
	return nil
}

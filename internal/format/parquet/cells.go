package parquet

import (
	"fmt"
	"io"

	"skyjoin/internal/format/cell"
)

// A cellReader writes the values of a chunk as text, a cell for each row.
type cellReader interface {
	// cell appends the next row's cell: nothing for a null.
	cell(dst []byte) ([]byte, error)
	// end reports an error if there are rows that were not read.
	end() error
}

// textCells implements cellReader for a physical type.
type textCells[T Value] struct {
	slotBatch[T]
	text  func(dst []byte, v T) []byte // of a value in a cell of its own
	item  func(dst []byte, v T) []byte // of a value in a list
	comma byte
	list  []byte
}

func (r *textCells[T]) cell(dst []byte) ([]byte, error) {
	if len(r.l.lists) > 0 {
		return r.lists(dst)
	}
	ok, err := r.peek()
	if err == nil && !ok {
		err = errFew
	}
	if err != nil {
		return dst, err
	}
	if value := r.take(); value >= 0 {
		dst = r.text(dst, r.vals[value])
	}
	return dst, nil
}

// lists appends the lists of a row as JSON has them, in one cell.
func (r *textCells[T]) lists(dst []byte) ([]byte, error) {
	b, depth, null, first := r.list[:0], 0, false, true // depth is how many lists are open
	var damaged error
	err := r.row(func(value int, def, rep uint8) {
		if int(rep) > depth {
			damaged = fmt.Errorf("it continues a list that was not begun")
			return
		}
		for ; depth > int(rep); depth-- {
			b = append(b, ']')
		}
		if rep > 0 {
			b = append(b, ',')
		}
		for depth < len(r.l.lists) && def >= r.l.lists[depth] {
			b = append(b, '[')
			depth++
		}
		switch {
		case value >= 0:
			b = r.item(b, r.vals[value])
		case depth < len(r.l.lists) && def == r.l.lists[depth]-1:
			b = append(b, "[]"...)
		case first && depth == 0:
			null = true // no list at all
		default:
			b = append(b, "null"...)
		}
		first = false
	})
	if err == nil {
		err = damaged
	}
	if err != nil || null {
		return dst, err
	}
	for ; depth > 0; depth-- {
		b = append(b, ']')
	}
	r.list = b
	return cell.AppendText(dst, string(b), r.comma), nil
}

// newCells makes a cellReader.
func newCells[T Value](open func(io.ReaderAt, *Chunk) *pageReader[T], src io.ReaderAt, c *Chunk, l *leaf, comma byte, text, item func([]byte, T) []byte) cellReader {
	return &textCells[T]{slotBatch: slotBatch[T]{pageReader: open(src, c), l: l}, text: text, item: item, comma: comma}
}

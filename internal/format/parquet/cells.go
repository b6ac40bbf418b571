package parquet

import (
	"fmt"
	"io"

	"skyjoin/internal/format/cell"
	"skyjoin/internal/pages"
)

// A leafText writes the values of a leaf column of a Parquet file as text, a
// cell for each row.
type leafText interface {
	// open starts the chunk of another row group.
	open(src io.ReaderAt, c *pages.Chunk)
	// cell appends the next row's cell: nothing for a null.
	cell(dst []byte) ([]byte, error)
	// done reports an error if the chunk has rows that were not read.
	done() error
}

// leafReader is leafText for a physical type.
type leafReader[T pages.Value] struct {
	newReader func(io.ReaderAt, *pages.Chunk) *pages.Reader[T]
	text      func(dst []byte, v T) []byte // of a value in a cell of its own
	item      func(dst []byte, v T) []byte // of a value in a list
	maxDef    uint8
	lists     []uint8 // definition level of an element, for each list around the values, outermost first
	comma     byte

	r        *pages.Reader[T]
	vals     [256]T
	def, rep [256]uint8
	at, n    int // slots of the batch: next, and number
	value    int // next of vals
	scratch  []byte
}

func (l *leafReader[T]) open(src io.ReaderAt, c *pages.Chunk) {
	l.r = l.newReader(src, c)
	l.at, l.n, l.value = 0, 0, 0
}

// more makes slot at available; io.EOF says that there is none.
func (l *leafReader[T]) more() error {
	if l.at < l.n {
		return nil
	}
	n, _, err := l.r.Read(l.vals[:], l.def[:], l.rep[:])
	if err != nil {
		return err
	}
	l.at, l.n, l.value = 0, n, 0
	return nil
}

func (l *leafReader[T]) cell(dst []byte) ([]byte, error) {
	if err := l.more(); err == io.EOF {
		return dst, fmt.Errorf("it has fewer rows than its row group")
	} else if err != nil {
		return dst, err
	}
	if len(l.lists) > 0 {
		return l.list(dst)
	}
	if l.maxDef == 0 || l.def[l.at] == l.maxDef {
		dst = l.text(dst, l.vals[l.value])
		l.value++
	}
	l.at++
	return dst, nil
}

// list appends the lists of a row as JSON has them, in one cell.
func (l *leafReader[T]) list(dst []byte) ([]byte, error) {
	b, depth := l.scratch[:0], 0 // lists that are open
	for first := true; ; first = false {
		if err := l.more(); err == io.EOF && !first {
			break
		} else if err != nil {
			return dst, err
		}
		def, rep := l.def[l.at], int(l.rep[l.at])
		if rep == 0 && !first {
			break
		}
		if rep > 0 && (first || rep > depth) {
			return dst, fmt.Errorf("it continues a list that was not begun")
		}
		for ; depth > rep; depth-- {
			b = append(b, ']')
		}
		if rep > 0 {
			b = append(b, ',')
		}
		for depth < len(l.lists) && def >= l.lists[depth] {
			b = append(b, '[')
			depth++
		}
		switch {
		case def == l.maxDef:
			b = l.item(b, l.vals[l.value])
			l.value++
		case depth < len(l.lists) && def == l.lists[depth]-1:
			b = append(b, "[]"...)
		case first && depth == 0:
			l.at++
			return dst, nil // no list at all
		default:
			b = append(b, "null"...)
		}
		l.at++
	}
	for ; depth > 0; depth-- {
		b = append(b, ']')
	}
	l.scratch = b
	return cell.AppendText(dst, string(b), l.comma), nil
}

func (l *leafReader[T]) done() error {
	if err := l.more(); err == nil {
		return fmt.Errorf("it has more rows than its row group")
	} else if err != io.EOF {
		return err
	}
	return nil
}

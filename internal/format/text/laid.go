package text

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"skyjoin/internal/format"
)

// A laid writes a table whose columns have their places in the line. How wide they
// are is known after the last row only, so that the rows wait in a temporary file:
// memory does not grow with the table.
type laid struct {
	paper
	to   format.Sink
	file *os.File
	w    *bufio.Writer
	cols []laidColumn
	rows int64
	buf  []byte
	form laidForm
}

// A laidForm is what forms of laid tables differ in.
type laidForm interface {
	// head returns the lines above the rows. It may widen columns, and set what
	// null is.
	head(l *laid) string
	// margin is what stands before the first column.
	margin() string
	// cell changes a cell, which is not null, before it is written.
	cell(cell []byte, f *format.Field) []byte
	// emptyRow is the error for a row of nulls, nil if it can be written.
	emptyRow(row int64) error
}

// A laidColumn is what is known of the cells of a column.
type laidColumn struct {
	width    int  // characters of the longest
	decimals int  // behind it, at most
	exponent bool // some number has one
	nulls    bool
	words    map[string]bool // that could be taken for null
	null     string
}

// nullWords are what null can be written as, from the most usual.
var nullWords = []string{"null", "-", "NULL?", "<null>"}

func newLaid(to format.Sink, fields []format.Field, opt format.WriteOptions, form laidForm) (format.Writer, error) {
	p, err := newPaper(fields, opt)
	if err != nil {
		return nil, err
	}
	l := &laid{paper: p, to: to, form: form, cols: make([]laidColumn, len(fields))}
	if l.file, err = to.Scratch(); err != nil {
		return nil, err
	}
	l.w = bufio.NewWriterSize(l.file, 1<<20)
	return l, nil
}

// Rows implements [format.Writer].
func (l *laid) Rows(ctx context.Context, cols []format.Column) error {
	for row := range cols[0].Len() {
		if row%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		empty := true
		for i := range cols {
			l.buf = l.append(l.buf[:0], cols, i, row)
			if len(l.buf) > 0 {
				l.buf = l.form.cell(l.buf, &l.fields[i])
			}
			empty = empty && len(l.buf) == 0
			l.cols[i].add(l.buf, l.fields[i].Type)
			if _, err := l.w.Write(binary.AppendUvarint(nil, uint64(len(l.buf)))); err != nil {
				return l.to.Failed(err)
			}
			if _, err := l.w.Write(l.buf); err != nil {
				return l.to.Failed(err)
			}
		}
		if empty {
			if err := l.form.emptyRow(l.rows); err != nil {
				return err
			}
		}
		l.rows++
	}
	return nil
}

// add takes note of a cell.
func (c *laidColumn) add(cell []byte, typ format.Type) {
	if len(cell) == 0 {
		c.nulls = true
		return
	}
	c.width = max(c.width, utf8.RuneCount(cell))
	text := string(cell)
	if typ == format.String {
		for _, w := range nullWords {
			if strings.EqualFold(text, w) {
				if c.words == nil {
					c.words = map[string]bool{}
				}
				c.words[w] = true
			}
		}
		return
	}
	mantissa, _, exponent := strings.Cut(text, "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	c.exponent, c.decimals = c.exponent || exponent, max(c.decimals, len(fraction))
}

// nullWord returns what null is written as: no text of the column.
func (c *laidColumn) nullWord() string {
	for _, w := range nullWords {
		if !c.words[w] {
			return w
		}
	}
	return ""
}

// Close implements [format.Writer]: it writes the table.
func (l *laid) Close(ctx context.Context) error {
	if err := l.w.Flush(); err != nil {
		return l.to.Failed(err)
	}
	if _, err := l.file.Seek(0, io.SeekStart); err != nil {
		return l.to.Failed(err)
	}
	if _, err := io.WriteString(l.to, l.form.head(l)); err != nil {
		return err
	}
	in := bufio.NewReaderSize(l.file, 1<<20)
	var line []byte
	for row := range l.rows {
		if row%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line = append(line, l.form.margin()...)
		for i := range l.cols {
			n, err := binary.ReadUvarint(in)
			if err == nil {
				l.buf = append(l.buf[:0], make([]byte, n)...)
				_, err = io.ReadFull(in, l.buf)
			}
			if err != nil {
				return l.to.Failed(err)
			}
			if n == 0 {
				l.buf = append(l.buf, l.cols[i].null...)
			}
			if i > 0 {
				line = append(line, ' ')
			}
			line = pad(line, l.buf, l.cols[i].width, !isText(l.fields[i].Type))
		}
		line = append(line, '\n')
		if len(line) > 1<<16 || row == l.rows-1 {
			if _, err := l.to.Write(line); err != nil {
				return err
			}
			line = line[:0]
		}
	}
	return nil
}

// isText reports whether values of a type stand at the left of their column.
func isText(t format.Type) bool {
	return t == format.String || t == format.Timestamp || t == format.Bool
}

// pad appends a cell, with blanks to a width.
func pad(dst, cell []byte, width int, right bool) []byte {
	blanks := strings.Repeat(" ", max(0, width-utf8.RuneCount(cell)))
	if right {
		return append(append(dst, blanks...), cell...)
	}
	return append(append(dst, cell...), blanks...)
}

package fits

import (
	"bufio"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"os"

	"skyjoin/internal/format"
)

// Output writes a table as a file with one binary table.
var Output = format.Output{Extension: ".fits", Create: create, Changes: changes}

// changes implements [format.Output].
func changes(f *format.Field) string {
	if f.Type == format.List && (f.Elem.Type == format.Timestamp || f.Elem.Type == format.String && textsOf(f) == 0) {
		return "text"
	}
	return ""
}

// An encoder writes a table.
//
// The header of FITS says how many rows there are, how long the longest string
// of each column is, and which integer stands for null. So rows wait in a
// temporary file, and are copied behind the header when all are known: memory
// does not grow with the table.
type encoder struct {
	to    format.Sink
	meta  []format.KeyValue
	cols  []encoding
	file  *os.File // of the rows that wait
	w     *bufio.Writer
	queue *gob.Encoder // on w: for blocks of rows the waiting of each column
	rows  int64
}

// waitingRows is how many rows wait in one block at most.
const waitingRows = 1 << 12

func create(to format.Sink, fields []format.Field, opt format.WriteOptions) (format.Writer, error) {
	if len(fields) == 0 || len(fields) > maxColumns {
		return nil, format.Requestf("%d columns; FITS has 1 to %d", len(fields), maxColumns)
	}
	e := &encoder{to: to, meta: opt.Metadata}
	for _, f := range fields {
		c, err := newEncoding(f)
		if err != nil {
			return nil, err
		}
		e.cols = append(e.cols, c)
	}
	var err error
	if e.file, err = to.Scratch(); err != nil {
		return nil, err
	}
	e.w = bufio.NewWriterSize(e.file, 1<<20)
	e.queue = gob.NewEncoder(e.w)
	return e, nil
}

// Rows implements [format.Writer].
func (e *encoder) Rows(ctx context.Context, cols []format.Column) error {
	n := cols[0].Len()
	for lo := 0; lo < n; lo += waitingRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range cols {
			if err := e.queue.Encode(e.cols[i].take(&cols[i], lo, min(n, lo+waitingRows))); err != nil {
				return e.to.Failed(err)
			}
			if e.cols[i].failed != nil {
				return e.cols[i].failed
			}
		}
	}
	e.rows += int64(n)
	return nil
}

// Close implements [format.Writer].
func (e *encoder) Close(ctx context.Context) error {
	if err := e.w.Flush(); err != nil {
		return e.to.Failed(err)
	}
	var cols []Column
	var rowBytes, heap int64
	for i := range e.cols {
		c := &e.cols[i]
		if err := c.settle(); err != nil {
			return err
		}
		cols = append(cols, c.out)
		rowBytes += c.bytes()
		if c.variable {
			heap += int64(c.total) * c.size()
		}
	}
	if err := WriteHeaders(e.to, cols, e.rows, rowBytes, heap, e.meta); err != nil {
		return err
	}
	inHeap := int64(0) // offset of the next list
	err := e.copy(ctx, func(dst []byte, c *encoding, v *waiting, row, first, n int) []byte {
		if !c.variable {
			return c.value(dst, v, row, first, n)
		}
		numbers := n
		if c.complex {
			numbers /= 2
		}
		dst = appendBig(dst, Int64, uint64(numbers))
		dst = appendBig(dst, Int64, uint64(inHeap))
		inHeap += int64(n) * c.size()
		return dst
	})
	if err == nil && heap > 0 {
		err = e.copy(ctx, func(dst []byte, c *encoding, v *waiting, _, first, n int) []byte {
			if !c.variable {
				return dst
			}
			return c.elements(dst, v, first, n)
		})
	}
	if err == nil {
		_, err = e.to.Write(Padding(e.rows*rowBytes + heap))
	}
	return err
}

// copy reads the waiting rows and writes what put appends for each cell: row of a
// block v, where the cell has n values from first on.
func (e *encoder) copy(ctx context.Context, put func(dst []byte, c *encoding, v *waiting, row, first, n int) []byte) error {
	if _, err := e.file.Seek(0, io.SeekStart); err != nil {
		return e.to.Failed(err)
	}
	queue := gob.NewDecoder(bufio.NewReaderSize(e.file, 1<<20))
	var buf []byte
	for left := e.rows; left > 0; {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		block, first := make([]waiting, len(e.cols)), make([]int, len(e.cols))
		for i := range block {
			if err := queue.Decode(&block[i]); err != nil {
				return e.to.Failed(fmt.Errorf("the temporary file: %w", err))
			}
		}
		for row := range block[0].Rows {
			for i := range block {
				v, n := &block[i], 1
				if v.Counts != nil {
					n = v.Counts[row]
				}
				buf = put(buf, &e.cols[i], v, row, first[i], n)
				first[i] += n
			}
			if len(buf) >= 1<<16 || row == block[0].Rows-1 {
				if _, err := e.to.Write(buf); err != nil {
					return err
				}
				buf = buf[:0]
			}
		}
		left -= int64(block[0].Rows)
	}
	return nil
}

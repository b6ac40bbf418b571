package table

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"skyjoin/internal/format"
	"skyjoin/internal/format/fits"
)

// fitsEncoder writes a table as a FITS file with one binary table.
//
// The header of FITS says how many rows there are, how long the longest string
// of each column is, and which integer stands for null. So rows wait in a
// temporary file, and are copied behind the header when all are known: memory
// does not grow with the table.
type fitsEncoder struct {
	out  format.Sink
	opt  format.WriteOptions
	cols []fitsColumn
	file *os.File // of the rows that wait
	w    *bufio.Writer
	buf  []byte
	n    int64 // rows
}

func newFITSEncoder(out format.Sink, fields []format.Field, opt format.WriteOptions) (format.Writer, error) {
	if len(fields) == 0 || len(fields) > 999 {
		return nil, format.Requestf("%d columns; FITS has 1 to 999", len(fields))
	}
	e := &fitsEncoder{out: out, opt: opt}
	for _, f := range fields {
		c, err := newFITSColumn(f)
		if err != nil {
			return nil, err
		}
		e.cols = append(e.cols, c)
	}
	f, err := out.Scratch()
	if err != nil {
		return nil, err
	}
	e.file, e.w = f, bufio.NewWriterSize(f, 1<<20)
	return e, nil
}

func (e *fitsEncoder) Rows(ctx context.Context, cols []format.Column) error {
	for row := range cols[0].Len() {
		for i := range cols {
			e.buf = e.cols[i].wait(e.buf, &cols[i], row)
		}
		if len(e.buf) >= 1<<16 {
			if err := e.flush(ctx); err != nil {
				return err
			}
		}
	}
	e.n += int64(cols[0].Len())
	return e.flush(ctx)
}

func (e *fitsEncoder) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := e.w.Write(e.buf)
	e.buf = e.buf[:0]
	return e.out.Failed(err)
}

func (e *fitsEncoder) Close(ctx context.Context) error {
	if err := e.w.Flush(); err != nil {
		return e.out.Failed(err)
	}
	var cols []fits.Column
	var rowBytes, heap int64
	for i := range e.cols {
		c := &e.cols[i]
		if err := c.settle(); err != nil {
			return err
		}
		cols = append(cols, c.out)
		rowBytes += c.bytes()
		heap += c.heapBytes()
	}
	var meta []format.KeyValue
	for _, kv := range e.opt.Metadata {
		meta = append(meta, format.KeyValue(kv))
	}
	if err := fits.WriteHeaders(e.out, cols, e.n, rowBytes, heap, meta); err != nil {
		return err
	}
	if err := e.copy(ctx, func(c *fitsColumn, w *waiting, dst []byte) []byte { return c.value(dst, w) }); err != nil {
		return err
	}
	if heap > 0 {
		err := e.copy(ctx, func(c *fitsColumn, w *waiting, dst []byte) []byte {
			if !c.variable {
				return dst
			}
			return c.elements(dst, w)
		})
		if err != nil {
			return err
		}
	}
	_, err := e.out.Write(fits.Padding(e.n*rowBytes + heap))
	return err
}

// copy writes what put makes of each cell of the rows that wait.
func (e *fitsEncoder) copy(ctx context.Context, put func(c *fitsColumn, w *waiting, dst []byte) []byte) error {
	if _, err := e.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r := bufio.NewReaderSize(e.file, 1<<20)
	var w waiting
	heap := int64(0)
	for row := range e.n {
		if row%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e.buf = e.buf[:0]
		for i := range e.cols {
			c := &e.cols[i]
			if err := w.read(r, c); err != nil {
				return e.out.Failed(fmt.Errorf("the temporary file: %w", err))
			}
			if c.variable {
				w.heap = heap
				heap += int64(w.count) * c.size()
			}
			e.buf = put(c, &w, e.buf)
		}
		if _, err := e.out.Write(e.buf); err != nil {
			return err
		}
	}
	return nil
}

// A waiting is a cell in the temporary file: a string, or one or more numbers
// and which of them are null.
type waiting struct {
	null  []byte // 1 for null; of a string one
	count int
	data  []byte // of numbers eight bytes each, big-endian
	heap  int64  // offset of its elements in the heap
}

// read reads the next cell, of a column.
func (w *waiting) read(r *bufio.Reader, c *fitsColumn) error {
	w.count = 1
	if c.list {
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		w.count = int(n)
	}
	var err error
	if w.null, err = readBytes(r, w.null, w.count); err != nil {
		return err
	}
	size := 8 * w.count
	if c.text {
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		size = int(n)
	}
	w.data, err = readBytes(r, w.data, size)
	return err
}

func readBytes(r io.Reader, buf []byte, n int) ([]byte, error) {
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	_, err := io.ReadFull(r, buf)
	return buf, err
}

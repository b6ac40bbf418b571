package votable

import (
	"context"
	"encoding/base64"
	be "encoding/binary"
	"fmt"
	"io"
	"math"
	"unicode/utf16"

	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
)

// Outputs write a table as a document whose rows are BINARY2, in which every
// cell can be null and floats keep their bits.
var Outputs = []format.Output{
	{Extension: ".vot", Also: "votable", Create: create, Changes: changes, ASCII: true},
	{Extension: ".xml", Create: create, Changes: changes, ASCII: true},
}

// formKinds are the datatypes that hold the values of a type. There are no
// unsigned ones but of eight bits: wider ones take the next signed type.
var formKinds = map[format.Type]Kind{
	format.Float64: Float64, format.Decimal: Float64, format.Float32: Float32,
	format.Int64: Int64, format.Int32: Int32, format.Int16: Int16, format.Int8: Int16,
	format.Uint64: Int64, format.Uint32: Int64, format.Uint16: Int32, format.Uint8: Byte,
	format.Bool: Boolean, format.String: Unicode, format.Timestamp: Char,
}

// An encoder writes rows: for each a mask of one bit a field, set for null, the
// first in the highest bit, then the values.
type encoder struct {
	to     io.Writer
	base64 io.WriteCloser
	cell   []cellFunc
	buf    []byte
}

// A cellFunc appends the value of a row, or a placeholder if it is null.
type cellFunc func(dst []byte, c *format.Column, row int) ([]byte, error)

func create(to format.Sink, fields []format.Field, opt format.WriteOptions) (format.Writer, error) {
	e := &encoder{to: to, base64: base64.NewEncoder(base64.StdEncoding, &lines{w: to})}
	var declared []Field
	for _, f := range fields {
		v := Field{Name: f.Name, Unit: f.Unit, UCD: f.UCD, Description: f.Description}
		cell, err := v.encoding(f, opt.ASCII[f.Name])
		if err != nil {
			return nil, err
		}
		declared, e.cell = append(declared, v), append(e.cell, cell)
	}
	_, err := io.WriteString(to, documentHead(declared, opt.Metadata))
	return e, err
}

// encoding sets the type of a field and returns how its cells are written.
func (v *Field) encoding(f format.Field, ascii bool) (cellFunc, error) {
	k, ok := formKinds[f.Type]
	v.Kind = k
	switch {
	case f.Type == format.List:
		return v.lists(f)
	case !ok:
		return nil, format.Requestf("column %q (%s) cannot be written to VOTable", f.Name, f.Text)
	case k == Boolean && f.Layout.Bits:
		v.Kind = Bit
		return func(dst []byte, c *format.Column, row int) ([]byte, error) {
			if c.Bool[row] { // all eight, as astropy looks at another one than the standard
				return append(dst, 0xff), nil
			}
			return append(dst, 0), nil
		}, nil
	case !k.IsText():
		return number(f, k, 0), nil
	}
	v.Arraysize = "*"
	if ascii {
		v.Kind = Char
	}
	if f.Type == format.Timestamp {
		v.Xtype = "timestamp"
		return text(v.Kind, func(c *format.Column, row int) string { return string(cell.AppendTime(nil, c.Float64[row])) }), nil
	}
	return text(v.Kind, func(c *format.Column, row int) string { return c.String[row] }), nil
}

// text returns how strings of any length are written: as Char, which must be
// ASCII to be read by all, or as Unicode.
func text(k Kind, of func(c *format.Column, row int) string) cellFunc {
	return func(dst []byte, c *format.Column, row int) ([]byte, error) {
		if c.IsNull(row) {
			return appendCount(dst, 0), nil
		}
		s := of(c, row)
		if k == Char {
			return append(appendCount(dst, len(s)), s...), nil
		}
		units := utf16.Encode([]rune(s))
		dst = appendCount(dst, len(units))
		for _, u := range units {
			dst = be.BigEndian.AppendUint16(dst, u)
		}
		return dst, nil
	}
}

// number returns how numbers and booleans are written; null is the integer that
// null ones become.
func number(f format.Field, k Kind, null int64) cellFunc {
	return func(dst []byte, c *format.Column, row int) ([]byte, error) {
		is := c.IsNull(row)
		switch {
		case c.Float32 != nil:
			v := float32(math.NaN())
			if !is {
				v = c.Float32[row]
			}
			return be.BigEndian.AppendUint32(dst, math.Float32bits(v)), nil
		case c.Float64 != nil:
			v := math.NaN()
			if !is {
				v = c.Float64[row]
			}
			return be.BigEndian.AppendUint64(dst, math.Float64bits(v)), nil
		case c.Bool != nil:
			switch {
			case is:
				return append(dst, '?'), nil
			case c.Bool[row]:
				return append(dst, 'T'), nil
			}
			return append(dst, 'F'), nil
		case is:
			return appendInt(dst, k, null), nil
		case c.Uint64 != nil:
			if c.Uint64[row] > math.MaxInt64 {
				return nil, fmt.Errorf("column %q has %d, VOTable has integers up to %d; write to .parquet or .fits", f.Name, c.Uint64[row], int64(math.MaxInt64))
			}
			return appendInt(dst, k, int64(c.Uint64[row])), nil
		}
		return appendInt(dst, k, c.Int64[row]), nil
	}
}

// appendCount appends the number of elements that precedes a variable-length
// array.
func appendCount(dst []byte, n int) []byte { return be.BigEndian.AppendUint32(dst, uint32(n)) }

// appendInt appends an integer of a kind.
func appendInt(dst []byte, k Kind, v int64) []byte {
	switch k {
	case Int16:
		return be.BigEndian.AppendUint16(dst, uint16(v))
	case Int32:
		return be.BigEndian.AppendUint32(dst, uint32(v))
	case Int64:
		return be.BigEndian.AppendUint64(dst, uint64(v))
	}
	return append(dst, byte(v))
}

// Rows implements [format.Writer].
func (e *encoder) Rows(ctx context.Context, cols []format.Column) (err error) {
	mask := (len(cols) + 7) / 8
	for row := range cols[0].Len() {
		at := len(e.buf)
		e.buf = append(e.buf, make([]byte, mask)...)
		for i := range cols {
			if cols[i].IsNull(row) {
				e.buf[at+i/8] |= 0x80 >> (i % 8)
			}
			if e.buf, err = e.cell[i](e.buf, &cols[i], row); err != nil {
				return err
			}
		}
		if len(e.buf) >= 1<<16 {
			if err := e.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *encoder) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := e.base64.Write(e.buf)
	e.buf = e.buf[:0]
	return err
}

// Close implements [format.Writer].
func (e *encoder) Close(ctx context.Context) error {
	if err := e.flush(ctx); err != nil {
		return err
	}
	if err := e.base64.Close(); err != nil {
		return err
	}
	_, err := io.WriteString(e.to, documentEnd)
	return err
}

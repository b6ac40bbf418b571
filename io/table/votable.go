package table

import (
	"context"
	"fmt"
	"math"

	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
	"skyjoin/internal/format/votable"
)

// votableKinds are the datatypes of VOTable that hold the values of a type.
// There are no unsigned ones but of eight bits: wider ones take the next
// signed type.
var votableKinds = map[format.Type]votable.Kind{
	format.Float64: votable.Float64, format.Decimal: votable.Float64, format.Float32: votable.Float32,
	format.Int64: votable.Int64, format.Int32: votable.Int32, format.Int16: votable.Int16, format.Int8: votable.Int16,
	format.Uint64: votable.Int64, format.Uint32: votable.Int64, format.Uint16: votable.Int32, format.Uint8: votable.Byte,
	format.Bool: votable.Boolean, format.String: votable.Unicode, format.Timestamp: votable.Char,
}

// votableEncoder writes a table as a VOTable document in BINARY2, in which
// every cell can be null and floats keep their bits.
type votableEncoder struct {
	w     *votable.Writer
	field []votable.Field
	cell  []votableCell
	buf   []byte
}

// A votableCell appends the value of a row; of a null one a value that stands
// for none.
type votableCell func(dst []byte, c *format.Column, row int) ([]byte, error)

func newVOTableEncoder(out format.Sink, fields []format.Field, opt format.WriteOptions) (format.Writer, error) {
	e := &votableEncoder{}
	for _, f := range fields {
		v := votable.Field{Name: f.Name, Unit: f.Unit, UCD: f.UCD, Description: f.Description}
		cell, err := votableColumn(&v, f, opt.ASCII[f.Name])
		if err != nil {
			return nil, err
		}
		e.field, e.cell = append(e.field, v), append(e.cell, cell)
	}
	var notes []format.KeyValue
	for _, kv := range opt.Metadata {
		notes = append(notes, format.KeyValue(kv))
	}
	var err error
	e.w, err = votable.NewWriter(out, e.field, notes)
	return e, err
}

// votableColumn sets the type of a field and returns how its cells are
// written.
func votableColumn(v *votable.Field, f format.Field, ascii bool) (votableCell, error) {
	switch f.Type {
	case format.String, format.Timestamp:
		v.Kind, v.Arraysize = votableKinds[f.Type], "*"
		if ascii {
			v.Kind = votable.Char
		}
		text := func(c *format.Column, row int) string { return c.String[row] }
		if f.Type == format.Timestamp {
			v.Xtype = "timestamp"
			text = func(c *format.Column, row int) string { return string(cell.AppendTime(nil, c.Float64[row])) }
		}
		return votableText(v.Kind, text), nil
	case format.List:
		return votableList(v, f)
	}
	k, ok := votableKinds[f.Type]
	if !ok {
		return nil, format.Requestf("column %q (%s) cannot be written to VOTable", f.Name, f.Text)
	}
	v.Kind = k
	return votableNumber(f, k, 0), nil
}

func votableText(k votable.Kind, text func(c *format.Column, row int) string) votableCell {
	return func(dst []byte, c *format.Column, row int) ([]byte, error) {
		if c.IsNull(row) {
			return votable.AppendCount(dst, 0), nil
		}
		return votable.AppendText(dst, k, text(c, row)), nil
	}
}

// votableNumber returns how numbers and booleans are written; null is the
// integer that null ones become.
func votableNumber(f format.Field, k votable.Kind, null int64) votableCell {
	return func(dst []byte, c *format.Column, row int) ([]byte, error) {
		is := c.IsNull(row)
		switch {
		case c.Float64 != nil || c.Float32 != nil:
			v := math.NaN()
			switch {
			case is:
			case c.Float32 != nil:
				v = float64(c.Float32[row])
			default:
				v = c.Float64[row]
			}
			return votable.AppendFloat(dst, k, v), nil
		case c.Bool != nil:
			return append(dst, truth(c.Bool[row], is, '?')), nil
		case is:
			return votable.AppendInt(dst, k, null), nil
		case c.Uint64 != nil:
			if c.Uint64[row] > math.MaxInt64 {
				return nil, fmt.Errorf("column %q has %d, VOTable has integers up to %d; write to .parquet or .fits", f.Name, c.Uint64[row], int64(math.MaxInt64))
			}
			return votable.AppendInt(dst, k, int64(c.Uint64[row])), nil
		}
		return votable.AppendInt(dst, k, c.Int64[row]), nil
	}
}

func truth(v, null bool, absent byte) byte {
	switch {
	case null:
		return absent
	case v:
		return 'T'
	}
	return 'F'
}

// leastOf are the integers that stand for null elements in lists.
var leastOf = map[votable.Kind]int64{votable.Byte: math.MaxUint8, votable.Int16: math.MinInt16, votable.Int32: math.MinInt32, votable.Int64: math.MinInt64}

// votableList returns how lists are written: as arrays of any length; lists of
// strings, which VOTable only has with one width for all, as text.
func votableList(v *votable.Field, f format.Field) (votableCell, error) {
	v.Arraysize = "*"
	k, ok := votableKinds[f.Elem.Type]
	if !ok || k.IsText() {
		v.Kind = votable.Unicode
		item, err := cell.Item(*f.Elem, ',')
		if err != nil {
			return nil, err
		}
		return votableText(v.Kind, func(c *format.Column, row int) string { return string(cell.AppendList(nil, c, row, item)) }), nil
	}
	v.Kind = k
	null := leastOf[k]
	if k.IsInt() {
		v.SetNull(null)
	}
	elem := votableNumber(*f.Elem, k, null)
	return func(dst []byte, c *format.Column, row int) (_ []byte, err error) {
		lo, hi := c.List.Offset[row], c.List.Offset[row+1]
		if c.IsNull(row) {
			hi = lo
		}
		dst = votable.AppendCount(dst, int(hi-lo))
		e := &c.List.Elem
		for i := int(lo); i < int(hi); i++ {
			if !e.IsNull(i) && (e.Int64 != nil && e.Int64[i] == null || e.Uint64 != nil && null >= 0 && e.Uint64[i] == uint64(null)) {
				return nil, fmt.Errorf("a list in column %q has %d, which stands for null in lists of VOTable; write to .parquet", f.Name, null)
			}
			if dst, err = elem(dst, e, i); err != nil {
				return nil, err
			}
		}
		return dst, nil
	}, nil
}

func (e *votableEncoder) Rows(ctx context.Context, cols []format.Column) (err error) {
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

func (e *votableEncoder) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := e.w.Write(e.buf)
	e.buf = e.buf[:0]
	return err
}

func (e *votableEncoder) Close(ctx context.Context) error {
	if err := e.flush(ctx); err != nil {
		return err
	}
	return e.w.Close()
}

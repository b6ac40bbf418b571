package cell

import (
	"encoding/json"
	"math"
	"strconv"

	"skyjoin/internal/format"
)

// listCell writes lists as JSON has them, in one cell, as ECSV does.
func listCell(f format.Field, comma byte) (Func, error) {
	elem, err := Item(*f.Elem, comma)
	if err != nil {
		return nil, err
	}
	return func(dst []byte, c *format.Column, row int) []byte {
		text := AppendList(nil, c, row, elem)
		return AppendText(dst, string(text), comma)
	}, nil
}

// AppendList appends the list in a row.
func AppendList(dst []byte, c *format.Column, row int, elem Func) []byte {
	l := c.List
	dst = append(dst, '[')
	for i := l.Offset[row]; i < l.Offset[row+1]; i++ {
		if i > l.Offset[row] {
			dst = append(dst, ',')
		}
		if l.Elem.IsNull(int(i)) {
			dst = append(dst, "null"...)
			continue
		}
		dst = elem(dst, &l.Elem, int(i))
	}
	return append(dst, ']')
}

// Item returns how elements are written in a list.
func Item(f format.Field, comma byte) (Func, error) {
	switch f.Type {
	case format.Float64, format.Decimal:
		return func(dst []byte, c *format.Column, row int) []byte { return AppendItem(dst, c.Float64[row], 64) }, nil
	case format.Float32:
		return func(dst []byte, c *format.Column, row int) []byte {
			return AppendItem(dst, float64(c.Float32[row]), 32)
		}, nil
	case format.String:
		return func(dst []byte, c *format.Column, row int) []byte {
			b, err := json.Marshal(c.String[row])
			if err != nil { // strings marshal
				return strconv.AppendQuote(dst, c.String[row])
			}
			return append(dst, b...)
		}, nil
	case format.Timestamp:
		return func(dst []byte, c *format.Column, row int) []byte {
			return append(AppendTime(append(dst, '"'), c.Float64[row]), '"')
		}, nil
	}
	return Of(f, comma)
}

// AppendItem writes a float in a list; JSON libraries that know NaN and the
// infinities know them by these names.
func AppendItem(dst []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, "NaN"...)
	case math.IsInf(v, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(v, -1):
		return append(dst, "-Infinity"...)
	}
	return AppendFloat(dst, v, bits)
}

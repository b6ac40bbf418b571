package table

import (
	"encoding/json"
	"strconv"

	"skyjoin/io/catalog"
)

// listCell writes lists as JSON has them, in one cell, as ECSV does.
func listCell(f catalog.Field, comma byte) (cellFunc, error) {
	elem, err := itemOf(*f.Elem, comma)
	if err != nil {
		return nil, err
	}
	return func(dst []byte, c *catalog.Column, row int) []byte {
		text := appendListText(nil, c, row, elem)
		return appendText(dst, string(text), comma)
	}, nil
}

// appendListText appends the list in a row.
func appendListText(dst []byte, c *catalog.Column, row int, elem cellFunc) []byte {
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

// itemOf returns how elements are written in a list.
func itemOf(f catalog.Field, comma byte) (cellFunc, error) {
	switch f.Type {
	case catalog.Float64, catalog.Decimal:
		return func(dst []byte, c *catalog.Column, row int) []byte { return appendItem(dst, c.Float64[row], 64) }, nil
	case catalog.Float32:
		return func(dst []byte, c *catalog.Column, row int) []byte {
			return appendItem(dst, float64(c.Float32[row]), 32)
		}, nil
	case catalog.String:
		return func(dst []byte, c *catalog.Column, row int) []byte {
			b, err := json.Marshal(c.String[row])
			if err != nil { // strings marshal
				return strconv.AppendQuote(dst, c.String[row])
			}
			return append(dst, b...)
		}, nil
	case catalog.Timestamp:
		return func(dst []byte, c *catalog.Column, row int) []byte {
			return append(appendTime(append(dst, '"'), c.Float64[row]), '"')
		}, nil
	}
	return cellOf(f, comma)
}

package votable

import (
	"fmt"

	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
)

// lists returns how lists are written: as arrays of the axes of the field, or of any
// length; those of texts as one text.
func (v *Field) lists(f format.Field) (cellFunc, error) {
	_, all := f.Shape() // elements of each list, or -1
	k, ok := formKinds[f.Elem.Type]
	if !ok || k.IsText() {
		v.Kind, v.Arraysize = Unicode, "*"
		item, err := cell.Item(*f.Elem, ',')
		if err != nil {
			return nil, err
		}
		return text(v.Kind, func(c *format.Column, row int) string { return string(cell.AppendList(nil, c, row, item)) }), nil
	}
	v.Kind, v.Arraysize = k, "*"
	if all > 0 {
		v.Arraysize = f.Layout.Axes
	}
	if v.Complex = f.Layout.Complex && k.IsFloat(); v.Complex && v.Arraysize == "1" {
		v.Arraysize = ""
	}
	bits := f.Layout.Bits && k == Boolean && all > 0
	if bits {
		v.Kind = Bit
	}
	if k.IsInt() { // the integer that stands for null elements
		v.null, v.hasNull = ranges[k][0], true
		if k == Byte {
			v.null = ranges[k][1]
		}
	}
	null := v.null
	elem := number(*f.Elem, k, null)
	absent := format.MakeColumn(*f.Elem, int64(max(all, 0)), true) // of a list that is null
	for i := range absent.Null {
		absent.SetNull(i)
	}
	return func(dst []byte, c *format.Column, row int) (_ []byte, err error) {
		lo, hi := int(c.List.Offset[row]), int(c.List.Offset[row+1])
		e := &c.List.Elem
		switch {
		case c.IsNull(row) && all > 0:
			e, lo, hi = &absent, 0, all
		case c.IsNull(row):
			hi = lo
		case all > 0 && hi-lo != all:
			return nil, fmt.Errorf("column %q has a list of %d elements, where the file says that all have %d; write to .parquet", f.Name, hi-lo, all)
		}
		if n := hi - lo; v.Complex && n%2 == 1 {
			return nil, fmt.Errorf("column %q has a list of %d parts of complex numbers; write to .parquet", f.Name, n)
		} else if all < 0 && v.Complex {
			dst = appendCount(dst, n/2)
		} else if all < 0 {
			dst = appendCount(dst, n)
		}
		if bits {
			return appendBits(dst, e.Bool[lo:hi]), nil
		}
		for i := lo; i < hi; i++ {
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

// changes implements [format.Output]: astropy reads no arrays of texts.
func changes(f *format.Field) string {
	if f.Type == format.List && formKinds[f.Elem.Type].IsText() {
		return "text"
	}
	return ""
}

// appendBits appends logical values, eight to a byte.
func appendBits(dst []byte, values []bool) []byte {
	packed := make([]byte, (len(values)+7)/8)
	for i, v := range values {
		if v {
			packed[i/8] |= 0x80 >> (i % 8)
		}
	}
	return append(dst, packed...)
}

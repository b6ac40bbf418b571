package votable

import (
	be "encoding/binary"
	"fmt"
	"unicode/utf16"

	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
)

// lists returns how lists are written: as arrays of the axes of the field, or of any
// length. Texts are arrays if their width is known, and otherwise one text.
func (v *Field) lists(f format.Field) (cellFunc, error) {
	_, all := f.Shape() // elements of each list, or -1
	k, ok := formKinds[f.Elem.Type]
	if !ok || k.IsText() {
		return v.texts(f, all)
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

// changes implements [format.Output].
func changes(f *format.Field) string {
	if f.Type == format.List && formKinds[f.Elem.Type].IsText() && widthOf(f) == 0 {
		return "text"
	}
	return ""
}

// widthOf returns the width of the texts in lists of one length, 0 of others.
func widthOf(f *format.Field) int {
	if _, n := f.Shape(); f.Elem.Type != format.String || n < 1 {
		return 0
	}
	return int(f.Layout.Shape()[0])
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

// texts returns how lists of texts are written, all of them if each list has as many.
func (v *Field) texts(f format.Field, all int) (cellFunc, error) {
	v.Kind = Unicode
	width := widthOf(&f)
	if width == 0 {
		v.Arraysize = "*"
		item, err := cell.Item(*f.Elem, ',')
		if err != nil {
			return nil, err
		}
		return text(v.Kind, func(c *format.Column, row int) string { return string(cell.AppendList(nil, c, row, item)) }), nil
	}
	v.Arraysize = f.Layout.Axes
	return func(dst []byte, c *format.Column, row int) ([]byte, error) {
		lo, n := int(c.List.Offset[row]), int(c.List.Offset[row+1]-c.List.Offset[row])
		if n != all && !c.IsNull(row) {
			return nil, fmt.Errorf("column %q has a list of %d texts, where the file says that all have %d; write to .parquet", f.Name, n, all)
		}
		for i := range all {
			var units []uint16
			if !c.IsNull(row) && !c.List.Elem.IsNull(lo+i) {
				units = utf16.Encode([]rune(c.List.Elem.String[lo+i]))
			}
			if len(units) > width {
				return nil, fmt.Errorf("column %q has a text of %d characters in a list, where the file says that they have %d; write to .parquet", f.Name, len(units), width)
			}
			for _, u := range units {
				dst = be.BigEndian.AppendUint16(dst, u)
			}
			dst = append(dst, make([]byte, 2*(width-len(units)))...)
		}
		return dst, nil
	}, nil
}

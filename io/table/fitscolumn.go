package table

import (
	"encoding/binary"
	"fmt"
	"math"

	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
	"skyjoin/internal/format/fits"
)

// A fitsColumn is a column while its rows wait, and how it is written.
type fitsColumn struct {
	field format.Field
	typ   format.Type // of a value, or of an element of a list
	item  cell.Func   // of lists that are written as text
	text  bool
	list  bool

	nulls        bool   // there are some
	width        int    // bytes of the longest string
	least, most  uint64 // integers, in the order of key
	some         bool   // least and most are set
	fixed, total int    // elements of every list, -1 if they differ; of all lists

	out      fits.Column
	variable bool // lists in the heap
}

func newFITSColumn(f format.Field) (fitsColumn, error) {
	c := fitsColumn{field: f, typ: f.Type, fixed: -2}
	c.out = fits.Column{Name: f.Name, Unit: f.Unit, Comment: f.Description, UCD: f.UCD}
	if f.Type == format.List {
		c.typ, c.list = f.Elem.Type, true
		if c.typ == format.String || c.typ == format.Timestamp { // as text: FITS has one width for all
			var err error
			if c.item, err = cell.Item(*f.Elem, ','); err != nil {
				return c, err
			}
			c.list, c.text = false, true
			return c, nil
		}
	}
	c.text = c.typ == format.String || c.typ == format.Timestamp
	if _, ok := fitsKinds[c.typ]; !ok && !c.text {
		return c, format.Requestf("column %q (%s) cannot be written to FITS", f.Name, f.Text)
	}
	return c, nil
}

// fitsKinds says how values of a type are stored: as they are, or without
// nulls as unsigned integers by a TZERO. signed is a kind that holds the
// integers and one more.
var fitsKinds = map[format.Type]struct {
	kind   fits.Kind
	zero   float64 // TZERO
	bits   int     // of an integer; negative for unsigned
	signed fits.Kind
}{
	format.Float64: {kind: fits.Float64}, format.Decimal: {kind: fits.Float64}, format.Float32: {kind: fits.Float32},
	format.Bool:  {kind: fits.Logical},
	format.Int64: {fits.Int64, 0, 64, 0}, format.Int32: {fits.Int32, 0, 32, fits.Int64}, format.Int16: {fits.Int16, 0, 16, fits.Int32},
	format.Int8: {fits.Byte, -128, 8, fits.Int16}, format.Uint8: {fits.Byte, 0, -8, fits.Int16},
	format.Uint16: {fits.Int16, 1 << 15, -16, fits.Int32}, format.Uint32: {fits.Int32, 1 << 31, -32, fits.Int64},
	format.Uint64: {fits.Int64, 1 << 63, -64, 0},
}

// key orders integers of a column as unsigned ones: v ^ 2^63 of signed ones.
func (c *fitsColumn) key(v uint64) uint64 {
	if fitsKinds[c.typ].bits > 0 {
		return v ^ 1<<63
	}
	return v
}

// wait appends the cell of a row as it is in the temporary file, and takes
// note of it.
func (c *fitsColumn) wait(dst []byte, col *format.Column, row int) []byte {
	null := col.IsNull(row)
	if c.text {
		var s []byte
		if !null {
			s = c.string(col, row)
		}
		c.width = max(c.width, len(s), 1)
		c.nulls = c.nulls || null
		dst = binary.AppendUvarint(append(dst, mark(null)), uint64(len(s)))
		return append(dst, s...)
	}
	if !c.list {
		dst = append(dst, mark(null))
		return c.number(dst, col, row, null)
	}
	lo, hi := col.List.Offset[row], col.List.Offset[row+1]
	if null {
		hi = lo
	}
	n := int(hi - lo)
	c.total += n
	if c.fixed == -2 {
		c.fixed = n
	} else if c.fixed != n {
		c.fixed = -1
	}
	dst = binary.AppendUvarint(dst, uint64(n))
	for i := lo; i < hi; i++ {
		dst = append(dst, mark(col.List.Elem.IsNull(int(i))))
	}
	for i := lo; i < hi; i++ {
		dst = c.number(dst, &col.List.Elem, int(i), col.List.Elem.IsNull(int(i)))
	}
	return dst
}

func mark(null bool) byte {
	if null {
		return 1
	}
	return 0
}

func (c *fitsColumn) string(col *format.Column, row int) []byte {
	switch {
	case c.item != nil:
		return cell.AppendList(nil, col, row, c.item)
	case c.typ == format.Timestamp:
		return cell.AppendTime(nil, col.Float64[row])
	}
	return []byte(col.String[row])
}

// number appends the bits of a value.
func (c *fitsColumn) number(dst []byte, col *format.Column, row int, null bool) []byte {
	var v uint64
	switch {
	case null:
		c.nulls = true
	case col.Float64 != nil:
		v = math.Float64bits(col.Float64[row])
	case col.Float32 != nil:
		v = uint64(math.Float32bits(col.Float32[row]))
	case col.Bool != nil:
		v = uint64(mark(col.Bool[row]))
	case col.Int64 != nil:
		v = uint64(col.Int64[row])
	case col.Uint64 != nil:
		v = col.Uint64[row]
	}
	if k := c.key(v); fitsKinds[c.typ].bits != 0 && !null {
		if !c.some {
			c.least, c.most, c.some = k, k, true
		}
		c.least, c.most = min(c.least, k), max(c.most, k)
	}
	return binary.BigEndian.AppendUint64(dst, v)
}

// settle decides how the column is written, all rows known.
func (c *fitsColumn) settle() error {
	if c.text {
		c.width = max(c.width, 1)
		c.out.Kind, c.out.Form = fits.Character, fmt.Sprintf("%dA", c.width)
		return nil
	}
	k := fitsKinds[c.typ]
	c.out.Kind, c.out.Zero = k.kind, k.zero
	if c.nulls && k.bits != 0 {
		if err := c.chooseNull(); err != nil {
			return err
		}
	}
	count := 1
	if c.list {
		c.variable = c.fixed < 0
		count = max(c.fixed, 0)
	}
	c.out.Form = fmt.Sprintf("%d%c", count, c.out.Kind)
	if c.variable {
		c.out.Form = fmt.Sprintf("1Q%c", c.out.Kind)
	}
	return nil
}

// chooseNull finds the integer that stands for null: the least of the type, or
// the greatest, that no row has. If rows have both, or if it would be one of
// unsigned integers, which not all readers undo in TNULL, a wider type is
// taken.
func (c *fitsColumn) chooseNull() error {
	k := fitsKinds[c.typ]
	c.out.HasNull = true
	if k.bits > 0 && k.zero == 0 {
		lo, hi := int64(-1)<<(k.bits-1), int64(1)<<(k.bits-1)-1
		if !c.some || c.least > c.key(uint64(lo)) {
			c.out.Null = lo
			return nil
		}
		if c.most < c.key(uint64(hi)) {
			c.out.Null = hi
			return nil
		}
	}
	switch {
	case c.typ == format.Uint8 && (!c.some || c.most < math.MaxUint8):
		c.out.Null = math.MaxUint8
	case k.signed != 0:
		c.out.Kind, c.out.Zero = k.signed, 0
		c.out.Null = map[fits.Kind]int64{fits.Int16: math.MinInt16, fits.Int32: math.MinInt32, fits.Int64: math.MinInt64}[k.signed]
	case c.typ == format.Uint64 && (!c.some || c.most < math.MaxUint64):
		c.out.Null = math.MaxInt64 // as it is stored, 2^63 less
	default:
		return format.Requestf("column %q has nulls and the least and the greatest 64-bit integer; FITS has none left for null: write to .parquet", c.field.Name)
	}
	return nil
}

// size returns the bytes of a value.
func (c *fitsColumn) size() int64 { return c.out.ValueBytes(1) }

// bytes returns the bytes of a cell in a row.
func (c *fitsColumn) bytes() int64 {
	switch {
	case c.text:
		return int64(c.width)
	case c.variable:
		return 16
	case c.list:
		return int64(max(c.fixed, 0)) * c.size()
	}
	return c.size()
}

// heapBytes returns the bytes of all lists in the heap.
func (c *fitsColumn) heapBytes() int64 {
	if !c.variable {
		return 0
	}
	return int64(c.total) * c.size()
}

// value appends a cell as it is in a row. An empty string is a blank, to tell
// it from null.
func (c *fitsColumn) value(dst []byte, w *waiting) []byte {
	switch {
	case c.text:
		at := len(dst)
		if dst = append(dst, w.data...); w.null[0] == 0 && len(w.data) == 0 {
			dst = append(dst, ' ')
		}
		for len(dst)-at < c.width {
			dst = append(dst, 0)
		}
		return dst
	case c.variable:
		dst = binary.BigEndian.AppendUint64(dst, uint64(w.count))
		return binary.BigEndian.AppendUint64(dst, uint64(w.heap))
	}
	return c.elements(dst, w)
}

// elements appends the numbers of a cell.
func (c *fitsColumn) elements(dst []byte, w *waiting) []byte {
	for i := range w.count {
		v, null := binary.BigEndian.Uint64(w.data[8*i:]), w.null[i] == 1
		switch c.out.Kind {
		case fits.Logical:
			dst = append(dst, truth(v == 1, null, 0))
			continue
		case fits.Float64:
			if null {
				v = math.Float64bits(math.NaN())
			}
			dst = binary.BigEndian.AppendUint64(dst, v)
			continue
		case fits.Float32:
			if null {
				v = uint64(math.Float32bits(float32(math.NaN())))
			}
			dst = binary.BigEndian.AppendUint32(dst, uint32(v))
			continue
		}
		switch {
		case null:
			v = uint64(c.out.Null)
		case c.out.Zero == 1<<63:
			v ^= 1 << 63
		default:
			v -= uint64(int64(c.out.Zero))
		}
		switch c.out.Kind {
		case fits.Byte:
			dst = append(dst, byte(v))
		case fits.Int16:
			dst = binary.BigEndian.AppendUint16(dst, uint16(v))
		case fits.Int32:
			dst = binary.BigEndian.AppendUint32(dst, uint32(v))
		default:
			dst = binary.BigEndian.AppendUint64(dst, v)
		}
	}
	return dst
}

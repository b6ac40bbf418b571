package fits

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
)

// An encoding is a column while its rows wait, and how it is written.
type encoding struct {
	field format.Field
	typ   format.Type // of a value, or of an element of a list
	text  cell.Func   // of what is written as text; nil of numbers
	list  bool
	texts int // of every list, all in a row; 0 of others

	nulls        bool   // there are some
	odd          bool   // some list has one element too many to be of complex numbers
	width        int    // bytes of the longest text
	least, most  uint64 // integers, in the order of key
	some         bool   // least and most are set
	fixed, total int    // elements of every list, -1 if they differ, -2 of none; of all lists

	out      Column
	variable bool           // lists in the heap
	absent   *format.Column // of a null list of real numbers, all as long
	failed   error          // what a list cannot be written for
	complex  bool           // of each two elements one number is made
}

// A waiting is rows of a column in the temporary file. The elements of all lists
// follow each other.
type waiting struct {
	Rows   int
	Counts []int  // elements of each list; nil if the column has none
	Null   []byte // of each value, 1 if it is null
	Data   []byte // the bits of numbers, eight bytes each, or texts
	Ends   []int  // of each text in Data
}

func newEncoding(f format.Field) (c encoding, err error) {
	c = encoding{field: f, typ: f.Leaf(), list: f.Type == format.List, fixed: -2, width: 1}
	c.out = Column{Name: f.Name, Unit: f.Unit, Comment: f.Description, UCD: f.UCD}
	switch {
	case c.typ == format.String && !c.list:
		c.text = func(dst []byte, col *format.Column, row int) []byte { return append(dst, col.String[row]...) }
	case c.typ == format.Timestamp && !c.list:
		c.text, err = cell.Of(f, ',')
	case c.typ == format.String && textsOf(&f) > 0:
		c.texts = textsOf(&f)
		c.text = func(dst []byte, col *format.Column, row int) []byte { return append(dst, col.List.Elem.String[row]...) }
	case c.typ == format.String || c.typ == format.Timestamp: // FITS has one width for all
		var item cell.Func
		item, err = cell.Item(*f.Elem, ',')
		c.list = false
		c.text = func(dst []byte, col *format.Column, row int) []byte { return cell.AppendList(dst, col, row, item) }
	case stores[c.typ].kind == 0:
		err = format.Requestf("column %q (%s) cannot be written to FITS", f.Name, f.Text)
	}
	if _, n := f.Shape(); c.list && c.typ.IsFloat() && n > 0 {
		absent := format.MakeColumn(*f.Elem, int64(n), true)
		for i := range n {
			absent.SetNull(i)
		}
		c.absent, c.fixed = &absent, n
	}
	return c, err
}

// textsOf returns how many texts each list of a field has, 0 if it is none of texts or
// if they differ.
func textsOf(f *format.Field) int {
	if _, n := f.Shape(); f.Type == format.List && n > 0 {
		return n
	}
	return 0
}

// stores says how values of a type are stored: as they are, or without nulls as
// unsigned integers by a TZERO. signed is a kind that holds the integers and one
// more.
var stores = map[format.Type]struct {
	kind   Kind
	zero   float64 // TZERO
	bits   int     // of an integer; negative for unsigned
	signed Kind
}{
	format.Float64: {kind: Float64}, format.Decimal: {kind: Float64}, format.Float32: {kind: Float32},
	format.Bool:  {kind: Logical},
	format.Int64: {Int64, 0, 64, 0}, format.Int32: {Int32, 0, 32, Int64}, format.Int16: {Int16, 0, 16, Int32},
	format.Int8: {Byte, -128, 8, Int16}, format.Uint8: {Byte, 0, -8, Int16},
	format.Uint16: {Int16, 1 << 15, -16, Int32}, format.Uint32: {Int32, 1 << 31, -32, Int64},
	format.Uint64: {Int64, 1 << 63, -64, 0},
}

// key orders integers of a column as unsigned ones: v ^ 2^63 of signed ones.
func (c *encoding) key(v uint64) uint64 {
	if stores[c.typ].bits > 0 {
		return v ^ 1<<63
	}
	return v
}

// take returns the rows [lo, hi) as they are written to the temporary file, and
// records what settle has to know.
func (c *encoding) take(col *format.Column, lo, hi int) *waiting {
	w := &waiting{Rows: hi - lo}
	switch {
	case c.texts > 0:
		for row := lo; row < hi; row++ {
			from, n := int(col.List.Offset[row]), int(col.List.Offset[row+1]-col.List.Offset[row])
			if n != c.texts && !col.IsNull(row) {
				c.failed = format.Requestf("column %q has a list of %d texts, where the file says that all have %d; write to .parquet", c.field.Name, n, c.texts)
			}
			for i := range c.texts {
				c.takeText(w, col, from+i, i >= n || col.IsNull(row) || col.List.Elem.IsNull(from+i))
			}
			w.Counts = append(w.Counts, c.texts)
		}
	case c.text != nil:
		for row := lo; row < hi; row++ {
			c.takeText(w, col, row, col.IsNull(row))
		}
	case c.list:
		for row := lo; row < hi; row++ {
			from, to := int(col.List.Offset[row]), int(col.List.Offset[row+1])
			if col.IsNull(row) {
				if to = from; c.absent != nil {
					c.total += c.absent.Len()
					w.Counts = append(w.Counts, c.absent.Len())
					c.numbers(w, c.absent, 0, c.absent.Len())
					continue
				}
			}
			n := to - from
			c.total += n
			c.odd = c.odd || n%2 == 1
			if c.fixed == -2 {
				c.fixed = n
			} else if c.fixed != n {
				c.fixed = -1
			}
			w.Counts = append(w.Counts, n)
			c.numbers(w, &col.List.Elem, from, to)
		}
	default:
		c.numbers(w, col, lo, hi)
	}
	return w
}

// takeText appends a text.
func (c *encoding) takeText(w *waiting, col *format.Column, row int, null bool) {
	at := len(w.Data)
	if !null {
		w.Data = c.text(w.Data, col, row)
	}
	c.width = max(c.width, len(w.Data)-at)
	w.Null, w.Ends = append(w.Null, mark(null)), append(w.Ends, len(w.Data))
}

// numbers appends the bits of values.
func (c *encoding) numbers(w *waiting, col *format.Column, lo, hi int) {
	integer := stores[c.typ].bits != 0
	w.Null, w.Data = slices.Grow(w.Null, hi-lo), slices.Grow(w.Data, 8*(hi-lo))
	for row := lo; row < hi; row++ {
		var v uint64
		null := col.IsNull(row)
		switch {
		case null:
			c.nulls = true
		case col.Float64 != nil:
			v = math.Float64bits(col.Float64[row])
		case col.Float32 != nil:
			v = uint64(math.Float32bits(col.Float32[row]))
		case col.Bool != nil && col.Bool[row]:
			v = 1
		case col.Int64 != nil:
			v = uint64(col.Int64[row])
		case col.Uint64 != nil:
			v = col.Uint64[row]
		}
		if integer && !null {
			k := c.key(v)
			if !c.some {
				c.least, c.most, c.some = k, k, true
			}
			c.least, c.most = min(c.least, k), max(c.most, k)
		}
		w.Null, w.Data = append(w.Null, mark(null)), binary.BigEndian.AppendUint64(w.Data, v)
	}
}

func mark(null bool) byte {
	if null {
		return 1
	}
	return 0
}

// settle decides how the column is written, once all rows are known.
func (c *encoding) settle() error {
	axes, all := c.field.Shape()
	if c.text != nil {
		c.out.Kind, c.out.Form = Character, fmt.Sprintf("%dA", c.width*max(1, c.texts))
		if c.texts > 0 {
			c.out.Dim = dimText(append([]int64{int64(c.width)}, axes...))
		}
		return nil
	}
	k := stores[c.typ]
	c.out.Kind, c.out.Zero = k.kind, k.zero
	if c.nulls && k.bits != 0 {
		if err := c.chooseNull(); err != nil {
			return err
		}
	}
	count := 1
	if c.list {
		count = max(c.fixed, 0)
	}
	if c.variable = c.list && c.fixed < 0; c.variable && c.out.Zero != 0 {
		c.withoutZero()
	}
	if c.list && all == count && len(axes) > 1 {
		c.out.Dim = dimText(axes)
	}
	letter := c.out.Kind
	switch l := c.field.Layout; {
	case l.Complex && c.list && !c.odd && (letter == Float32 || letter == Float64):
		c.complex = true
		count /= 2
		letter = map[Kind]Kind{Float32: Complex64, Float64: Complex128}[letter]
	case l.Bits && c.list && !c.nulls && letter == Logical && !c.variable && c.out.Dim == "": // astropy takes no TDIM of bits
		c.out.Kind, letter = Bit, Bit
	}
	c.out.Form = fmt.Sprintf("%d%c", count, letter)
	if c.variable {
		c.out.Form = fmt.Sprintf("1Q%c", letter)
	}
	return nil
}

// dimText writes a TDIM.
func dimText(axes []int64) string {
	return "(" + strings.ReplaceAll(format.AxesOf(axes...), "x", ",") + ")"
}

// withoutZero takes a wider type without TZERO, which astropy does not apply to arrays
// of variable length, if there is one that holds the values.
func (c *encoding) withoutZero() {
	switch k := stores[c.typ]; {
	case k.signed != 0:
		c.out.Kind, c.out.Zero = k.signed, 0
	case c.most <= math.MaxInt64 && !c.nulls: // unsigned integers of 64 bits
		c.out.Zero = 0
	}
}

// chooseNull finds the integer that stands for null: the least of the type, or
// the greatest, that no row has. If rows have both, or if it would be one of
// unsigned integers, which not all readers undo in TNULL, a wider type is
// taken.
func (c *encoding) chooseNull() error {
	k := stores[c.typ]
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
		c.out.Null = -1 << (8*kinds[k.signed] - 1)
	case c.typ == format.Uint64 && (!c.some || c.most <= math.MaxInt64):
		c.out.Zero, c.out.Null = 0, math.MinInt64
	case c.typ == format.Uint64 && c.most < math.MaxUint64:
		c.out.Null = math.MaxInt64 // as it is stored, 2^63 less
	default:
		return format.Requestf("column %q has nulls and the least and the greatest 64-bit integer; FITS has none left for null: write to .parquet", c.field.Name)
	}
	return nil
}

// size returns the bytes of a value.
func (c *encoding) size() int64 { return c.out.ValueBytes(1) }

// bytes returns the bytes of a cell in a row.
func (c *encoding) bytes() int64 {
	switch {
	case c.text != nil:
		return int64(c.width) * int64(max(1, c.texts))
	case c.variable:
		return 16
	case c.list:
		return c.out.ValueBytes(int64(max(c.fixed, 0)))
	}
	return c.size()
}

// value appends a cell as it is in a row. An empty string is a blank, to tell
// it from null.
func (c *encoding) value(dst []byte, w *waiting, row, first, n int) []byte {
	switch {
	case c.out.Kind == Bit:
		return c.bits(dst, w, first, n)
	case c.text == nil:
		return c.elements(dst, w, first, n)
	case c.texts == 0:
		first = row
	}
	for i := first; i < first+n; i++ {
		at, lo := len(dst), 0
		if i > 0 {
			lo = w.Ends[i-1]
		}
		if dst = append(dst, w.Data[lo:w.Ends[i]]...); len(dst) == at && w.Null[i] == 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, make([]byte, c.width-(len(dst)-at))...)
	}
	return dst
}

// bits appends n logical values from first on, eight to a byte.
func (c *encoding) bits(dst []byte, w *waiting, first, n int) []byte {
	packed := make([]byte, (n+7)/8)
	for i := range n {
		packed[i/8] |= w.Data[8*(first+i)+7] << (7 - i%8)
	}
	return append(dst, packed...)
}

// elements appends n numbers from first on.
func (c *encoding) elements(dst []byte, w *waiting, first, n int) []byte {
	for i := first; i < first+n; i++ {
		v, null := binary.BigEndian.Uint64(w.Data[8*i:]), w.Null[i] == 1
		switch c.out.Kind {
		case Logical:
			if v = uint64("FT"[v]); null {
				v = 0
			}
		case Float64:
			if null {
				v = math.Float64bits(math.NaN())
			}
		case Float32:
			if null {
				v = uint64(math.Float32bits(float32(math.NaN())))
			}
		default:
			switch {
			case null:
				v = uint64(c.out.Null)
			case c.out.Zero == 1<<63:
				v ^= 1 << 63
			default:
				v -= uint64(int64(c.out.Zero))
			}
		}
		dst = appendBig(dst, c.out.Kind, v)
	}
	return dst
}

// appendBig appends the low bytes of v that a value of a kind takes, the highest
// first.
func appendBig(dst []byte, k Kind, v uint64) []byte {
	switch kinds[k] {
	case 1:
		return append(dst, byte(v))
	case 2:
		return binary.BigEndian.AppendUint16(dst, uint16(v))
	case 4:
		return binary.BigEndian.AppendUint32(dst, uint32(v))
	}
	return binary.BigEndian.AppendUint64(dst, v)
}

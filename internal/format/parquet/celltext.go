package parquet

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
)

// cells returns the text of a chunk. It is exact: integers and decimals to the
// last digit, floats the shortest that read back as the same bits, times to the
// unit they are stored in.
func (l *leaf) cells(src io.ReaderAt, c *Chunk, comma byte) (cellReader, error) {
	switch l.physical {
	case Boolean:
		text := func(dst []byte, v bool) []byte { return strconv.AppendBool(dst, v) }
		return newCells(newReaderBool, src, c, l, comma, text, text), nil
	case Float:
		return newCells(newReader32, src, c, l, comma,
			func(dst []byte, v uint32) []byte { return cell.AppendFloat(dst, float64(math.Float32frombits(v)), 32) },
			func(dst []byte, v uint32) []byte { return cell.AppendItem(dst, float64(math.Float32frombits(v)), 32) }), nil
	case Double:
		return newCells(newReader64, src, c, l, comma,
			func(dst []byte, v uint64) []byte { return cell.AppendFloat(dst, math.Float64frombits(v), 64) },
			func(dst []byte, v uint64) []byte { return cell.AppendItem(dst, math.Float64frombits(v), 64) }), nil
	case Int32:
		number, bare := l.integerText(32)
		text := func(dst []byte, v uint32) []byte { return number(dst, int64(int32(v))) }
		return newCells(newReader32, src, c, l, comma, text, inQuotes(text, bare)), nil
	case Int64:
		number, bare := l.integerText(64)
		text := func(dst []byte, v uint64) []byte { return number(dst, int64(v)) }
		return newCells(newReader64, src, c, l, comma, text, inQuotes(text, bare)), nil
	case Int96, ByteArray, FixedLenByteArray:
		text, item := l.bytesText(comma)
		return newCells(newReaderBytes, src, c, l, comma, text, item), nil
	}
	return nil, fmt.Errorf("physical type %d is not known", l.physical)
}

// inQuotes makes a text one of JSON: a string, unless it is bare.
func inQuotes[T any](text func([]byte, T) []byte, bare bool) func([]byte, T) []byte {
	if bare {
		return text
	}
	return func(dst []byte, v T) []byte { return append(text(append(dst, '"'), v), '"') }
}

// integerText returns how an integer of so many bits is written, by what it
// means, and whether that is a number.
func (l *leaf) integerText(width int) (text func([]byte, int64) []byte, bare bool) {
	switch m := &l.meaning; {
	case m.Integer != nil && !m.Integer.Signed:
		mask := uint64(math.MaxUint64) >> (64 - width)
		return func(dst []byte, v int64) []byte { return strconv.AppendUint(dst, uint64(v)&mask, 10) }, true
	case l.kind == format.Decimal:
		return func(dst []byte, v int64) []byte { return appendScaled(dst, strconv.FormatInt(v, 10), l.scale) }, true
	case m.Timestamp != nil:
		layout := "2006-01-02T15:04:05.999999999"
		if m.Timestamp.UTC {
			layout += "Z"
		}
		at := m.Timestamp.Unit.instant()
		return func(dst []byte, v int64) []byte { return at(v).UTC().AppendFormat(dst, layout) }, false
	case m.Time != nil:
		at := m.Time.Unit.instant()
		return func(dst []byte, v int64) []byte { return at(v).UTC().AppendFormat(dst, "15:04:05.999999999") }, false
	case m.Date != nil:
		return func(dst []byte, v int64) []byte { return time.Unix(v*86400, 0).UTC().AppendFormat(dst, time.DateOnly) }, false
	}
	return func(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) }, true
}

// instant makes times of counts since 1970.
func (u timeUnit) instant() func(int64) time.Time {
	switch {
	case u.Millis != nil:
		return time.UnixMilli
	case u.Micros != nil:
		return time.UnixMicro
	}
	return func(v int64) time.Time { return time.Unix(0, v) }
}

// appendScaled writes the decimal number digits / 10^scale.
func appendScaled(dst []byte, digits string, scale int) []byte {
	if digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	if scale <= 0 {
		return append(append(dst, digits...), strings.Repeat("0", -scale)...)
	}
	if n := scale + 1 - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	point := len(digits) - scale
	return append(append(append(dst, digits[:point]...), '.'), digits[point:]...)
}

// bytesText returns how bytes are written, in a cell and in a list.
func (l *leaf) bytesText(comma byte) (text, item func([]byte, string) []byte) {
	switch {
	case l.kind == format.Decimal:
		text = func(dst []byte, v string) []byte { return appendScaled(dst, bigEndian(v).String(), l.scale) }
		return text, text
	case l.layout == asUUID:
		text = func(dst []byte, v string) []byte { return append(dst, uuidText(v)...) }
		return text, inQuotes(text, false)
	case l.layout == asFloat16:
		return func(dst []byte, v string) []byte { return cell.AppendFloat(dst, float64(halfToFloat32(v)), 32) },
			func(dst []byte, v string) []byte { return cell.AppendItem(dst, float64(halfToFloat32(v)), 32) }
	case l.physical == Int96:
		text = func(dst []byte, v string) []byte {
			seconds, nanos := int96Time(v)
			return time.Unix(seconds, nanos).UTC().AppendFormat(dst, "2006-01-02T15:04:05.999999999Z")
		}
		return text, inQuotes(text, false)
	}
	return func(dst []byte, v string) []byte { return cell.AppendText(dst, printable(v), comma) },
		func(dst []byte, v string) []byte {
			b, err := json.Marshal(printable(v))
			if err != nil {
				panic(err) // of a string
			}
			return append(dst, b...)
		}
}

// printable returns bytes that are text as they are, others in hexadecimal.
func printable(v string) string {
	if utf8.ValidString(v) && strings.IndexByte(v, 0) < 0 {
		return v
	}
	return "0x" + hex.EncodeToString([]byte(v))
}

// A cellReader writes the values of a chunk as text, a cell for each row.
type cellReader interface {
	// cell appends the next row's cell: nothing for a null.
	cell(dst []byte) ([]byte, error)
	// end reports an error if there are rows that were not read.
	end() error
}

// textCells implements cellReader for a physical type.
type textCells[T Value] struct {
	slotBatch[T]
	text  func(dst []byte, v T) []byte // of a value in a cell of its own
	item  func(dst []byte, v T) []byte // of a value in a list
	comma byte
	list  []byte
}

func (r *textCells[T]) cell(dst []byte) ([]byte, error) {
	if len(r.l.lists) > 0 {
		return r.lists(dst)
	}
	ok, err := r.peek()
	if err == nil && !ok {
		err = errFew
	}
	if err != nil {
		return dst, err
	}
	if value := r.take(); value >= 0 {
		dst = r.text(dst, r.vals[value])
	}
	return dst, nil
}

// lists appends the lists of a row as JSON has them, in one cell.
func (r *textCells[T]) lists(dst []byte) ([]byte, error) {
	b, depth, null, first := r.list[:0], 0, false, true // depth is how many lists are open
	var damaged error
	err := r.row(func(value int, def, rep uint8) {
		if int(rep) > depth {
			damaged = fmt.Errorf("it continues a list that was not begun")
			return
		}
		for ; depth > int(rep); depth-- {
			b = append(b, ']')
		}
		if rep > 0 {
			b = append(b, ',')
		}
		for depth < len(r.l.lists) && def >= r.l.lists[depth] {
			b = append(b, '[')
			depth++
		}
		switch {
		case value >= 0:
			b = r.item(b, r.vals[value])
		case depth < len(r.l.lists) && def == r.l.lists[depth]-1:
			b = append(b, "[]"...)
		case first && depth == 0:
			null = true // no list at all
		default:
			b = append(b, "null"...)
		}
		first = false
	})
	if err == nil {
		err = damaged
	}
	if err != nil || null {
		return dst, err
	}
	for ; depth > 0; depth-- {
		b = append(b, ']')
	}
	r.list = b
	return cell.AppendText(dst, string(b), r.comma), nil
}

// newCells makes a cellReader.
func newCells[T Value](open func(io.ReaderAt, *Chunk) *pageReader[T], src io.ReaderAt, c *Chunk, l *leaf, comma byte, text, item func([]byte, T) []byte) cellReader {
	return &textCells[T]{slotBatch: slotBatch[T]{pageReader: open(src, c), l: l}, text: text, item: item, comma: comma}
}

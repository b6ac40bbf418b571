package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"skyjoin/internal/format"
)

// A dtype is the type of a value: a kind and its length in bytes, such as f and 8.
type dtype struct {
	kind  byte   // b, i, u, f, c, S, U, M, m, V or O
	size  int64  // bytes
	text  string // as the header has it
	order binary.ByteOrder
	ticks float64 // of a second, of M
}

// maxSize bounds the length of a value.
const maxSize = format.MostRow

// parseType reads a type such as <f8, |S20 or <M8[ns].
func parseType(text string) (dtype, error) {
	t := dtype{text: text, order: binary.LittleEndian}
	rest := strings.TrimLeft(text, "<|=")
	if strings.HasPrefix(text, ">") {
		t.order, rest = binary.BigEndian, text[1:]
	}
	if rest == "" {
		return t, fmt.Errorf("the header has the type %.40q", text)
	}
	t.kind = rest[0]
	digits, unit, _ := strings.Cut(rest[1:], "[")
	n, err := strconv.ParseInt(digits, 10, 64)
	if t.kind == 'O' && digits == "" {
		n, err = 8, nil
	}
	if t.kind == 'U' {
		n *= 4
	}
	if err != nil || n < 0 || n > maxSize {
		return t, fmt.Errorf("the header has the type %.40q", text)
	}
	t.size = n
	if t.kind == 'M' {
		var ok bool
		if t.ticks, ok = ticksOf(strings.TrimSuffix(unit, "]")); !ok {
			t.kind = 'V'
		}
	}
	return t, nil
}

// ticksOf returns how many of a unit of times, such as ns or 25s, a second has. Months
// and years have no length.
func ticksOf(unit string) (float64, bool) {
	digits := len(unit) - len(strings.TrimLeft(unit, "0123456789"))
	count := 1.0
	if digits > 0 {
		count, _ = strconv.ParseFloat(unit[:digits], 64)
	}
	ticks, ok := map[string]float64{
		"W": 1. / (7 * 86400), "D": 1. / 86400, "h": 1. / 3600, "m": 1. / 60, "s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9, "ps": 1e12, "fs": 1e15, "as": 1e18,
	}[unit[digits:]]
	return ticks / count, ok && count > 0
}

// types are those of the values of each kind and length; of complex numbers, their
// parts.
var types = map[string]format.Type{
	"b1": format.Bool, "i1": format.Int8, "i2": format.Int16, "i4": format.Int32, "i8": format.Int64,
	"u1": format.Uint8, "u2": format.Uint16, "u4": format.Uint32, "u8": format.Uint64,
	"f2": format.Float32, "f4": format.Float32, "f8": format.Float64, "c8": format.Float32, "c16": format.Float64,
	"M8": format.Timestamp, "m8": format.Int64,
}

// typeOf returns the type of the values, Unsupported if they are not read.
func (t dtype) typeOf() format.Type {
	if t.kind == 'S' || t.kind == 'U' {
		return format.String
	}
	return types[string(t.kind)+strconv.FormatInt(t.size, 10)]
}

// parts returns how many numbers a value is, and the type of one.
func (t dtype) parts() (int64, dtype) {
	if t.kind != 'c' || t.typeOf() == format.Unsupported {
		return 1, t
	}
	t.kind, t.size = 'f', t.size/2
	return 2, t
}

// noTime is how numpy stores a time that is none.
const noTime = math.MinInt64

// put puts a value into a row of a column; false is null. text takes strings.
func (t *dtype) put(to *format.Column, row int, b []byte, text *format.Texts) bool {
	switch t.kind {
	case 'f':
		t.putFloat(to, row, b)
	case 'i', 'u', 'm':
		v := t.integer(b)
		if to.Uint64 != nil {
			to.Uint64[row] = uint64(v)
		} else {
			to.Int64[row] = v
		}
		return t.kind != 'm' || v != noTime
	case 'b':
		to.Bool[row] = b[0] != 0
	case 'M':
		v := t.integer(b)
		to.Float64[row] = float64(v) / t.ticks
		return v != noTime
	case 'S':
		text.Add(bytes.TrimRight(b[:t.size], "\x00"), row)
	case 'U':
		text.Bytes = t.appendRunes(text.Bytes, b[:t.size])
		text.End(row)
	}
	return true
}

// putFloat puts a float, as it is, or as float64 where other files have such.
func (t *dtype) putFloat(to *format.Column, row int, b []byte) {
	var v float32
	switch t.size {
	case 8:
		to.Float64[row] = math.Float64frombits(t.order.Uint64(b))
		return
	case 4:
		v = math.Float32frombits(t.order.Uint32(b))
	default:
		v = half(t.order.Uint16(b))
	}
	if to.Float64 != nil {
		to.Float64[row] = float64(v)
		return
	}
	to.Float32[row] = v
}

// half is a float of 16 bits.
func half(b uint16) float32 {
	sign, exponent, fraction := uint32(b>>15)<<31, int(b>>10&0x1f), float64(b&0x3ff)
	var v float64
	switch exponent {
	case 0:
		v = math.Ldexp(fraction, -24)
	case 31:
		if v = math.Inf(1); fraction != 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(1024+fraction, exponent-25)
	}
	return math.Float32frombits(math.Float32bits(float32(v)) | sign)
}

// integer returns an integer; one of 64 bits without a sign by its bits.
func (t *dtype) integer(b []byte) int64 {
	var v uint64
	switch t.size {
	case 1:
		v = uint64(b[0])
	case 2:
		v = uint64(t.order.Uint16(b))
	case 4:
		v = uint64(t.order.Uint32(b))
	default:
		return int64(t.order.Uint64(b))
	}
	if t.kind == 'u' {
		return int64(v)
	}
	unused := 64 - 8*t.size
	return int64(v) << unused >> unused
}

// appendRunes appends characters of 32 bits, of which the zeros at the end do not
// count.
func (t *dtype) appendRunes(dst, b []byte) []byte {
	for len(b) >= 4 && t.order.Uint32(b[len(b)-4:]) == 0 {
		b = b[:len(b)-4]
	}
	for ; len(b) >= 4; b = b[4:] {
		dst = utf8.AppendRune(dst, rune(t.order.Uint32(b)))
	}
	return dst
}

package parquet

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"skyjoin/internal/format/cell"
	"skyjoin/internal/pages"
)

// newLeafText returns the text of a leaf of a Parquet schema. It is exact:
// integers and decimals to the last digit, floats the shortest that read back
// as the same bits, times to the unit they are stored in.
func newLeafText(col *schema.Column, comma byte) (leafText, error) {
	lists := listLevels(col)
	maxDef := uint8(col.MaxDefinitionLevel())
	switch physical := pages.Physical(col.PhysicalType()); physical {
	case pages.Boolean:
		text := func(dst []byte, v bool) []byte { return strconv.AppendBool(dst, v) }
		return &leafReader[bool]{newReader: pages.NewReaderBool, text: text, item: text, maxDef: maxDef, lists: lists, comma: comma}, nil
	case pages.Float:
		return &leafReader[uint32]{newReader: pages.NewReader32, maxDef: maxDef, lists: lists, comma: comma,
			text: func(dst []byte, v uint32) []byte { return cell.AppendFloat(dst, float64(math.Float32frombits(v)), 32) },
			item: func(dst []byte, v uint32) []byte { return cell.AppendItem(dst, float64(math.Float32frombits(v)), 32) }}, nil
	case pages.Double:
		return &leafReader[uint64]{newReader: pages.NewReader64, maxDef: maxDef, lists: lists, comma: comma,
			text: func(dst []byte, v uint64) []byte { return cell.AppendFloat(dst, math.Float64frombits(v), 64) },
			item: func(dst []byte, v uint64) []byte { return cell.AppendItem(dst, math.Float64frombits(v), 64) }}, nil
	case pages.Int32:
		number, bare := integerText(col.LogicalType(), 32)
		text := func(dst []byte, v uint32) []byte { return number(dst, int64(int32(v))) }
		return &leafReader[uint32]{newReader: pages.NewReader32, text: text, item: inQuotes(text, bare), maxDef: maxDef, lists: lists, comma: comma}, nil
	case pages.Int64:
		number, bare := integerText(col.LogicalType(), 64)
		text := func(dst []byte, v uint64) []byte { return number(dst, int64(v)) }
		return &leafReader[uint64]{newReader: pages.NewReader64, text: text, item: inQuotes(text, bare), maxDef: maxDef, lists: lists, comma: comma}, nil
	case pages.Int96, pages.ByteArray, pages.FixedLenByteArray:
		text, item := bytesText(col, comma)
		return &leafReader[string]{newReader: pages.NewReaderBytes, text: text, item: item, maxDef: maxDef, lists: lists, comma: comma}, nil
	default:
		return nil, fmt.Errorf("column %s: physical type %d is not known", col.Path(), physical)
	}
}

// newChunk describes the chunk of a leaf for the decoder.
func newChunk(col *schema.Column, c *rawChunk) (*pages.Chunk, error) {
	codec, _, err := c.meta.integer(metaCodec)
	if err != nil {
		return nil, err
	}
	values, _, err := c.meta.integer(metaValues)
	if err != nil {
		return nil, err
	}
	p := &pages.Chunk{
		Physical: pages.Physical(col.PhysicalType()), Length: max(col.TypeLength(), 0),
		MaxDef: uint8(col.MaxDefinitionLevel()), MaxRep: uint8(col.MaxRepetitionLevel()),
		Codec: pages.Codec(codec), Offset: c.start, Size: c.size, Values: values,
	}
	if !p.Codec.Supported() {
		return nil, fmt.Errorf("codec %v is not supported; write the file again with ZSTD or SNAPPY", p.Codec)
	}
	return p, p.Check(c.start + c.size)
}

// listLevels returns the definition level of an element of each list around a
// leaf.
func listLevels(col *schema.Column) (levels []uint8) {
	var path []schema.Node // leaf first
	for n := schema.Node(col.SchemaNode()); n != nil && n.Parent() != nil; n = n.Parent() {
		path = append(path, n)
	}
	def := uint8(0)
	for i := len(path) - 1; i >= 0; i-- {
		switch path[i].RepetitionType() {
		case parquet.Repetitions.Optional:
			def++
		case parquet.Repetitions.Repeated:
			def++
			levels = append(levels, def)
		}
	}
	return levels
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
func integerText(meaning schema.LogicalType, width int) (text func([]byte, int64) []byte, bare bool) {
	switch t := meaning.(type) {
	case *schema.IntLogicalType:
		if !t.IsSigned() {
			mask := uint64(math.MaxUint64) >> (64 - width)
			return func(dst []byte, v int64) []byte { return strconv.AppendUint(dst, uint64(v)&mask, 10) }, true
		}
	case *schema.DecimalLogicalType:
		scale := int(t.Scale())
		return func(dst []byte, v int64) []byte { return appendScaled(dst, strconv.FormatInt(v, 10), scale) }, true
	case *schema.TimestampLogicalType:
		layout := "2006-01-02T15:04:05.999999999"
		if t.IsAdjustedToUTC() {
			layout += "Z"
		}
		at := instants[t.TimeUnit()]
		return func(dst []byte, v int64) []byte { return at(v).UTC().AppendFormat(dst, layout) }, false
	case *schema.TimeLogicalType:
		at := instants[t.TimeUnit()]
		return func(dst []byte, v int64) []byte { return at(v).UTC().AppendFormat(dst, "15:04:05.999999999") }, false
	case schema.DateLogicalType:
		return func(dst []byte, v int64) []byte { return time.Unix(v*86400, 0).UTC().AppendFormat(dst, time.DateOnly) }, false
	}
	return func(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) }, true
}

// instants make times of counts since 1970.
var instants = map[schema.TimeUnitType]func(int64) time.Time{
	schema.TimeUnitMillis: time.UnixMilli,
	schema.TimeUnitMicros: time.UnixMicro,
	schema.TimeUnitNanos:  func(v int64) time.Time { return time.Unix(0, v) },
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
func bytesText(col *schema.Column, comma byte) (text, item func([]byte, string) []byte) {
	switch t := col.LogicalType().(type) {
	case *schema.DecimalLogicalType:
		scale := int(t.Scale())
		text = func(dst []byte, v string) []byte { return appendScaled(dst, bigEndian(v).String(), scale) }
		return text, text
	case schema.UUIDLogicalType:
		text = func(dst []byte, v string) []byte {
			if len(v) != 16 {
				return append(dst, hex.EncodeToString([]byte(v))...)
			}
			return fmt.Appendf(dst, "%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:])
		}
		return text, inQuotes(text, false)
	case schema.Float16LogicalType:
		return func(dst []byte, v string) []byte { return cell.AppendFloat(dst, half(v), 32) },
			func(dst []byte, v string) []byte { return cell.AppendItem(dst, half(v), 32) }
	}
	if pages.Physical(col.PhysicalType()) == pages.Int96 {
		text = func(dst []byte, v string) []byte {
			return int96Time(v).AppendFormat(dst, "2006-01-02T15:04:05.999999999Z")
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

// bigEndian returns the number of bytes in two's complement.
func bigEndian(v string) *big.Int {
	z := new(big.Int).SetBytes([]byte(v))
	if v != "" && v[0] >= 0x80 {
		z.Sub(z, new(big.Int).Lsh(big.NewInt(1), uint(8*len(v))))
	}
	return z
}

// half returns the value of a little-endian IEEE 754 half.
func half(v string) float64 {
	if len(v) != 2 {
		return math.NaN()
	}
	h := uint16(v[0]) | uint16(v[1])<<8
	sign := float64(1 - int(h>>15)*2)
	exp, frac := int(h>>10&31), float64(h&1023)
	switch exp {
	case 0:
		return math.Copysign(math.Ldexp(frac, -24), sign)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

// int96Time returns the instant of an old time stamp: eight bytes of
// nanoseconds in the day, four of the Julian day number.
func int96Time(v string) time.Time {
	const julian1970 = 2440588
	var nanos int64
	for i := 7; i >= 0; i-- {
		nanos = nanos<<8 | int64(v[i])
	}
	day := int64(int32(uint32(v[8]) | uint32(v[9])<<8 | uint32(v[10])<<16 | uint32(v[11])<<24))
	return time.Unix((day-julian1970)*86400, 0).Add(time.Duration(nanos)).UTC()
}

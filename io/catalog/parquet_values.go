package catalog

import (
	"fmt"
	"io"
	"math"

	"skyjoin/internal/pages"
)

// A chunkReader reads a chunk into rows of a column.
type chunkReader func(src io.ReaderAt, c *pages.Chunk, l *leaf, elem int, dst *Column, at, n int64) error

// A listReader appends the lists of a chunk, which has n rows, to a column.
type listReader func(src io.ReaderAt, c *pages.Chunk, l *leaf, dst listColumn, n int64) error

// A columnReader reads chunks row by row, or whole lists of them.
type columnReader struct {
	rows  chunkReader
	lists listReader
}

// reading makes a columnReader of how a chunk is opened, how its values are
// converted, and where they go.
func reading[T pages.Value, D any](open func(io.ReaderAt, *pages.Chunk) *pages.Reader[T], convert func(l *leaf, dst []D, src []T), slice func(*Column) []D, null D) columnReader {
	rows := func(src io.ReaderAt, c *pages.Chunk, l *leaf, elem int, dst *Column, at, n int64) error {
		values := slice(dst)[at : at+n]
		var nulls []bool
		if dst.Null != nil {
			nulls = dst.Null[at : at+n]
		}
		r := open(src, c)
		if elem >= 0 {
			return readElement(r, l, elem, values, nulls, convert, null)
		}
		return readFlat(r, l, values, nulls, convert, null)
	}
	lists := func(src io.ReaderAt, c *pages.Chunk, l *leaf, dst listColumn, n int64) error {
		return readWholeLists(open(src, c), l, dst, n, convert, slice)
	}
	return columnReader{rows, lists}
}

// batch is how many values are decoded at once: few enough for all that
// belongs to them to stay in the first cache.
const batch = 1024

// readFlat reads a chunk with one value or null per row.
func readFlat[T pages.Value, D any](r *pages.Reader[T], l *leaf, dst []D, nulls []bool, convert func(*leaf, []D, []T), null D) error {
	var vals [batch]T
	var def [batch]uint8
	for {
		slots, n, err := r.Read(vals[:], def[:], nil)
		if err == io.EOF {
			if len(dst) > 0 {
				return fmt.Errorf("it ends %d rows early", len(dst))
			}
			return nil
		}
		if err != nil {
			return err
		}
		if slots > len(dst) {
			return fmt.Errorf("it has more values than the row group has rows")
		}
		convert(l, dst[:n], vals[:n])
		if n < slots {
			spread(dst[:slots], nulls[:slots], def[:slots], n, l.maxDef, null)
		}
		dst = dst[slots:]
		if nulls != nil {
			nulls = nulls[slots:]
		}
	}
}

// spread moves the n values at the start of dst to the places whose level is
// maxDef, from the back so that none is overwritten, and fills the others.
func spread[D any](dst []D, nulls []bool, def []uint8, n int, maxDef uint8, null D) {
	for i := len(dst) - 1; i >= 0; i-- {
		if def[i] == maxDef {
			n--
			dst[i] = dst[n]
		} else {
			dst[i] = null
			nulls[i] = true
		}
	}
}

// readElement reads one element of each list of a chunk; rows whose list is
// null or too short, or has a null there, are null.
func readElement[T pages.Value, D any](r *pages.Reader[T], l *leaf, elem int, dst []D, nulls []bool, convert func(*leaf, []D, []T), null D) error {
	for i := range dst {
		dst[i], nulls[i] = null, true
	}
	var vals [batch]T
	var def, rep [batch]uint8
	row, at := -1, 0
	for {
		slots, _, err := r.Read(vals[:], def[:], rep[:])
		if err == io.EOF {
			if row+1 != len(dst) {
				return fmt.Errorf("it has %d rows, the row group has %d", row+1, len(dst))
			}
			return nil
		}
		if err != nil {
			return err
		}
		value := 0
		for i := range slots {
			if rep[i] == 0 {
				row, at = row+1, 0
			} else {
				at++
			}
			if row < 0 || row >= len(dst) {
				return fmt.Errorf("it has more rows than the row group, or starts within one")
			}
			if def[i] != l.maxDef {
				continue
			}
			if at == elem {
				convert(l, dst[row:row+1], vals[value:value+1])
				nulls[row] = false
			}
			value++
		}
	}
}

// The slices of a column.
func float64s(c *Column) []float64 { return c.Float64 }
func float32s(c *Column) []float32 { return c.Float32 }
func int64s(c *Column) []int64     { return c.Int64 }
func uint64s(c *Column) []uint64   { return c.Uint64 }
func bools(c *Column) []bool       { return c.Bool }
func texts(c *Column) []string     { return c.String }

// mapped makes a conversion of slices of one of values.
func mapped[D, T any](f func(l *leaf, v T) D) func(*leaf, []D, []T) {
	return func(l *leaf, dst []D, src []T) {
		for i, v := range src {
			dst[i] = f(l, v)
		}
	}
}

// copied is the conversion of values that are what they should be.
func copied[T any](_ *leaf, dst, src []T) { copy(dst, src) }

// The conversions of numbers are loops of their own, which is where catalogs
// spend their time.

func toFloat64(_ *leaf, dst []float64, src []uint64) {
	for i, v := range src {
		dst[i] = math.Float64frombits(v)
	}
}

func toFloat32(_ *leaf, dst []float32, src []uint32) {
	for i, v := range src {
		dst[i] = math.Float32frombits(v)
	}
}

func float32ToFloat64(_ *leaf, dst []float64, src []uint32) {
	for i, v := range src {
		dst[i] = float64(math.Float32frombits(v))
	}
}

func int32ToInt64(_ *leaf, dst []int64, src []uint32) {
	for i, v := range src {
		dst[i] = int64(int32(v))
	}
}

func uint32ToInt64(_ *leaf, dst []int64, src []uint32) {
	for i, v := range src {
		dst[i] = int64(v)
	}
}

func int64ToInt64(_ *leaf, dst []int64, src []uint64) {
	for i, v := range src {
		dst[i] = int64(v)
	}
}

func uint32ToUint64(_ *leaf, dst []uint64, src []uint32) {
	for i, v := range src {
		dst[i] = uint64(v)
	}
}

// family groups the types whose values are stored in one way.
type family uint8

const (
	floats family = iota
	signed
	unsigned
	truths
	strs
	times
	decimals
)

// A reading is chosen by how values are stored and where they go.
type readingKey struct {
	physical pages.Physical
	family   family
	layout   layout
	to       storage
}

var nan = math.NaN()

var readings = map[readingKey]columnReader{
	{pages.Double, floats, asIs, inFloat64}:                 reading(pages.NewReader64, toFloat64, float64s, nan),
	{pages.Float, floats, asIs, inFloat32}:                  reading(pages.NewReader32, toFloat32, float32s, float32(nan)),
	{pages.Float, floats, asIs, inFloat64}:                  reading(pages.NewReader32, float32ToFloat64, float64s, nan),
	{pages.FixedLenByteArray, floats, asFloat16, inFloat32}: reading(pages.NewReaderBytes, mapped(func(_ *leaf, v string) float32 { return halfToFloat32(v) }), float32s, float32(nan)),
	{pages.FixedLenByteArray, floats, asFloat16, inFloat64}: reading(pages.NewReaderBytes, mapped(func(_ *leaf, v string) float64 { return float64(halfToFloat32(v)) }), float64s, nan),

	{pages.Int32, signed, asIs, inInt64}:    reading(pages.NewReader32, int32ToInt64, int64s, 0),
	{pages.Int64, signed, asIs, inInt64}:    reading(pages.NewReader64, int64ToInt64, int64s, 0),
	{pages.Int32, unsigned, asIs, inUint64}: reading(pages.NewReader32, uint32ToUint64, uint64s, 0),
	{pages.Int64, unsigned, asIs, inUint64}: reading(pages.NewReader64, copied[uint64], uint64s, 0),
	{pages.Int32, unsigned, asIs, inInt64}:  reading(pages.NewReader32, uint32ToInt64, int64s, 0),

	{pages.Boolean, truths, asIs, inBool}:                reading(pages.NewReaderBool, copied[bool], bools, false),
	{pages.ByteArray, strs, asIs, inString}:              reading(pages.NewReaderBytes, copied[string], texts, ""),
	{pages.FixedLenByteArray, strs, asIs, inString}:      reading(pages.NewReaderBytes, copied[string], texts, ""),
	{pages.FixedLenByteArray, strs, asUUID, inString}:    reading(pages.NewReaderBytes, mapped(func(_ *leaf, v string) string { return uuidText(v) }), texts, ""),
	{pages.Int64, times, asIs, inFloat64}:                reading(pages.NewReader64, mapped(func(l *leaf, v uint64) float64 { return scaled(int64(v), l.scale) }), float64s, nan),
	{pages.Int32, times, asDate, inFloat64}:              reading(pages.NewReader32, mapped(func(_ *leaf, v uint32) float64 { return float64(int32(v)) * 86400 }), float64s, nan),
	{pages.Int96, times, asIs, inFloat64}:                reading(pages.NewReaderBytes, mapped(func(_ *leaf, v string) float64 { return int96Seconds(v) }), float64s, nan),
	{pages.Int32, decimals, asIs, inFloat64}:             reading(pages.NewReader32, mapped(func(l *leaf, v uint32) float64 { return scaled(int64(int32(v)), l.scale) }), float64s, nan),
	{pages.Int64, decimals, asIs, inFloat64}:             reading(pages.NewReader64, mapped(func(l *leaf, v uint64) float64 { return scaled(int64(v), l.scale) }), float64s, nan),
	{pages.ByteArray, decimals, asIs, inFloat64}:         reading(pages.NewReaderBytes, mapped(func(l *leaf, v string) float64 { return scaledBytes(v, l.scale) }), float64s, nan),
	{pages.FixedLenByteArray, decimals, asIs, inFloat64}: reading(pages.NewReaderBytes, mapped(func(l *leaf, v string) float64 { return scaledBytes(v, l.scale) }), float64s, nan),
}

// familyOf returns the family of a type that a leaf can have.
func familyOf(t Type) family {
	switch {
	case t == Timestamp:
		return times
	case t == Decimal:
		return decimals
	case t == Bool:
		return truths
	case t == String:
		return strs
	case types[t].bits > 0:
		return signed
	case types[t].bits < 0:
		return unsigned
	}
	return floats
}

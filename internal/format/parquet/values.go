package parquet

import (
	"fmt"
	"io"
	"math"

	"skyjoin/internal/format"
)

// A chunkRows reads the values of a chunk, as many rows at a time as are asked
// for.
type chunkRows interface {
	// flat reads the next n rows, which have one value or null each, into dst
	// from row at on.
	flat(dst *format.Column, at, n int64) error
	// element is flat for one element of each list; rows whose list is null or
	// too short, or has a null there, are null.
	element(elem int, dst *format.Column, at, n int64) error
	// lists appends the next n lists to dst.
	lists(dst format.ListColumn, n int64) error
	// end checks that no row is left.
	end() error
}

// A chunkOpener begins to read a chunk.
type chunkOpener func(src io.ReaderAt, c *Chunk, l *leaf) chunkRows

// read reads n rows of whatever r asks for.
func readRef(r format.Ref, c chunkRows, dst *format.Column, at, n int64) error {
	switch {
	case r.Elem >= 0:
		return c.element(r.Elem, dst, at, n)
	case dst.List != nil:
		return c.lists(format.ListColumn{Column: dst}, n)
	}
	return c.flat(dst, at, n)
}

// reading makes a chunkOpener of how a chunk is opened, how its values are
// converted, and where they go.
func reading[T Value, D any](open func(io.ReaderAt, *Chunk) *pageReader[T], convert func(l *leaf, dst []D, src []T), slice func(*format.Column) []D, null D) chunkOpener {
	return func(src io.ReaderAt, c *Chunk, l *leaf) chunkRows {
		return &slotReader[T, D]{slotBatch: slotBatch[T]{pageReader: open(src, c), l: l}, convert: convert, slice: slice, null: null}
	}
}

// A slotReader implements chunkRows.
type slotReader[T Value, D any] struct {
	slotBatch[T]
	convert func(*leaf, []D, []T)
	slice   func(*format.Column) []D
	null    D
}

func (r *slotReader[T, D]) flat(c *format.Column, at, n int64) error {
	dst := r.slice(c)[at : at+n]
	var nulls []bool
	if c.Null != nil {
		nulls = c.Null[at : at+n]
	}
	for len(dst) > 0 {
		most := min(batch, len(dst))
		slots, n, err := r.Read(r.vals[:most], r.def[:most], nil)
		if err == io.EOF {
			return fmt.Errorf("it ends %d rows early", len(dst))
		}
		if err != nil {
			return err
		}
		r.convert(r.l, dst[:n], r.vals[:n])
		if n < slots {
			spread(dst[:slots], nulls[:slots], r.def[:slots], n, r.l.maxDef, r.null)
		}
		dst = dst[slots:]
		if nulls != nil {
			nulls = nulls[slots:]
		}
	}
	return nil
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

func (r *slotReader[T, D]) element(elem int, c *format.Column, at, n int64) error {
	dst := r.slice(c)[at : at+n]
	nulls := c.Null[at : at+n]
	for i := range dst {
		dst[i], nulls[i] = r.null, true
		k := 0
		err := r.row(func(value int, _, _ uint8) {
			if k == elem && value >= 0 {
				r.convert(r.l, dst[i:i+1], r.vals[value:value+1])
				nulls[i] = false
			}
			k++
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *slotReader[T, D]) lists(dst format.ListColumn, n int64) error {
	elem := &dst.List.Elem
	for range n {
		null := false
		err := r.row(func(value int, def, _ uint8) {
			if in := r.l.lists[0]; def < in { // a list without elements, or none
				null = def+1 < in
				return
			}
			at := dst.Grow(1)
			if value < 0 {
				elem.SetNull(at)
				return
			}
			r.convert(r.l, r.slice(elem)[at:at+1], r.vals[value:value+1])
		})
		if err != nil {
			return err
		}
		dst.End(null)
	}
	return nil
}

// The slices of a column.
func float64s(c *format.Column) []float64 { return c.Float64 }
func float32s(c *format.Column) []float32 { return c.Float32 }
func int64s(c *format.Column) []int64     { return c.Int64 }
func uint64s(c *format.Column) []uint64   { return c.Uint64 }
func bools(c *format.Column) []bool       { return c.Bool }
func texts(c *format.Column) []string     { return c.String }

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

// cast converts integers whose bits stay.
func cast[D int64 | uint64, T uint32 | uint64](_ *leaf, dst []D, src []T) {
	for i, v := range src {
		dst[i] = D(v)
	}
}

// A reading is chosen by how values are stored, what they are, and where they
// go. Time stamps and decimals of one physical type are scaled alike.
type readingKey struct {
	physical Physical
	from     format.Storage
	layout   valueLayout
	to       format.Storage
}

var nan = math.NaN()

var readings = map[readingKey]chunkOpener{
	{Double, format.InFloat64, asIs, format.InFloat64}:                 reading(newReader64, toFloat64, float64s, nan),
	{Float, format.InFloat32, asIs, format.InFloat32}:                  reading(newReader32, toFloat32, float32s, float32(nan)),
	{Float, format.InFloat32, asIs, format.InFloat64}:                  reading(newReader32, float32ToFloat64, float64s, nan),
	{FixedLenByteArray, format.InFloat32, asFloat16, format.InFloat32}: reading(newReaderBytes, mapped(func(_ *leaf, v string) float32 { return halfToFloat32(v) }), float32s, float32(nan)),
	{FixedLenByteArray, format.InFloat32, asFloat16, format.InFloat64}: reading(newReaderBytes, mapped(func(_ *leaf, v string) float64 { return float64(halfToFloat32(v)) }), float64s, nan),

	{Int32, format.InInt64, asIs, format.InInt64}:   reading(newReader32, int32ToInt64, int64s, 0),
	{Int64, format.InInt64, asIs, format.InInt64}:   reading(newReader64, cast[int64, uint64], int64s, 0),
	{Int32, format.InUint64, asIs, format.InUint64}: reading(newReader32, cast[uint64, uint32], uint64s, 0),
	{Int64, format.InUint64, asIs, format.InUint64}: reading(newReader64, copied[uint64], uint64s, 0),
	{Int32, format.InUint64, asIs, format.InInt64}:  reading(newReader32, cast[int64, uint32], int64s, 0),

	{Boolean, format.InBool, asIs, format.InBool}:                 reading(newReaderBool, copied[bool], bools, false),
	{ByteArray, format.InString, asIs, format.InString}:           reading(newReaderBytes, copied[string], texts, ""),
	{FixedLenByteArray, format.InString, asIs, format.InString}:   reading(newReaderBytes, copied[string], texts, ""),
	{FixedLenByteArray, format.InString, asUUID, format.InString}: reading(newReaderBytes, mapped(func(_ *leaf, v string) string { return uuidText(v) }), texts, ""),
	{Int64, format.InFloat64, asIs, format.InFloat64}:             reading(newReader64, mapped(func(l *leaf, v uint64) float64 { return scaled(int64(v), l.scale) }), float64s, nan),
	{Int32, format.InFloat64, asDate, format.InFloat64}:           reading(newReader32, mapped(func(_ *leaf, v uint32) float64 { return float64(int32(v)) * 86400 }), float64s, nan),
	{Int96, format.InFloat64, asIs, format.InFloat64}:             reading(newReaderBytes, mapped(func(_ *leaf, v string) float64 { return int96Seconds(v) }), float64s, nan),
	{Int32, format.InFloat64, asIs, format.InFloat64}:             reading(newReader32, mapped(func(l *leaf, v uint32) float64 { return scaled(int64(int32(v)), l.scale) }), float64s, nan),
	{ByteArray, format.InFloat64, asIs, format.InFloat64}:         reading(newReaderBytes, mapped(func(l *leaf, v string) float64 { return scaledBytes(v, l.scale) }), float64s, nan),
	{FixedLenByteArray, format.InFloat64, asIs, format.InFloat64}: reading(newReaderBytes, mapped(func(l *leaf, v string) float64 { return scaledBytes(v, l.scale) }), float64s, nan),
}

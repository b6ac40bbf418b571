package format

import (
	"math"
)

// A Column is one column in memory, or a block of its rows; exactly one of its
// value slices is set (all empty for no rows). The value of a null row is 0, or
// NaN for floats, and is not to be used.
type Column struct {
	Field   Field
	Float64 []float64
	Float32 []float32
	Int64   []int64
	Uint64  []uint64
	Bool    []bool
	String  []string
	List    *Lists
	Null    []bool // nil when no row is null

	Sentinels []bool // rows that a sentinel made null; nil if none
}

// Lists are the values of a column of lists: row i has the elements
// [Offset[i], Offset[i+1]) of Elem.
type Lists struct {
	Offset []int64 // one more than rows
	Elem   Column
}

// MakeColumn returns a column of n rows with the values of f's type, and room
// for nulls where there may be any.
func MakeColumn(f Field, n int64, nulls bool) Column {
	c := Column{Field: f}
	switch f.Type.Storage() {
	case InFloat64:
		c.Float64 = make([]float64, n)
	case InFloat32:
		c.Float32 = make([]float32, n)
	case InInt64:
		c.Int64 = make([]int64, n)
	case InUint64:
		c.Uint64 = make([]uint64, n)
	case InBool:
		c.Bool = make([]bool, n)
	case InString:
		c.String = make([]string, n)
	}
	if nulls {
		c.Null = make([]bool, n)
	}
	return c
}

// Len returns the number of rows.
func (c *Column) Len() int {
	if c.List != nil {
		return len(c.List.Offset) - 1
	}
	return max(len(c.Float64), len(c.Float32), len(c.Int64), len(c.Uint64), len(c.Bool), len(c.String))
}

// IsNull reports whether row i is null.
func (c *Column) IsNull(i int) bool { return c.Null != nil && c.Null[i] }

// SetNull makes row i null.
func (c *Column) SetNull(i int) {
	c.Null[i] = true
	switch {
	case c.Float64 != nil:
		c.Float64[i] = math.NaN()
	case c.Float32 != nil:
		c.Float32[i] = float32(math.NaN())
	case c.Int64 != nil:
		c.Int64[i] = 0
	case c.Uint64 != nil:
		c.Uint64[i] = 0
	case c.Bool != nil:
		c.Bool[i] = false
	case c.String != nil:
		c.String[i] = ""
	}
}

// Slice returns rows [lo, hi) of the column. It shares its memory.
func (c *Column) Slice(lo, hi int) Column {
	s := *c
	s.Float64, s.Float32, s.Int64, s.Uint64 = cut(c.Float64, lo, hi), cut(c.Float32, lo, hi), cut(c.Int64, lo, hi), cut(c.Uint64, lo, hi)
	s.Bool, s.String = cut(c.Bool, lo, hi), cut(c.String, lo, hi)
	s.Null, s.Sentinels = cut(c.Null, lo, hi), cut(c.Sentinels, lo, hi)
	if c.List != nil {
		s.List = &Lists{Offset: c.List.Offset[lo : hi+1 : hi+1], Elem: c.List.Elem}
	}
	return s
}

// cut is v[lo:hi], to which nothing can be appended in place.
func cut[T any](v []T, lo, hi int) []T {
	if v == nil {
		return nil
	}
	return v[lo:hi:hi]
}

// Empty returns a column like c without rows, and with room for n.
func (c *Column) Empty(n int) Column {
	return Column{
		Field:   c.Field,
		Float64: room(c.Float64, n), Float32: room(c.Float32, n), Int64: room(c.Int64, n), Uint64: room(c.Uint64, n),
		Bool: room(c.Bool, n), String: room(c.String, n), Null: room(c.Null, n),
	}
}

// room is an empty slice with room for n values, nil for nil.
func room[T any](v []T, n int) []T {
	if v == nil {
		return nil
	}
	return make([]T, 0, n)
}

// Append adds the rows of another column of the same type, to which c is new
// if it has none.
func (c *Column) Append(more *Column) {
	have, n := c.Len(), more.Len()
	c.Null, c.Sentinels = appendMarks(c.Null, have, more.Null, n), appendMarks(c.Sentinels, have, more.Sentinels, n)
	c.Float64, c.Float32 = append(c.Float64, more.Float64...), append(c.Float32, more.Float32...)
	c.Int64, c.Uint64 = append(c.Int64, more.Int64...), append(c.Uint64, more.Uint64...)
	c.Bool, c.String = append(c.Bool, more.Bool...), append(c.String, more.String...)
	if more.List != nil {
		if c.List == nil {
			c.List = &Lists{Offset: []int64{0}, Elem: Column{Field: more.List.Elem.Field}}
		}
		c.List = c.List.joined(more.List)
	}
}

// Copy puts the values of a column of the same type into the first rows.
func (c *Column) Copy(from *Column) {
	copy(c.Float64, from.Float64)
	copy(c.Float32, from.Float32)
	copy(c.Int64, from.Int64)
	copy(c.Uint64, from.Uint64)
	copy(c.Bool, from.Bool)
	copy(c.String, from.String)
	copy(c.Null, from.Null)
}

// appendMarks appends the marks of n rows to those of the have rows before; nil
// marks none.
func appendMarks(marks []bool, have int, more []bool, n int) []bool {
	switch {
	case marks == nil && more == nil:
		return nil
	case marks == nil:
		return append(make([]bool, have, have+n), more...)
	case more == nil:
		return append(marks, make([]bool, n)...)
	}
	return append(marks, more...)
}

// joined returns the lists of both, l first. l grows in place if nothing else
// is in its memory.
func (l *Lists) joined(more *Lists) *Lists {
	if lo, hi := l.span(); lo != 0 || hi != int64(l.Elem.Len()) {
		elems := l.Elem.Slice(int(lo), int(hi))
		own := &Lists{Elem: Column{Field: l.Elem.Field}}
		own.Elem.Append(&elems)
		for _, o := range l.Offset {
			own.Offset = append(own.Offset, o-lo)
		}
		l = own
	}
	lo, hi := more.span()
	elems, base := more.Elem.Slice(int(lo), int(hi)), int64(l.Elem.Len())-lo
	l.Elem.Append(&elems)
	for _, o := range more.Offset[1:] {
		l.Offset = append(l.Offset, o+base)
	}
	return l
}

// span is the elements of all lists.
func (l *Lists) span() (lo, hi int64) { return l.Offset[0], l.Offset[len(l.Offset)-1] }

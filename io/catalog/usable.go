package catalog

import (
	"math"
	"slices"

	"skyjoin/internal/each"
	"skyjoin/internal/format"
	"skyjoin/neighbors"
)

// usableRows finds the usable rows.
type usableRows struct {
	total    int64
	drop     []bool // dropped rows; nil while there are none
	dropped  int64
	filtered int64
	skips    []Skip
}

// newUsableRows starts with the rows that a filter keeps, with all rows if keep is
// nil, and takes over keep.
func newUsableRows(total int64, keep []bool) *usableRows {
	s := &usableRows{total: total, drop: keep}
	for i, k := range keep {
		keep[i] = !k
		if !k {
			s.filtered++
		}
	}
	s.dropped = s.filtered
	return s
}

// reasons are those of Skip, in the order they are reported. That of values outside
// their limit is the limit's.
var reasons = [...]string{WhyNull, WhySentinel, WhyNaN, WhyInfinite, "", WhyText}

// rank returns the place of a reason among reasons.
func rank(why string) int {
	if i := slices.Index(reasons[:], why); i >= 0 {
		return i
	}
	return isOutside
}

const (
	isNull = iota
	isSentinel
	isNaN
	isInfinite
	isOutside
	isNoAngle
)

// A valid says which finite values a column may have.
type valid struct {
	neighbors.Limit
	text bool // the column is of text, which may be no angle
}

// valid returns which values column i may have.
func (r *Request) valid(i int) valid {
	if i < 2 && r.Sky {
		return valid{Limit: neighbors.Sky().Limit(i)}
	}
	return valid{Limit: r.Metric.Limit(i)}
}

// firstRows is how many rows a Skip names.
const firstRows = 5

// check drops the rows whose value in a column of floats cannot be used, and
// counts those that no filter or earlier column has dropped.
func (s *usableRows) check(c *format.Column, v valid) {
	var found [len(reasons)]Skip
	if c.Float32 != nil {
		scan(s, c.Float32, c, v, &found)
	} else {
		scan(s, c.Float64, c, v, &found)
	}
	for i, f := range found {
		if f.Rows > 0 {
			f.Why, f.Column = reasons[i], c.Field.Name
			if i == isOutside {
				f.Why = v.Reason()
			}
			s.skips = append(s.skips, f)
			s.dropped += f.Rows
		}
	}
}

func scan[T float32 | float64](s *usableRows, v []T, c *format.Column, valid valid, found *[len(reasons)]Skip) {
	least, most := T(valid.Least), T(valid.Most)
	for i, x := range v {
		// Nulls are NaN, and no NaN or infinity is equal to itself less itself.
		if x-x == 0 && least <= x && x <= most || s.drop != nil && s.drop[i] {
			continue
		}
		why := isOutside
		switch {
		case c.Sentinels != nil && c.Sentinels[i]:
			why = isSentinel
		case c.IsNull(i):
			why = isNull
		case x != x && valid.text:
			why = isNoAngle
		case x != x:
			why = isNaN
		case x-x != 0:
			why = isInfinite
		}
		if s.drop == nil {
			s.drop = make([]bool, len(v))
		}
		s.drop[i] = true
		f := &found[why]
		f.Rows++
		if len(f.First) < firstRows {
			f.First = append(f.First, int64(i))
		}
	}
}

// compact moves the remaining rows to the front of a column of floats, in place.
func (s *usableRows) compact(c *format.Column) {
	if s.dropped > 0 {
		c.Float64, c.Float32 = kept(s, c.Float64), kept(s, c.Float32)
	}
	c.Null = nil
}

func kept[T any](s *usableRows, v []T) []T {
	if v == nil {
		return nil
	}
	n := 0
	for i, out := range s.drop {
		if !out {
			v[n] = v[i]
			n++
		}
	}
	if v = v[:n]; n < cap(v)/2 {
		return slices.Clone(v) // the rest can be freed
	}
	return v
}

// rows returns the remaining rows, nil if no row was dropped.
func (s *usableRows) rows() []uint32 {
	if s.dropped == 0 {
		return nil
	}
	rows := make([]uint32, 0, s.total-s.dropped)
	for i, out := range s.drop {
		if !out {
			rows = append(rows, uint32(i))
		}
	}
	return rows
}

// toFloats converts a column of integers to float64; null rows become NaN.
func toFloats(c *format.Column) {
	switch {
	case c.Int64 != nil:
		c.Float64, c.Int64 = widen(c.Int64), nil
	case c.Uint64 != nil:
		c.Float64, c.Uint64 = widen(c.Uint64), nil
	default:
		return
	}
	for i, null := range c.Null {
		if null {
			c.Float64[i] = math.NaN()
		}
	}
}

func widen[T float32 | int64 | uint64](v []T) []float64 {
	return each.Of(v, func(x T) float64 { return float64(x) })
}

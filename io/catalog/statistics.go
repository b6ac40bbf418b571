package catalog

import (
	"encoding/binary"
	"math"

	"skyjoin/internal/pages"
)

// bounds is what is known about the values of a field in some rows.
type bounds struct {
	min, max number // no value but NaN is outside; store noStorage if unknown
	nulls    int64  // how many rows are null, -1 if unknown
	allNull  bool
	nan      bool // some values may be NaN
}

// A number is a float64, int64 or uint64, as store says.
type number struct {
	store storage
	f     float64
	i     int64
	u     uint64
}

// statistics is what a footer says about a chunk, undecoded.
type statistics struct {
	min, max string // PLAIN; valid if known
	known    bool
	ordered  bool  // min and max follow the order of the type
	nulls    int64 // -1 if unknown
}

// set takes the pair of statistics that can be trusted: the newer one if the
// footer says what its order is, else the older one, whose order was signed
// for all types and so is wrong for unsigned numbers and text.
func (s *statistics) set(minValue, maxValue, oldMin, oldMax []byte, ordered bool) {
	switch {
	case ordered && minValue != nil && maxValue != nil:
		s.min, s.max, s.known, s.ordered = string(minValue), string(maxValue), true, true
	case oldMin != nil && oldMax != nil:
		s.min, s.max, s.known = string(oldMin), string(oldMax), true
	}
}

// bounds implements statistician.
func (s *parquetSource) bounds(visit func(first, n int64, of func(r ref) (bounds, bool))) {
	for i := range s.groups {
		g := &s.groups[i]
		visit(g.first, g.rows, func(r ref) (bounds, bool) {
			l := &s.leaves[r.field]
			if l.maxRep > 0 || l.kind == Unsupported {
				return bounds{}, false
			}
			return l.bounds(&g.chunks[r.field])
		})
	}
}

// bounds decodes the statistics of a chunk of numbers; false if they say
// nothing that can be relied on.
func (l *leaf) bounds(c *chunk) (bounds, bool) {
	b := bounds{nulls: c.stats.nulls, allNull: c.stats.nulls == c.Values && c.Values > 0, nan: true}
	if l.maxDef == 0 {
		b.nulls, b.allNull = 0, false
	}
	if b.allNull {
		return b, true
	}
	if !c.stats.known || !c.stats.ordered && types[l.kind].bits < 0 {
		return b, false
	}
	lo, ok1 := l.number(c.stats.min)
	hi, ok2 := l.number(c.stats.max)
	if !ok1 || !ok2 || lo.more(hi) {
		return b, false
	}
	b.min, b.max, b.nan = lo, hi, lo.store == inFloat64
	return b, true
}

// number decodes a value of the statistics as read does; false for NaN and for
// types whose statistics are of no use.
func (l *leaf) number(s string) (number, bool) {
	var u uint64
	switch {
	case (l.physical == pages.Int32 || l.physical == pages.Float) && len(s) == 4:
		u = uint64(binary.LittleEndian.Uint32([]byte(s)))
	case (l.physical == pages.Int64 || l.physical == pages.Double) && len(s) == 8:
		u = binary.LittleEndian.Uint64([]byte(s))
	default:
		return number{}, false
	}
	v := int64(u)
	if l.physical == pages.Int32 {
		v = int64(int32(u))
	}
	switch familyOf(l.kind) {
	case signed:
		return number{store: inInt64, i: v}, true
	case unsigned:
		return number{store: inUint64, u: u}, true
	case decimals:
		return number{store: inFloat64, f: scaled(v, l.scale)}, true
	case times:
		if l.layout == asDate {
			return number{store: inFloat64, f: float64(v) * 86400}, true
		}
		return number{store: inFloat64, f: scaled(v, l.scale)}, true
	case floats:
		f := math.Float64frombits(u)
		if l.physical == pages.Float {
			f = float64(math.Float32frombits(uint32(u)))
		}
		return number{store: inFloat64, f: f}, f == f
	}
	return number{}, false
}

// more reports whether a > b; both are of one kind.
func (a number) more(b number) bool { return a.f > b.f || a.i > b.i || a.u > b.u }

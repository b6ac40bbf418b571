package parquet

import (
	"encoding/binary"
	"math"

	"skyjoin/internal/format"
)

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
func (s *statistics) set(st *chunkStatistics, ordered bool) {
	s.nulls = -1
	if st.Nulls != nil {
		s.nulls = *st.Nulls
	}
	switch {
	case ordered && st.Min != nil && st.Max != nil:
		s.min, s.max, s.known, s.ordered = *st.Min, *st.Max, true, true
	case st.OldMin != nil && st.OldMax != nil:
		s.min, s.max, s.known = *st.OldMin, *st.OldMax, true
	}
}

// bounds implements statistician.
func (s *reader) Bounds(visit func(first, n int64, of func(r format.Ref) (format.Bounds, bool))) {
	for i := range s.groups {
		g := &s.groups[i]
		visit(g.first, g.rows, func(r format.Ref) (format.Bounds, bool) {
			l := &s.leaves[r.Field]
			if l.maxRep > 0 || l.kind == format.Unsupported {
				return format.Bounds{}, false
			}
			return l.bounds(&g.chunks[r.Field])
		})
	}
}

// bounds decodes the statistics of a chunk of numbers; false if they say
// nothing that can be relied on.
func (l *leaf) bounds(c *chunk) (format.Bounds, bool) {
	b := format.Bounds{Nulls: c.stats.nulls, AllNull: c.stats.nulls == c.Values && c.Values > 0, NaN: true}
	if l.maxDef == 0 {
		b.Nulls, b.AllNull = 0, false
	}
	if b.AllNull {
		return b, true
	}
	if !c.stats.known || !c.stats.ordered && l.kind.Bits() < 0 {
		return b, false
	}
	lo, ok1 := l.number(c.stats.min)
	hi, ok2 := l.number(c.stats.max)
	if !ok1 || !ok2 || lo.More(hi) {
		return b, false
	}
	b.Min, b.Max, b.NaN = lo, hi, lo.Store == format.InFloat64
	return b, true
}

// number decodes a value of the statistics as read does; false for NaN and for
// types whose statistics are of no use.
func (l *leaf) number(s string) (format.Number, bool) {
	var u uint64
	switch {
	case (l.physical == Int32 || l.physical == Float) && len(s) == 4:
		u = uint64(binary.LittleEndian.Uint32([]byte(s)))
	case (l.physical == Int64 || l.physical == Double) && len(s) == 8:
		u = binary.LittleEndian.Uint64([]byte(s))
	default:
		return format.Number{}, false
	}
	v := int64(u)
	if l.physical == Int32 {
		v = int64(int32(u))
	}
	switch familyOf(l.kind) {
	case signed:
		return format.Number{Store: format.InInt64, I: v}, true
	case unsigned:
		return format.Number{Store: format.InUint64, U: u}, true
	case decimals:
		return format.Number{Store: format.InFloat64, F: scaled(v, l.scale)}, true
	case times:
		if l.layout == asDate {
			return format.Number{Store: format.InFloat64, F: float64(v) * 86400}, true
		}
		return format.Number{Store: format.InFloat64, F: scaled(v, l.scale)}, true
	case floats:
		f := math.Float64frombits(u)
		if l.physical == Float {
			f = float64(math.Float32frombits(uint32(u)))
		}
		return format.Number{Store: format.InFloat64, F: f}, f == f
	}
	return format.Number{}, false
}

package parquet

import (
	"encoding/binary"
	"math"

	"skyjoin/internal/format"
)

// pair returns the bounds that can be trusted: the newer ones if the footer says
// what their order is, else the older ones, whose order was signed for all types
// and so is wrong for unsigned numbers.
func (l *leaf) pair(c *groupChunk) (least, most *string) {
	switch st := &c.stats; {
	case c.ordered && st.Min != nil && st.Max != nil:
		return st.Min, st.Max
	case st.OldMin != nil && st.OldMax != nil && l.kind.Bits() >= 0:
		return st.OldMin, st.OldMax
	}
	return nil, nil
}

// Bounds implements format.Statistician.
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
func (l *leaf) bounds(c *groupChunk) (format.Bounds, bool) {
	b := format.Bounds{Nulls: -1, NaN: true}
	switch {
	case l.maxDef == 0:
		b.Nulls = 0
	case c.stats.Nulls != nil:
		b.Nulls = *c.stats.Nulls
		b.AllNull = b.Nulls == c.Values && c.Values > 0
	}
	if b.AllNull {
		return b, true
	}
	least, most := l.pair(c)
	if least == nil {
		return b, false
	}
	lo, ok1 := l.number(*least)
	hi, ok2 := l.number(*most)
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
	switch store := l.kind.Storage(); {
	case store == format.InInt64:
		return format.Number{Store: store, I: v}, true
	case store == format.InUint64:
		return format.Number{Store: store, U: u}, true
	case store != format.InFloat64 && store != format.InFloat32:
		return format.Number{}, false
	}
	f := scaled(v, l.scale) // of a decimal or a time
	switch {
	case l.physical == Double:
		f = math.Float64frombits(u)
	case l.physical == Float:
		f = float64(math.Float32frombits(uint32(u)))
	case l.layout == asDate:
		f = float64(v) * 86400
	}
	return format.Number{Store: format.InFloat64, F: f}, f == f
}

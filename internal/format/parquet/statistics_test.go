package parquet

import (
	"encoding/binary"
	"math"
	"testing"

	"skyjoin/internal/format"
)

// Statistics that do not bound every value are no bounds.
func TestTrustedStatistics(t *testing.T) {
	i64 := func(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }
	f64 := func(v float64) []byte { return i64(int64(math.Float64bits(v))) }
	id := leaf{physical: Int64, kind: format.Int64, maxDef: 1}
	unsigned := leaf{physical: Int64, kind: format.Uint64, maxDef: 1}
	float := leaf{physical: Double, kind: format.Float64, maxDef: 1}
	text := leaf{physical: ByteArray, kind: format.String, maxDef: 1}
	money := leaf{physical: Int64, kind: format.Decimal, scale: 2, maxDef: 1}
	for _, c := range []struct {
		name                     string
		l                        leaf
		min, max, oldMin, oldMax []byte
		ordered, known           bool
		wantMin, wantMax         string
	}{
		{"ordered", id, i64(-5), i64(7), nil, nil, true, true, "-5", "7"},
		{"of no known order", id, i64(-5), i64(7), nil, nil, false, false, "", ""},
		{"old, signed", id, nil, nil, i64(-5), i64(7), false, true, "-5", "7"},
		{"old, unsigned: their order was signed", unsigned, nil, nil, i64(-5), i64(7), false, false, "", ""},
		{"ordered, unsigned", unsigned, i64(7), i64(-1), nil, nil, true, true, "7", "18446744073709551615"},
		{"both", id, i64(-5), i64(7), i64(0), i64(0), true, true, "-5", "7"},
		{"the wrong way round", id, i64(7), i64(-5), nil, nil, true, false, "", ""},
		{"NaN", float, f64(math.NaN()), f64(1), nil, nil, true, false, "", ""},
		{"NaN at the top", float, f64(1), f64(math.NaN()), nil, nil, true, false, "", ""},
		{"one is missing", float, f64(1), nil, nil, nil, true, false, "", ""},
		{"too short", float, f64(1)[:7], f64(2), nil, nil, true, false, "", ""},
		{"text, which may be cut short", text, []byte("a"), []byte("b"), nil, nil, true, false, "", ""},
		{"decimal", money, i64(-150), i64(275), nil, nil, true, true, "-1.5", "2.75"},
	} {
		ch := &groupChunk{Chunk: Chunk{Values: 10}}
		text := func(b []byte) *string {
			if b == nil {
				return nil
			}
			return ptr(string(b))
		}
		ch.stats, ch.ordered = chunkStatistics{Min: text(c.min), Max: text(c.max), OldMin: text(c.oldMin), OldMax: text(c.oldMax), Nulls: ptr(int64(2))}, c.ordered
		b, known := c.l.bounds(ch)
		if known != c.known || known && (b.Min.Text(c.l.kind) != c.wantMin || b.Max.Text(c.l.kind) != c.wantMax || b.Nulls != 2 || b.AllNull) {
			t.Errorf("%s: %+v, %v", c.name, b, known)
		}
		if known && b.NaN != (c.l.kind == format.Float64 || c.l.kind == format.Decimal) {
			t.Errorf("%s: nan is %v", c.name, b.NaN)
		}
	}
	all := &groupChunk{Chunk: Chunk{Values: 10}, stats: chunkStatistics{Nulls: ptr(int64(10))}}
	if b, known := float.bounds(all); !known || !b.AllNull {
		t.Errorf("all null: %+v, %v", b, known)
	}
	required := leaf{physical: Double, kind: format.Float64}
	if b, known := required.bounds(all); known || b.AllNull || b.Nulls != 0 {
		t.Errorf("a required column that is all null: %+v, %v", b, known)
	}
}

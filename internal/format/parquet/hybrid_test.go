package parquet

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// decodeHybrid is appendHybrid backwards, by the format's definition.
func decodeHybrid(t *rapid.T, b []byte, n, width int) []uint32 {
	var out []uint32
	for len(b) > 0 {
		head, k := binary.Uvarint(b)
		b = b[k:]
		if head&1 == 0 {
			var v uint32
			for i := range (width + 7) / 8 {
				v |= uint32(b[i]) << (8 * i)
			}
			b = b[(width+7)/8:]
			out = append(out, slices.Repeat([]uint32{v}, int(head>>1))...)
			continue
		}
		packed := b[:int(head>>1)*width]
		b = b[len(packed):]
		for i := range int(head>>1) * 8 {
			var v uint32
			for bit := range width {
				at := i*width + bit
				v |= uint32(packed[at/8]>>(at%8)&1) << bit
			}
			out = append(out, v)
		}
	}
	if len(out) < n || len(out) >= n+8 {
		t.Fatalf("%d numbers decoded of %d", len(out), n)
	}
	return out[:n]
}

func TestHybrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 14).Draw(t, "width")
		var v []uint32
		for range rapid.IntRange(0, 20).Draw(t, "runs") {
			x := rapid.Uint32Range(0, 1<<width-1).Draw(t, "value")
			v = append(v, slices.Repeat([]uint32{x}, rapid.IntRange(1, 30).Draw(t, "length"))...)
		}
		if got := decodeHybrid(t, appendHybrid(nil, v, width), len(v), width); !slices.Equal(got, v) {
			t.Fatalf("%v became %v", v, got)
		}
	})
}

package parquet

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestDelta decodes differences by the format's definition, one value at a time.
func TestDelta(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.OneOf(rapid.Int64(), rapid.Int64Range(0, 9), rapid.Just(int64(7))), 0, 300).Draw(t, "values")
		b := appendDelta(nil, v)
		unsigned := func() int {
			u, n := binary.Uvarint(b)
			b = b[n:]
			return int(u)
		}
		signed := func() int64 {
			s, n := binary.Varint(b)
			b = b[n:]
			return s
		}
		block, minis, n, last := unsigned(), unsigned(), unsigned(), signed()
		if n != len(v) {
			t.Fatalf("%d values, want %d", n, len(v))
		}
		var got []int64
		if n > 0 {
			got = append(got, last)
		}
		for len(got) < n {
			least := signed()
			widths := b[:minis]
			b = b[minis:]
			for _, w := range widths {
				if len(got) == n {
					break
				}
				packed := b[:block/minis*int(w)/8]
				b = b[len(packed):]
				for i := 0; i < block/minis && len(got) < n; i++ {
					var x uint64
					for bit := range int(w) {
						at := i*int(w) + bit
						x |= uint64(packed[at/8]>>(at%8)&1) << bit
					}
					last += least + int64(x)
					got = append(got, last)
				}
			}
		}
		if !slices.Equal(got, v) || len(b) > 0 {
			t.Fatalf("%v became %v, %d bytes are left", v, got, len(b))
		}
	})
}

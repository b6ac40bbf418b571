package parquet

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestWalk(t *testing.T) {
	for version := 1; version <= 2; version++ {
		w := &chunkWriter{t: t, c: Chunk{Physical: Int32}}
		w.dictionary(2, plain4([]uint32{5, 6}))
		w.data(version, Plain, nil, nil, 3, plain4([]uint32{1, 2, 3}))
		second := len(w.b) // where the last page begins
		w.data(version, Plain, nil, nil, 2, plain4([]uint32{4, 5}))
		c, f := w.chunk()
		whole := make([]byte, f.Size())
		if _, err := f.ReadAt(whole, 0); err != nil {
			t.Fatal(err)
		}
		at := int(c.Offset) + second
		for what, k := range map[string]struct {
			b      []byte
			size   int64
			values int64
			want   string // "" for none
		}{
			"as written":    {whole, c.Size, 5, ""},
			"a value fewer": {whole, c.Size, 6, "hold 5 values, it should have 6"},
			"a value more":  {whole, c.Size, 4, "hold 5 values, it should have 4"},
			"a byte fewer":  {whole, c.Size - 1, 5, "ends after the chunk"},
			"a byte more":   {whole, c.Size + 1, 5, "page header"},
			"a short file":  {whole[:at], c.Size, 5, "page header: the file ends within it"},
			"inserted":      {slices.Insert(slices.Clone(whole), at-3, 0x2a), c.Size, 5, "page header"},
			"deleted":       {slices.Delete(slices.Clone(whole), at-3, at-2), c.Size, 5, "page header"},
		} {
			err := walkPages(bytes.NewReader(k.b), &Chunk{Offset: c.Offset, Size: k.size, Values: k.values})
			if (err == nil) != (k.want == "") || err != nil && !strings.Contains(err.Error(), k.want) {
				t.Errorf("version %d, %s: %v, want %q", version, what, err, k.want)
			}
		}
	}
}

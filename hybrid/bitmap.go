package hybrid

// A bitmap is a set of rows.
type bitmap struct{ words []uint64 }

func newBitmap(n int) *bitmap { return &bitmap{make([]uint64, (n+63)/64)} }

func (m *bitmap) has(row uint32) bool { return m.words[row/64]>>(row%64)&1 != 0 }

func (m *bitmap) drop(row uint32) { m.words[row/64] &^= 1 << (row % 64) }

// fill adds rows. Sequences of consecutive rows, as catalogs have them, are cheap.
func (m *bitmap) fill(rows []uint32) {
	for lo := 0; lo < len(rows); {
		word := rows[lo] / 64
		var set uint64
		for ; lo < len(rows) && rows[lo]/64 == word; lo++ {
			set |= 1 << (rows[lo] % 64)
		}
		m.words[word] |= set
	}
}

package tiles

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
)

// Tiles of a plan read the inputs at different times and places. Whether all of them
// have read the same is checked by content: a piece records a hash of the values of
// every part that its tile has read, and merge compares the hashes of all tiles.
// Whether a file was touched at all is checked earlier, by its size, its time and its
// ends.

// A contentHash hashes what a tile reads of the parts of a set, block by block.
type contentHash struct {
	q    *Piece
	set  int
	part int // the last one
	h    *valueHash
}

// add hashes the values of a block.
func (c *contentHash) add(b *block) {
	if c.h == nil || c.part != b.part {
		c.end()
		c.part, c.h = b.part, &valueHash{sum: sha256.New()}
	}
	h := c.h
	for j := range b.sel.Points.Dim() {
		c := b.sel.Points.Column(j)
		for _, v := range c.Float32 {
			h.add(uint64(math.Float32bits(v)))
		}
		for _, v := range c.Float64 {
			h.add(math.Float64bits(v))
		}
	}
	for _, r := range b.sel.Rows {
		h.add(uint64(r))
	}
	for _, w := range b.sel.Weights {
		h.add(math.Float64bits(w))
	}
}

// end records the hash of the last part in the piece.
func (c *contentHash) end() {
	if c.h == nil {
		return
	}
	if c.q.Read == nil {
		c.q.Read = map[string]string{}
	}
	c.h.flush()
	c.q.Read[fmt.Sprintf("%d/%d", c.set, c.part)] = hex.EncodeToString(c.h.sum.Sum(nil)[:16])
}

// A valueHash hashes values.
type valueHash struct {
	sum hash.Hash
	buf [4096]byte
	n   int
}

func (h *valueHash) add(v uint64) {
	binary.LittleEndian.PutUint64(h.buf[h.n:], v)
	if h.n += 8; h.n == len(h.buf) {
		h.flush()
	}
}

func (h *valueHash) flush() {
	h.sum.Write(h.buf[:h.n])
	h.n = 0
}

// agree reports whether all tiles have read the same values.
func (p *Plan) agree(pieces []*Piece) error {
	first := map[string]int{} // the tile that has read a part
	for tile, q := range pieces {
		for part, sum := range q.Read {
			other, seen := first[part]
			if !seen {
				first[part] = tile
			} else if pieces[other].Read[part] != sum {
				set, k := 0, 0
				if _, err := fmt.Sscanf(part, "%d/%d", &set, &k); err != nil || set < 0 || set >= len(p.parts) || k < 0 || k >= len(p.parts[set]) {
					return planf("%s is damaged; run tile %d again with --force", p.piecePath(tile), tile)
				}
				return planf("%s was changed after the plan was made: tiles %d and %d have read other values; make the plan anew", p.Sets[set].Files[p.parts[set][k].File].Path, other, tile)
			}
		}
	}
	return nil
}

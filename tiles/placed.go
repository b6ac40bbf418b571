package tiles

import (
	"skyjoin/internal/par"
)

// placed lists, for the rows of a block, the tiles that own them and those that
// have them in their halos.
type placed struct {
	owner []int32
	near  [][]int32 // by chunk: the tiles near its rows, one row after the other
	upTo  []uint32  // end of each row's in that of its chunk
}

const placeChunk = 1 << 14

// placeAll places all rows of a block.
func placeAll(d division, b *block, threads int) *placed {
	n := b.sel.Points.Len()
	chunks := (n + placeChunk - 1) / placeChunk
	p := &placed{owner: make([]int32, n), near: make([][]int32, chunks), upTo: make([]uint32, n)}
	par.Chunks(min(threads, max(chunks, 1)), chunks, func(_, lo, hi int) {
		s := &scratch{}
		for c := lo; c < hi; c++ {
			all := make([]int32, 0, placeChunk+placeChunk/4)
			for i := c * placeChunk; i < min(n, (c+1)*placeChunk); i++ {
				owner, near := d.place(b.sel.Points, i, s)
				p.owner[i] = owner
				all = append(all, near...)
				p.upTo[i] = uint32(len(all))
			}
			p.near[c] = all
		}
	})
	return p
}

func (p *placed) at(i int) (owner int32, near []int32) {
	from := uint32(0)
	if i%placeChunk > 0 {
		from = p.upTo[i-1]
	}
	return p.owner[i], p.near[i/placeChunk][from:p.upTo[i]]
}

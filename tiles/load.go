package tiles

import (
	"context"
)

// mostExpected bounds the rows for which memory is reserved at the start: a damaged
// plan may expect any number.
const mostExpected = 1 << 26

// load returns the rows of a set that a tile owns or has in its halo, and notes in
// its piece what was read.
func (p *Plan) load(ctx context.Context, tile, set, threads int, q *Piece) (*rows, error) {
	if p.Staged {
		return p.unstage(tile, set)
	}
	s := &p.Sets[set]
	t := p.Tiles[tile]
	out := newRows(s, (min(t.Rows, mostExpected)+min(t.Halo, mostExpected))/int64(len(p.Sets))+1024)
	parts := p.reads[tile][set]
	if len(parts) == 0 {
		return out, nil
	}
	d := p.division(tile)
	d.complete() // rows come in any order
	content := &contentHash{q: q, set: set}
	err := p.eachBlock(ctx, set, parts, threads, func(b *block) error {
		content.add(b)
		sc := &scratch{}
		for i := range b.sel.Points.Len() {
			owner, near := d.place(b.sel.Points, i, sc)
			if own := owner == int32(tile); own || contains(near, int32(tile)) {
				out.add(b, i, own)
				if len(p.Sets) > 1 {
					out.shared = append(out.shared, own && len(near) > 1)
				}
			}
		}
		return nil
	})
	content.end()
	return out, err
}

func contains(list []int32, v int32) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

package neighbors

import (
	"cmp"
	"context"
	"iter"
	"slices"
)

// Brute is the joiner that looks at every pair, one query row at a time: the
// reference for all others, and the fastest choice for a few hundred rows.
type Brute struct{}

// bruteRows is the number of query rows in a batch of Brute.
const bruteRows = 64

// Join implements Joiner.
func (Brute) Join(ctx context.Context, p *Plan, work Work) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		b := &Batch{}
		for {
			rows := work.Take(bruteRows, 0)
			if rows == nil {
				return
			}
			b.Rows = rows
			b.Offset = append(b.Offset[:0], 0)
			b.Index = b.Index[:0]
			b.Dist = b.Dist[:0]
			for _, r := range rows {
				if err := ctx.Err(); err != nil {
					work.Put(rows)
					yield(nil, err)
					return
				}
				if p.near != nil {
					p.bruteNearest(r, b)
				} else {
					p.bruteWithin(r, b)
				}
				b.Offset = append(b.Offset, int64(len(b.Index)))
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

func (p *Plan) bruteWithin(r uint32, b *Batch) {
	for j := range p.data.Len() {
		if p.self && j == int(r) {
			continue
		}
		if d2 := p.query.SquaredDistance(int(r), p.data, j); d2 <= p.t {
			b.Index = append(b.Index, uint32(j))
			if p.within.Distance {
				b.Dist = append(b.Dist, p.distance(int(r), j, d2))
			}
		}
	}
}

func (p *Plan) bruteNearest(r uint32, b *Batch) {
	type candidate struct {
		d2  float64
		row uint32
	}
	all := make([]candidate, 0, p.data.Len())
	for j := range p.data.Len() {
		if p.self && j == int(r) {
			continue
		}
		all = append(all, candidate{p.query.SquaredDistance(int(r), p.data, j), uint32(j)})
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.d2, b.d2), cmp.Compare(a.row, b.row))
	})
	for _, c := range all[:min(p.near.K, len(all))] {
		b.Index = append(b.Index, c.row)
		b.Dist = append(b.Dist, p.distance(int(r), int(c.row), c.d2))
	}
	p.pad(b, p.near.K-len(all))
}

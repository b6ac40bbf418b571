package neighbors

import (
	"context"
	"sync/atomic"

	"skyjoin/internal/fresh"
	"skyjoin/internal/par"
)

// gathersPairs reports whether GatherPairs finds each pair only once, instead of
// finding it twice and dropping one.
func gathersPairs(ctx context.Context, j Joiner, p *Plan) bool {
	c, ok := j.(CPU)
	if !ok || !p.self || p.within == nil || c.Memory > 0 {
		return false
	}
	w, err := c.implementation(ctx, p)
	return err == nil && w.name == Grid
}

// pairsInOrder returns each pair once, in the list of its lower row, as a batch of
// all rows in ascending order with lists ordered by neighbour. The error wraps
// ErrMemory if there are more than limit pairs.
func pairsInOrder(ctx context.Context, j Joiner, p *Plan, limit int64) (*Batch, error) {
	pairs, err := GatherPairs(ctx, j, p, limit)
	if err != nil {
		return nil, err
	}
	threads, n := Workers(j), p.Len()
	b := &Batch{Rows: make([]uint32, n)}
	// Shifted by one, the offsets count up to the beginnings of the lists while
	// these are filled.
	offset := make([]int64, n+2)
	eachPair(threads, pairs, func(row, _ uint32, _ *Batch, _ int) { atomic.AddInt64(&offset[row+2], 1) })
	for i := range n {
		b.Rows[i] = uint32(i)
		offset[i+2] += offset[i+1]
	}
	total := offset[n+1]
	b.Index = fresh.Make[uint32](threads, int(total))
	if p.within.Distance {
		b.Dist = fresh.Make[float64](threads, int(total))
	}
	eachPair(threads, pairs, func(row, neighbor uint32, from *Batch, k int) {
		at := atomic.AddInt64(&offset[row+1], 1) - 1
		b.Index[at] = neighbor
		if b.Dist != nil {
			b.Dist[at] = from.Dist[k]
		}
	})
	b.Offset = offset[:n+1]
	par.Chunks(threads, n, func(_, lo, hi int) {
		var s sorter
		for i := lo; i < hi; i++ {
			s.sort(b.List(i), b.Dists(i))
		}
	})
	return b, ctx.Err()
}

// eachPair calls f for every pair, with the lower row first and its place k in a
// batch.
func eachPair(threads int, pairs []Batch, f func(row, neighbor uint32, b *Batch, k int)) {
	par.Chunks(threads, len(pairs), func(_, lo, hi int) {
		for c := lo; c < hi; c++ {
			b := &pairs[c]
			for i, r := range b.Rows {
				for k := b.Offset[i]; k < b.Offset[i+1]; k++ {
					other := b.Index[k]
					f(min(r, other), max(r, other), b, int(k))
				}
			}
		}
	})
}

//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math"

	"skyjoin/internal/cuda"
	"skyjoin/internal/par"
)

const (
	gridBinsThreads = 128
	gridBinsRows    = gridBinsThreads / 32 * 4 * 4 // of a block: 4 a warp at a time, 4 times, as in pairs_grid.cu
	gridBinsDim     = 4                            // of its kernels, at most
	gridBinsPoints  = 1<<32/gridBinsRows - 1       // a block counts in 32 bits
	gridBinsShared  = 16 << 10                     // bytes of counters, for many blocks to a processor

	// gridShare is the share of candidates in the cells of a grid among all pairs
	// below which only these are compared, which costs more per pair.
	gridShare = 0.15
)

// gridBins is a histogram whose last edge is so short that a grid with cells of that
// width leaves few pairs to compare.
type gridBins struct {
	*pairsJob
	squared []float64
	extents []extent
	reach   float64
}

// newGridBins returns nil if all pairs should be compared.
func newGridBins(job *pairsJob, squared []float64) *gridBins {
	g := &gridBins{pairsJob: job, squared: squared, reach: math.Sqrt(squared[len(squared)-1])}
	counters := (len(squared) + 1) * 4
	if job.query.Dim() > gridBinsDim || job.data.Len() > gridBinsPoints || counters > gridBinsShared || !(g.reach > 0) {
		return nil
	}
	g.extents = extentsOf(job.sides()...)
	fraction := 1.0
	for j, e := range g.extents {
		width := 2 * e.half()
		if job.wraps() && job.query.Side[j] > 0 {
			width = job.query.Side[j]
		}
		if width > 0 {
			fraction *= min(1, 3*g.reach/width)
		}
	}
	if fraction > gridShare {
		return nil
	}
	return g
}

// binGrid counts on the cards, each of which has all cells and does its part of the
// queries.
func binGrid(ctx context.Context, cards []*Joiner, g *gridBins) ([]uint64, error) {
	counts := make([][]uint64, len(cards))
	errs := make([]error, len(cards))
	var wg par.Group
	for k, j := range cards {
		j.mu.Lock()
		defer j.mu.Unlock()
		wg.Go(func() {
			errs[k] = j.roomy(func() (err error) {
				if err = ctx.Err(); err != nil {
					return err
				}
				q := begin(j.prepare)
				defer q.end()
				counts[k], err = g.count(q, k, len(cards))
				return err
			})
		})
	}
	wg.Wait()
	if err := firstError(errs...); err != nil {
		return nil, err
	}
	for _, c := range counts[1:] {
		for i, n := range c {
			counts[0][i] += n
		}
	}
	return counts[0], nil
}

// count lets one of the cards count its part.
func (g *gridBins) count(q *sequence, card, cards int) ([]uint64, error) {
	var sides [][]cuda.Buffer[float64]
	for _, s := range g.sides() {
		sides = append(sides, spread(q, &q.memory, s))
	}
	built := &join{self: g.self, t: g.squared[len(g.squared)-1]}
	l := newLayout(g.extents, g.reach*slack, 1, g.query.Side, coordinate(g.sides()...))
	if q.do(func() error { return built.build(&q.memory, l, sides) }); q.err != nil {
		return nil, q.err
	}
	edges := newLookup(upperBits(g.squared))
	n := len(g.squared) - 1
	count := zeros[uint64](q, n+2)
	p := gridBinsParams{Query: built.query.params(), Data: built.data.params(), Bins: uint32(n), Copies: 32, Self: number(g.self),
		Edge: table(q, &q.memory, g.squared).Ptr, Start: table(q, &q.memory, edges.start).Ptr, Count: count.Ptr,
		FirstKey: edges.first, LastKey: edges.last, Shift: edges.shift, Card: uint32(card), CardCount: uint32(cards)}
	for (n+2)*int(p.Copies)*4 > gridBinsShared {
		p.Copies /= 2
	}
	kind := "grid_bins"
	if g.wraps() {
		kind += "_wrapped"
		p.Box = box(g.p.Side)
	}
	out := make([]uint64, n+2)
	launch(q, fmt.Sprintf("%s_%d", kind, g.query.Dim()), ceilDiv(built.query.n, gridBinsRows*cards), gridBinsThreads, (n+2)*int(p.Copies)*4, &p)
	pull(q, out, count)
	return out[1 : n+1], q.sync()
}

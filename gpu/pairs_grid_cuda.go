//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math"
	"sync"

	"skyjoin/internal/cuda"
)

const (
	gridBinsThreads = 128
	gridBinsRows    = gridBinsThreads / 32 * 4 * 4 // of a block: 4 a warp at a time, 4 times, as in pairs_grid.cu
	gridBinsDim     = 4                            // at most, of its kernels
	gridBinsPoints  = 1<<32/gridBinsRows - 1       // a block counts in 32 bits
	gridBinsShared  = 16 << 10                     // bytes of counters, for many blocks to a processor

	// gridShare is the share of all pairs that are candidates in the cells of a
	// grid below which these are compared alone: that costs more a pair.
	gridShare = 0.15
)

// gridBins is a histogram whose last edge is so short that a grid of cells
// that wide leaves few pairs to compare.
type gridBins struct {
	*pairsJob
	squared []float64
	extents []extent
	reach   float64
}

// newGridBins returns nil where all pairs are to be compared.
func newGridBins(job *pairsJob, squared []float64) *gridBins {
	g := &gridBins{pairsJob: job, squared: squared, reach: math.Sqrt(squared[len(squared)-1])}
	counters := (len(squared) + 1) * 4
	if job.query.Dim() > gridBinsDim || job.data.Len() > gridBinsPoints || counters > gridBinsShared || !(g.reach > 0) {
		return nil
	}
	g.extents = extentsOf(job.sides()...)
	share := 1.0
	for j, e := range g.extents {
		width := 2 * e.half()
		if job.wraps() && job.query.Side[j] > 0 {
			width = job.query.Side[j]
		}
		if width > 0 {
			share *= min(1, 3*g.reach/width)
		}
	}
	if share > gridShare {
		return nil
	}
	return g
}

// binGrid counts on the cards, each of which has all cells and takes its share of
// the queries.
func binGrid(ctx context.Context, cards []*Joiner, g *gridBins) ([]uint64, error) {
	counts := make([][]uint64, len(cards))
	errs := make([]error, len(cards))
	var wg sync.WaitGroup
	for k, j := range cards {
		j.mu.Lock()
		defer j.mu.Unlock()
		wg.Go(func() {
			errs[k] = j.roomy(func() (err error) {
				if err = ctx.Err(); err != nil {
					return err
				}
				m := &memory{stream: j.prepare}
				defer m.release()
				counts[k], err = g.count(m, k, len(cards))
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

func (g *gridBins) count(m *memory, card, cards int) ([]uint64, error) {
	var uploaded [][]cuda.Buffer[float64]
	scratch := &memory{stream: m.stream}
	defer scratch.release()
	for _, s := range g.sides() {
		x, err := spread(scratch, s)
		if err != nil {
			return nil, err
		}
		uploaded = append(uploaded, x)
	}
	built := &join{self: g.self, t: g.squared[len(g.squared)-1]}
	l := newLayout(g.extents, g.reach*slack, 1, g.query.Side, coordinate(g.sides()...))
	if err := built.build(m, l, uploaded); err != nil {
		return nil, err
	}
	table := newLookup(upperBits(g.squared))
	n := len(g.squared) - 1
	p := gridBinsParams{Query: built.query.params(), Data: built.data.params(), Bins: uint32(n), Copies: 32,
		FirstKey: table.first, LastKey: table.last, Shift: table.shift, Card: uint32(card), Cards: uint32(cards)}
	for (n+2)*int(p.Copies)*4 > gridBinsShared {
		p.Copies /= 2
	}
	kind := "grid_bins"
	if g.wraps() {
		kind += "_wrapped"
		p.Box = box(g.p.Side)
	}
	if g.self {
		p.Self = 1
	}
	var count cuda.Buffer[uint64]
	err := firstError(put(m, &p.Edge, g.squared), put(m, &p.Start, table.start), into(&count, m, n+2), cuda.Clear(m.stream, count, 0))
	if err != nil {
		return nil, err
	}
	p.Count = count.Ptr
	out := make([]uint64, n+2)
	err = firstError(
		cuda.Launch(m.stream, fmt.Sprintf("%s_%d", kind, g.query.Dim()), ceilDiv(built.query.n, gridBinsRows*cards), gridBinsThreads, (n+2)*int(p.Copies)*4, &p),
		cuda.Download(m.stream, out, count), m.stream.Sync())
	return out[1 : n+1], err
}

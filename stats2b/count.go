package stats2b

import (
	"context"
	"fmt"
	"math"

	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// Options say how pairs are counted. The zero value uses every core.
type Options struct {
	Joiner   neighbors.Joiner // carries plain counts out if it is a Binner; nil: the CPU
	Threads  int              // goroutines; 0: GOMAXPROCS
	Memory   int64            // bytes that the index may take; 0: no cap
	Progress func(done, total int64)
}

// Count counts the pairs of a by distance, or those of a row of a with a row
// of b. Errors wrap neighbors.ErrRequest, ErrCoordinate or ErrMemory.
func Count(ctx context.Context, a, b *Sample, metric neighbors.Metric, bins Bins, opt Options) (*Counts, error) {
	t, err := CountPatches(ctx, a, b, metric, Binning{Bins: bins}, 0, opt)
	if err != nil {
		return nil, err
	}
	return t.Counts(), nil
}

// fromZero returns edges with 0 before the first, so that the pairs below it
// are counted too, and how many have been put there: none if it is 0 itself.
func fromZero(squared []float64) (edges []float64, more int) {
	if squared[0] == 0 {
		return squared, 0
	}
	return append([]float64{0}, squared...), 1
}

// planOf returns the join that brings together all pairs below the last edge.
func planOf(ctx context.Context, a, b *Sample, metric neighbors.Metric, reach float64, opt Options) (*neighbors.Plan, error) {
	in := input(a, b, metric, opt)
	if metric.IsAngle() {
		reach = min(reach, math.Pi)
	}
	return neighbors.Prepare(ctx, in, neighbors.Within{Radius: reach})
}

func input(a, b *Sample, metric neighbors.Metric, opt Options) neighbors.Input {
	in := neighbors.Input{Query: a.Points, Metric: metric, Threads: opt.Threads, Memory: opt.Memory}
	if b != nil {
		in.Data = b.Points
	}
	return in
}

// countPlain counts pairs without weights or patches, in bins of distance.
// The counts begin with that of the pairs below the first edge.
func countPlain(ctx context.Context, a, b *Sample, metric neighbors.Metric, bins Bins, opt Options) ([]uint64, error) {
	squared, err := bins.Squared(metric)
	if err != nil {
		return nil, err
	}
	edges, more := fromZero(squared)
	counts, err := countEdges(ctx, a, b, metric, bins, edges, opt)
	if more == 0 && err == nil {
		counts = append([]uint64{0}, counts...)
	}
	return counts, err
}

// countEdges counts the pairs between squared edges, the first of which is 0
// and the others those of the bins.
func countEdges(ctx context.Context, a, b *Sample, metric neighbors.Metric, bins Bins, edges []float64, opt Options) ([]uint64, error) {
	if f, ok := opt.Joiner.(Binner); ok {
		counts, err := f.BinPairs(ctx, input(a, b, metric, opt), edges)
		if err == nil && len(counts) != len(edges)-1 {
			err = fmt.Errorf("%d counts for %d bins", len(counts), len(edges)-1)
		}
		return counts, err
	}
	p, err := planOf(ctx, a, b, metric, bins.Edge(bins.Len())*bins.unit, opt)
	if err != nil {
		return nil, err
	}
	if p.Len() == 0 || p.DataLen() == 0 {
		return make([]uint64, len(edges)-1), nil
	}
	table, err := kernel.NewBins(edges)
	if err != nil {
		return nil, err
	}
	if unpruned(p) && (opt.Memory <= 0 || treeMemory(p) <= opt.Memory) {
		return countTree(ctx, p, table, edges, opt)
	}
	return countGrid(ctx, p, table, edges, opt)
}

// countGrid counts the pairs of neighbouring cells of the plan's grid.
func countGrid(ctx context.Context, p *neighbors.Plan, table *kernel.Bins, edges []float64, opt Options) ([]uint64, error) {
	s := newSweep(p, opt)
	visitors, err := s.run(ctx, par.Threads(opt.Threads), func() visitor { return newPlain(s, table, edges) })
	if err != nil {
		return nil, err
	}
	sum := make([]uint64, len(edges)-1)
	for _, v := range visitors {
		v.(*plain).addTo(sum)
	}
	return sum, nil
}

// A plain counts pairs with the histogram kernels.
type plain struct {
	*sweep
	fn     *kernel.Funcs
	h      *kernel.Histogram
	edges  []float64
	counts []uint64  // of pairs that the kernel does not see
	side   []float64 // kernel.Sides of the periods
	dense  dense
	left   []kernel.Run
	buffer [wrapBlock]float64
}

func newPlain(s *sweep, table *kernel.Bins, edges []float64) *plain {
	return &plain{
		sweep: s, fn: kernel.Best(), h: kernel.NewHistogram(table), edges: edges,
		counts: make([]uint64, len(edges)-1), side: kernel.Sides(querySpace(s.plan).Side),
		dense: newDense(s.query, s.data),
	}
}

func (c *plain) direct(lo, hi, end int, runs []kernel.Run) {
	q, d := &c.query.Points, &c.data.Points
	if hi-lo < denseCell {
		c.fn.Hist(q, lo, hi, end, d, runs, c.h)
		return
	}
	c.dense.query.Around(q, lo, hi)
	if end > 0 && c.whole(c.dense.query, uint64(hi-lo)*uint64(hi-lo-1)/2) {
		end = 0
	}
	c.left = c.left[:0]
	for _, r := range runs {
		c.left = c.dense.sift(c.left, r, hi-lo, c.whole)
	}
	if end > 0 || len(c.left) > 0 {
		c.fn.Hist(q, lo, hi, end, d, c.left, c.h)
	}
}

// whole counts so many pairs of the queries with points of a box if they are
// all in one bin.
func (c *plain) whole(box kernel.Box, pairs uint64) bool {
	i := binOf(c.edges, c.dense.query.Nearest(box))
	if i != binOf(c.edges, c.dense.query.Farthest(box)) {
		return false
	}
	if i < len(c.counts) {
		c.counts[i] += pairs
	}
	return true
}

func (c *plain) wrapped(i int, runs []kernel.Run) {
	for _, r := range runs {
		for ; r.Lo < r.Hi; r.Lo += min(wrapBlock, r.Hi-r.Lo) {
			d2 := c.buffer[:min(wrapBlock, r.Hi-r.Lo)]
			kernel.WrappedSquares(&c.query.Points, i, &c.data.Points, int(r.Lo), c.side, d2)
			c.h.Add(d2)
		}
	}
}

// addTo adds the counts to sum.
func (c *plain) addTo(sum []uint64) {
	bins, _, _ := c.h.Counts()
	for i := range sum {
		sum[i] += bins[i] + c.counts[i]
	}
}

// wrapBlock is how many pairs that wrap are measured at once.
const wrapBlock = 256

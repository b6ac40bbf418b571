package neighbors

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"skyjoin/internal/fresh"
	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// segmentRows is how many query rows a worker takes at a time.
const segmentRows = 4096

// A gridGatherer lists the neighbours of query rows in the order of the grid and
// leaves the lists where they were written, in one segment of memory after another:
// they are neither counted beforehand nor copied afterwards. Of a self-join it can
// list each pair once, with the row that comes first in the order of the grid.
type gridGatherer struct {
	emitter // of the lists of the batch; the rest of the segment is its capacity
	half    bool
	sweep   *grid.Sweep
	own     kernel.Run   // of a self-join, the candidates that include the queries
	others  []kernel.Run // the other direct runs
	counts  []uint32
	memory  *segments
	ahead   struct { // of the segment, if it is new
		index fresh.Front[uint32]
		dist  fresh.Front[float64]
	}
	capacity int           // neighbours of a segment
	held     *atomic.Int64 // neighbours of all workers
	limit    int64         // of those; 0: none

	first   int // position of the first row of the batch
	offset  []int64
	batches []Batch
}

// gather finds the lists of all rows of a Within plan in its grid and leaves them in
// memory, which is overwritten.
func (c CPU) gather(ctx context.Context, p *Plan, memory *segments, half bool, limit int64) ([]Batch, error) {
	memory.reuse()
	var held atomic.Int64
	portions := par.NewPortions(c.Workers(), p.Len(), segmentRows)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	kept := make([][]Batch, c.Workers())
	par.Chunks(len(kept), len(kept), func(w, _, _ int) {
		k := &gridGatherer{emitter: newEmitter(p, &p.queryGrid().Points, &p.dataGrid().Points), half: half, memory: memory, capacity: segmentRoom(len(kept)), held: &held, limit: limit}
		if half {
			k.sweep = grid.NewForwardSweep(p.queryGrid())
		} else {
			k.sweep = grid.NewSweep(p.queryGrid(), p.dataGrid())
		}
		for ctx.Err() == nil {
			lo, hi, ok := portions.Next(w)
			if !ok {
				break
			}
			if err := k.gather(ctx, lo, hi); err != nil {
				cancel(err)
			}
		}
		kept[w] = k.batches
	})
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return slices.Concat(kept...), nil
}

// gather lists the neighbours of the points [lo, hi).
func (k *gridGatherer) gather(ctx context.Context, lo, hi int) error {
	k.beginBatch(lo, hi)
	start := k.p.queryGrid().Start
	for cell := k.p.queryGrid().Cell(lo); lo < hi; cell++ {
		if n := k.alone(cell, hi-lo); n > 0 {
			cell += n - 1
			lo += n
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		k.sweep.Visit(cell)
		k.own, k.others = kernel.Run{}, k.sweep.Direct
		if k.p.self {
			k.own, k.others = splitOwn(k.sweep.Direct, lo)
		}
		most := grid.Points(k.others) + grid.Points(k.sweep.Wrapped) + int(k.own.Hi-k.own.Lo)
		for stop := min(int(start[cell+1]), hi); lo < stop; {
			free := cap(k.index) - len(k.index) - kernel.Slack
			if free < most {
				if err := k.endBatch(lo); err != nil {
					return err
				}
				k.segment(most)
				k.beginBatch(lo, hi)
				continue
			}
			n := min(stop-lo, max(1, min(free, maxPairs)/max(1, most)))
			if len(k.sweep.Wrapped) > 0 {
				n = 1
			}
			k.prefault(n * most)
			k.list(lo, lo+n)
			lo += n
		}
	}
	return k.endBatch(hi)
}

// alone appends the empty lists of isolated cells of one point each, at most most of
// them, and returns how many.
func (k *gridGatherer) alone(cell, most int) int {
	if !k.p.self {
		return 0
	}
	n := min(k.sweep.Alone(cell), most)
	end := k.offset[len(k.offset)-1]
	for range n {
		k.offset = append(k.offset, end)
	}
	return n
}

// list appends the lists of the points [lo, hi) of a cell; of a single one if there
// are candidates that wrap.
func (k *gridGatherer) list(lo, hi int) {
	k.counts = slices.Grow(k.counts[:0], hi-lo)[:hi-lo]
	k.emitter.list(lo, hi, k.own, k.half, k.others, k.counts)
	if len(k.sweep.Wrapped) > 0 {
		k.counts[0] += k.wrapped(lo, k.sweep.Wrapped, k.half)
	}
	end := k.offset[len(k.offset)-1]
	for i, n := range k.counts {
		from := end
		end += int64(n)
		k.offset = append(k.offset, end)
		if k.p.within.Distance {
			k.p.finish(k.query.ID[lo+i], k.index[from:end], k.dist[from:end])
		}
	}
}

// beginBatch starts a batch after the last one, for up to the points [lo, hi).
func (k *gridGatherer) beginBatch(lo, hi int) {
	k.first = lo
	k.offset = k.offset[len(k.offset):]
	if need := hi - lo + 1; cap(k.offset) < need {
		k.offset = k.memory.takeOffsets(max(need, min(segmentOffsets, k.p.Len()+1)))
	}
	k.offset = append(k.offset, 0)
	k.index = k.index[len(k.index):]
	if k.dist != nil {
		k.dist = k.dist[len(k.dist):]
	}
}

// endBatch ends the batch before the point at position hi.
func (k *gridGatherer) endBatch(hi int) error {
	if hi > k.first {
		n, rows := len(k.index), len(k.offset)
		b := Batch{Rows: k.query.ID[k.first:hi:hi], Table: Table{Offset: k.offset[:rows:rows], Index: k.index[:n:n]}}
		if k.dist != nil {
			b.Dist = k.dist[:n:n]
		}
		k.batches = append(k.batches, b)
		if held := k.held.Add(int64(n)); k.limit > 0 && held > k.limit {
			return tooManyNeighbours(k.limit)
		}
	}
	return nil
}

// segment takes memory for the lists of many points, or for a single one with so
// many candidates.
func (k *gridGatherer) segment(most int) {
	all := k.p.Len() * most // bounds the room of a small join
	g, isNew := k.memory.take(max(most, min(k.capacity, all))+kernel.Slack, k.p.within.Distance)
	k.index, k.dist = g.index, g.dist
	k.ahead.index, k.ahead.dist = fresh.Front[uint32]{}, fresh.Front[float64]{}
	if isNew {
		k.ahead.index = fresh.NewFront(k.index[:cap(k.index)])
		k.ahead.dist = fresh.NewFront(k.dist[:cap(k.dist)])
	}
}

// prefault asks the system for the pages that the next n neighbours go to.
func (k *gridGatherer) prefault(n int) {
	left := cap(k.index) - len(k.index) - n
	k.ahead.index.Reach(left)
	k.ahead.dist.Reach(left)
}

// tooManyNeighbours returns the error for a table beyond its limit.
func tooManyNeighbours(limit int64) error {
	return fmt.Errorf("%w: there are more than %d neighbours", ErrMemory, limit)
}

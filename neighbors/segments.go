package neighbors

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

const (
	segmentEntries = 1 << 20 // neighbours that the lists of a whole table are kept together by
	segmentRows    = 4096    // query rows that a worker takes at once
)

// A keeper lists the neighbours of query rows, in the order of the grid, and
// keeps the lists where they were written, one segment of memory after the
// other: they are neither counted before nor copied after. Of a self-join it can
// list each pair once, with the point that comes first in the order of the
// grid.
type keeper struct {
	p           *Plan
	half        bool
	fn          *kernel.Funcs
	query, data *kernel.Points
	sweep       *grid.Sweep
	beyond      []kernel.Run // half: the candidates that follow the first run
	piece       [1]kernel.Run
	counts      []uint32
	held        *atomic.Int64 // neighbours that all keepers have
	limit       int64         // 0: none

	batch Batch // the lists so far; those of the last segment have room behind
	first int   // position of the first of its rows
	kept  []Batch
}

// gather keeps the lists of all rows of a Within plan that is carried out in
// its grid.
func (c CPU) gather(ctx context.Context, p *Plan, half bool, limit int64) ([]Batch, error) {
	var next, held atomic.Int64
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	kept := make([][]Batch, c.Workers())
	par.Chunks(len(kept), len(kept), func(w, _, _ int) {
		k := newKeeper(p, half, &held, limit)
		for ctx.Err() == nil {
			hi := int(next.Add(segmentRows))
			if hi-segmentRows >= p.Len() {
				break
			}
			if err := k.rows(ctx, hi-segmentRows, min(hi, p.Len())); err != nil {
				cancel(err)
			}
		}
		k.close()
		kept[w] = k.kept
	})
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return slices.Concat(kept...), nil
}

func newKeeper(p *Plan, half bool, held *atomic.Int64, limit int64) *keeper {
	k := &keeper{p: p, half: half, fn: kernel.Best(), query: &p.queryGrid.Points, data: &p.dataGrid.Points, held: held, limit: limit}
	if half {
		k.sweep = grid.NewForwardSweep(p.queryGrid)
	} else {
		k.sweep = grid.NewSweep(p.queryGrid, p.dataGrid)
	}
	return k
}

// rows lists the points [lo, hi).
func (k *keeper) rows(ctx context.Context, lo, hi int) error {
	k.next(lo)
	start := k.p.queryGrid.Start
	for cell := k.p.queryGrid.Cell(lo); lo < hi; cell++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		k.sweep.Visit(cell)
		stop := min(int(start[cell+1]), hi)
		own, runs := 0, k.sweep.Direct
		if k.half && len(runs) > 0 {
			own, runs = int(runs[0].Hi), runs[1:]
		}
		for lo < stop {
			n, err := k.some(lo, stop, own, runs)
			if err != nil {
				return err
			}
			lo += n
		}
	}
	return nil
}

// some lists some of the points [lo, hi) of a cell: as many as the segment is
// sure to have room for, or one in a segment of its own size. It returns how
// many. The candidates of point i are (i, own) and runs, and those that wrap.
func (k *keeper) some(lo, hi, own int, runs []kernel.Run) (int, error) {
	n := grid.Points(runs) + grid.Points(k.sweep.Wrapped) + max(0, own-lo)
	if n <= segmentEntries {
		free := cap(k.batch.Index) - len(k.batch.Index) - kernel.Slack
		if free < n {
			if err := k.segment(lo, segmentEntries); err != nil {
				return 0, err
			}
			free = segmentEntries
		}
		block := min(hi-lo, max(1, min(free, maxPairs)/max(1, n)))
		k.list(lo, lo+block, own, runs)
		if len(k.sweep.Wrapped) == 0 {
			k.end(lo, block)
			return block, nil
		}
	}
}

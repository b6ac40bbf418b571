//go:build cuda && linux

package gpu

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"skyjoin/internal/par"
)

const (
	// partPoints is the size of parts where there are several (section 3.5).
	partPoints = 1 << 20
	// leastPart is enough to keep the blocks of a launch busy, however little memory
	// there is.
	leastPart = 1 << 10
)

// A partPair is two parts of the input whose pairs are handled by one launch: rows
// [q0, q1) with rows [d0, d1).
type partPair struct {
	q0, q1, d0, d1 int
	mode           int32 // as in pairs.cuh
}

const (
	pairsCross   int32 = 0
	pairsHalf    int32 = 1
	pairsInside  int32 = 3 // of a block of threads, alone: what load balancing is measured by
	pairsOrdered int32 = 2
)

// partPairs divides the input into parts of at most size points and returns the
// pairs of parts, those with the same query part together. ordered is for functions
// that do not commute: every row of one set with every other.
func partPairs(queries, points, size int, self, ordered bool) []partPair {
	var all []partPair
	for q := 0; q < queries; q += size {
		d := 0
		if self && !ordered {
			d = q
		}
		for ; d < points; d += size {
			p := partPair{q, min(q+size, queries), d, min(d+size, points), pairsCross}
			switch {
			case self && d == q && ordered:
				p.mode = pairsOrdered
			case self && d == q:
				p.mode = pairsHalf
			}
			all = append(all, p)
		}
	}
	return all
}

// partSize returns the size of parts: all points if they are few, otherwise so few
// that streams and cards share the work evenly and that parts fit into memory.
func partSize(cfg Pairs, queries, points, cards int, room int64, perPoint int) int {
	size := cfg.points
	if size == 0 {
		size = maxPart
		if n := max(queries, points); n > maxPart || cards > 1 {
			size = partPoints
			for cards > 1 && n/size < 4*cards && size > 1<<14 {
				size /= 2
			}
		}
	}
	for size > leastPart && int64(size)*int64(perPoint) > room {
		size /= 2
	}
	return size
}

// partRoom returns the bytes for parts on each of the cards, whose parts have one
// size: half of what the fullest card has free.
func partRoom(cards []*Joiner) int64 {
	room := int64(math.MaxInt64)
	for _, c := range cards {
		if c.cfg.Memory > 0 {
			room = min(room, c.cfg.Memory)
		}
		if free, _, err := c.ctx.Free(); err == nil {
			room = min(room, free)
		}
	}
	return room / 2
}

// occupy reserves the cards until free is called, and returns all their lanes.
func occupy(cards []*Joiner) (lanes []*lane, free func()) {
	for _, c := range cards {
		c.mu.Lock()
		lanes = append(lanes, c.lanes...)
	}
	return lanes, func() {
		for _, c := range cards {
			c.mu.Unlock()
		}
	}
}

// A partsWorker does pairs of parts of a job on one lane. All its methods run on
// the lane's thread.
type partsWorker interface {
	do(i int) error // the i-th pair of parts
	finish() error  // adds its results to those of all lanes
	end()
}

// dealOut lets the lanes do n pairs of parts; each takes the next that none has
// started. worker makes the worker of a lane, with the memory that it needs.
func dealOut[W partsWorker](ctx context.Context, lanes []*lane, n int, worker func(l *lane) (W, error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg par.Group
	for _, l := range lanes[:min(len(lanes), n)] {
		wg.Go(func() {
			err := l.st.Do(func() error {
				w, err := worker(l)
				if err != nil {
					return err
				}
				defer w.end()
				for k := next.Add(1) - 1; k < int64(n); k = next.Add(1) - 1 {
					if err := context.Cause(ctx); err != nil {
						return err
					}
					if err := w.do(int(k)); err != nil {
						return err
					}
				}
				return w.finish()
			})
			if err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// totals are the results of all lanes together.
type totals struct {
	mu     sync.Mutex
	counts []uint64
	pairs  []uint64
}

// add adds those of a lane.
func (t *totals) add(counts, pairs []uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = make([]uint64, len(counts))
	}
	for b, n := range counts {
		t.counts[b] += n
	}
	t.pairs = append(t.pairs, pairs...)
}

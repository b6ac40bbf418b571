//go:build cuda && linux

package gpu

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"skyjoin/internal/cuda"
	"skyjoin/internal/space"
)

// A piece is two parts of the input, whose pairs are met by one launch: rows
// [q0, q1) with rows [d0, d1).
type piece struct {
	q0, q1, d0, d1 int
	mode           int32 // as in pairs.cuh
}

const (
	pairsCross   int32 = 0
	pairsHalf    int32 = 1
	pairsOrdered int32 = 2
)

// pieces cuts the input into parts of at most size points and returns the
// pairs of parts, those with the same query part one after another. ordered is
// for functions that do not commute: every row of one set with every other.
func pieces(queries, points, size int, self, ordered bool) []piece {
	var all []piece
	for q := 0; q < queries; q += size {
		d := 0
		if self && !ordered {
			d = q
		}
		for ; d < points; d += size {
			p := piece{q, min(q+size, queries), d, min(d+size, points), pairsCross}
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

// partSize is how many points a part has: all where they are few, otherwise so
// few that streams and cards share evenly and that parts fit the room there is.
func partSize(cfg Pairs, queries, points, cards int, room int64, perPoint int) int {
	size := cfg.Points
	if size == 0 {
		size = maxPart
		if n := max(queries, points); n > maxPart || cards > 1 {
			size = part
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

// runPairs has the lanes of all cards do the pieces of a job. It returns the
// counters, of which the first is below the first edge, and the pairs.
func runPairs(ctx context.Context, cards []*Joiner, job *pairsJob) ([]uint64, []uint64, error) {
	for _, c := range cards {
		c.mu.Lock()
		defer c.mu.Unlock()
	}
	var lanes []*lane
	for _, c := range cards {
		lanes = append(lanes, c.lanes...)
	}
	// Both parts of a lane, exact and near.
	perPoint := 2 * 12 * job.query.Dim() * len(cards[0].lanes)
	size := partSize(job.cfg, job.query.Len(), job.data.Len(), len(cards), partRoom(cards), perPoint)
	all := pieces(job.query.Len(), job.data.Len(), size, job.self, false)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var mu sync.Mutex
	var total, pairs []uint64
	var wg sync.WaitGroup
	for i, l := range lanes {
		if i >= len(all) {
			break
		}
		wg.Go(func() {
			err := l.st.Do(func() error {
				w, err := newPairsWorker(l, job, size)
				if err != nil {
					return err
				}
				defer w.release()
				for k := next.Add(1) - 1; k < int64(len(all)); k = next.Add(1) - 1 {
					if err := context.Cause(ctx); err != nil {
						return err
					}
					if err := w.do(all[k]); err != nil {
						return err
					}
				}
				counts, found, err := w.results()
				mu.Lock()
				defer mu.Unlock()
				if total == nil {
					total = make([]uint64, len(counts))
				}
				for b, n := range counts {
					total[b] += n
				}
				pairs = append(pairs, found...)
				return err
			})
			if err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return total, pairs, context.Cause(ctx)
}

// partRoom is the bytes that parts may take on each of the cards, for which they
// are of one size: half of what the fullest has free.
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

// A pairsPart is one part of one side on the device.
type pairsPart struct {
	exact  cuda.Buffer[float64] // [dim][stride]
	near   cuda.Buffer[float32]
	lo, hi int // rows in it
}

// load brings rows [lo, hi) to the device, unless they are there.
func (w *pairsWorker) load(part *pairsPart, s *space.Space, lo, hi int) error {
	if part.lo == lo && part.hi == hi {
		return nil
	}
	n, st := hi-lo, w.l.st
	part.lo, part.hi = lo, hi
	for c, col := range s.Columns {
		at := part.exact.Slice(c*w.stride, c*w.stride+n)
		if col.Float32 == nil {
			if err := cuda.Upload(st, at, col.Float64[lo:hi]); err != nil {
				return err
			}
			continue
		}
		p := widenParams{In: w.raw.Ptr, Out: at.Ptr, N: uint32(n)}
		if err := firstError(cuda.Upload(st, w.raw, col.Float32[lo:hi]), launchEach(st, "widen", n, &p)); err != nil {
			return err
		}
	}
	if !w.job.usesNear {
		return nil
	}
	np := pairsNearParams{In: part.exact.Ptr, Out: part.near.Ptr, Scale: w.job.near.scale, Stride: uint32(w.stride), N: uint32(n), Dim: w.job.p.Dim}
	copy(np.Centre[:], w.job.near.centre)
	return launchEach(st, "pairs_near", n, &np)
}

//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"skyjoin/internal/fresh"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// supports returns an error if the GPU cannot carry out the plan.
func supports(p *neighbors.Plan) error {
	if d := querySpace(p).Dim(); d > maxDim {
		return fmt.Errorf("%w: %d dimensions, the GPU has kernels for up to %d", errors.ErrUnsupported, d, maxDim)
	}
	return nil
}

// Join implements neighbors.Joiner.
func (j *Joiner) Join(ctx context.Context, p *neighbors.Plan, work neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	return neighbors.Stream(ctx, j, p, work)
}

// Visit implements neighbors.Visitor: one worker per stream.
func (j *Joiner) Visit(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) error {
	if err := firstError(supports(p), j.cfg.Pattern.serves(p)); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if p.Nearest() != nil {
		return j.nearest(ctx, p, work, visit)
	}
	return j.each(ctx, p, work, rowsJob{
		lists: true,
		aside: func(s *session) error { _, err := s.ordered(); return err },
		take:  j.take,
		do: func(s *session, part span) ([]uint32, error) {
			if j.cfg.Pattern != PatternDefault && p.DataLen() > 0 {
				return j.published(ctx, s, work, visit)
			}
			return j.lists(ctx, s, part, work, visit)
		},
	})
}

// Count implements neighbors.Counter.
func (j *Joiner) Count(ctx context.Context, p *neighbors.Plan, work neighbors.Work, count []int64) error {
	if err := firstError(supports(p), j.cfg.Pattern.serves(p)); err != nil {
		return err
	}
	if p.Within() == nil {
		return fmt.Errorf("%w: a count needs a radius", neighbors.ErrRequest)
	}
	if len(count) != p.Len() {
		return fmt.Errorf("%w: room for %d counts, there are %d rows", neighbors.ErrRequest, len(count), p.Len())
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	// The memory of the counts is touched while the card counts.
	room := func(*session) error { touch(count); return nil }
	take := j.take
	if j.cfg.Pattern == PatternDefault {
		take = func(s *session, rows []uint32) error {
			if s.known {
				s.rows = rows
				return nil
			}
			if len(rows) < p.Len() {
				return s.take(rows)
			}
			found, err := s.counts(&j.pinned, func() error { return room(s) })
			if err == nil {
				copyCounts(count, found)
				s.rows = nil // they need no more work
			}
			return err
		}
	}
	return j.each(ctx, p, work, rowsJob{aside: room, take: take, do: func(s *session, _ span) ([]uint32, error) {
		if j.cfg.Pattern != PatternDefault && p.DataLen() > 0 {
			return nil, j.publishedCounts(s, work, count)
		}
		par.Chunks(par.Threads(0), len(s.rows), func(_, lo, hi int) {
			if s.known {
				addUp(count, s.rows[lo:hi], s.byRows)
				return
			}
			for i, r := range s.rows[lo:hi] {
				count[r] = int64(s.found(lo + i))
			}
		})
		return nil, nil
	}})
}

// addUp writes the counts of rows, which are the sum of those found by all cards.
func addUp(count []int64, rows []uint32, found [][]uint32) {
	for _, r := range rows {
		sum := int64(0)
		for _, f := range found {
			sum += int64(f[r])
		}
		count[r] = sum
	}
}

// touch touches the pages of memory that is about to be written, on otherwise idle
// threads.
func touch(count []int64) {
	par.Chunks(par.Threads(0), len(count), func(_, lo, hi int) { fresh.All(count[lo:hi]) })
}

// copyCounts copies counts and widens them.
func copyCounts(to []int64, from []uint32) {
	par.Chunks(par.Threads(0), len(from), func(_, lo, hi int) {
		for i, n := range from[lo:hi] {
			to[lo+i] = int64(n)
		}
	})
}

// take makes rows the current ones for the configured kernels.
func (j *Joiner) take(s *session, rows []uint32) error {
	if j.cfg.Pattern != PatternDefault {
		return s.hand(rows)
	}
	return s.take(rows)
}

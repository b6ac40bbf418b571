//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"math"
	"sync"

	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// each builds the index and calls f, which makes lists or counts, for every
// portion of work that take has put in hand, or for a part of the rows in hand
// where all are. f may return rows that it has taken itself. Rows of a portion
// where that failed go back. aside is called while the card counts with others,
// for what is needed afterwards; if it fails, who needs it tries again.
func (j *Joiner) each(ctx context.Context, p *neighbors.Plan, work neighbors.Work, lists bool, aside func(*session) error, take func(*session, []uint32) error, f func(s *session, part span) ([]uint32, error)) error {
	var s *session
	defer func() {
		if s != nil {
			_ = j.prepare.Do(func() error { s.release(); return nil })
		}
	}()
	index := func() (err error) {
		if s == nil {
			if s, err = newSession(j.prepare, p, j.lay, &j.used); err == nil {
				s.kept = j.keep()
			}
		}
		return err
	}
	if w, ok := work.(tallier); ok && p.DataLen() > 0 {
		err := j.prepare.Do(index)
		if err == nil {
			err = j.begin(s, w, lists, aside)
		}
		if err != nil && !errors.Is(err, cuda.ErrMemory) { // then the first portion tries again
			return err
		}
	}
	if a, ok := work.(arranger); ok && s != nil && (lists || !s.known) {
		var order []uint32
		err := j.prepare.Do(func() (err error) { order, err = s.ordered(); return err })
		if err == nil { // otherwise the first portion will fail as well
			a.Arrange(order)
		}
	}
	var rows []uint32
	if n, ok := work.(interface{ Len() int }); ok && s == nil && n.Len() > 0 && p.DataLen() > 0 {
		// New memory for all rows is slow: the card need not wait for it.
		var indexed sync.WaitGroup
		indexed.Go(func() { _ = j.prepare.Do(index) }) // if it fails, the first portion tries again
		rows = work.Take(math.MaxInt, 0)
		indexed.Wait()
	}
	for {
		var err error
		if rows, err = goOn(ctx, work, rows); rows == nil {
			return err
		}
		part := span{0, len(rows)}
		hand := func() (err error) {
			if p.DataLen() == 0 {
				return nil
			}
			if err := index(); err != nil {
				return err
			}
			if s.whole {
				var ok bool
				if part, ok = s.part(rows); ok {
					return nil
				}
				part = span{0, len(rows)}
			}
			return take(s, rows)
		}
		if err = j.roomy(hand); err != nil {
			work.Put(rows)
			return err
		}
		current := s
		if current == nil { // no data rows: empty lists
			current = &session{plan: p, inHand: inHand{rows: rows, offset: make([]uint64, len(rows)+1)}}
		}
		part.hi = min(part.hi, len(current.rows)) // none may be left to do
		if rows, err = f(current, part); err != nil {
			work.Put(rows)
			return err
		}
	}
}

// begin counts together with others, and calls aside meanwhile.
func (j *Joiner) begin(s *session, w tallier, lists bool, aside func(*session) error) error {
	err := j.tally(s, w, lists, func() {
		_ = j.prepare.Do(func() error { return firstError(growPinned(s.stream, &j.tallied, s.query.n), aside(s)) })
	})
	if err == nil && s.known && lists {
		err = j.prepare.Do(s.takeWhole)
	}
	return err
}

// goOn returns the rows to go on with: those in hand already, or what work has
// next; nil at its end, or with an error.
func goOn(ctx context.Context, work neighbors.Work, rows []uint32) ([]uint32, error) {
	if err := ctx.Err(); err != nil {
		work.Put(rows)
		return nil, err
	}
	if rows == nil {
		rows = work.Take(math.MaxInt, 0)
	}
	return rows, nil
}

// keep returns where offsets are kept between joins; nil if pinned memory is
// capped.
func (j *Joiner) keep() *[2][]uint64 {
	if j.cfg.Memory > 0 {
		return nil
	}
	return &j.offsets
}

// roomy has the preparing thread do f, and again if memory runs out, without what
// the lanes keep between joins. They must be idle.
func (j *Joiner) roomy(f func() error) error {
	err := j.prepare.Do(f)
	if errors.Is(err, cuda.ErrMemory) {
		j.shed()
		err = j.prepare.Do(f)
	}
	return err
}

// shed frees what the lanes keep between joins.
func (j *Joiner) shed() {
	for _, l := range j.lanes {
		_ = l.st.Do(func() error { l.shed(); return nil })
	}
}

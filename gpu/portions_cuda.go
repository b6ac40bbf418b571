//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"math"

	"skyjoin/internal/cuda"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// An arranger is a Work that hands out rows in parts, and asks for the order in
// which consecutive rows are near each other on the card: parts of that order take
// no longer than the whole, others do.
type arranger interface{ Arrange(rows []uint32) }

// A rowsJob says what Joiner.each does with the rows of a work.
type rowsJob struct {
	lists bool                                                   // their lists are wanted, not only their number
	aside func(*session) error                                   // for what is needed afterwards, done while the card counts with others; if it fails, it is tried again there
	take  func(*session, []uint32) error                         // makes rows the current ones
	do    func(s *session, part span) (next []uint32, err error) // makes lists or counts of the rows in hand, or of a part of them where all are
}

// each builds the index and does the job for every portion of rows that work hands
// out. The job may return rows that it has taken itself. If it fails, the rows of
// the portion are put back.
func (j *Joiner) each(ctx context.Context, p *neighbors.Plan, work neighbors.Work, job rowsJob) error {
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
			err = j.begin(s, w, job)
		}
		if err != nil && !errors.Is(err, cuda.ErrMemory) { // the first portion tries again
			return err
		}
	}
	if a, ok := work.(arranger); ok && s != nil && (job.lists || !s.known) {
		var order []uint32
		err := j.prepare.Do(func() (err error) { order, err = s.ordered(); return err })
		if err == nil { // otherwise the first portion will fail as well
			a.Arrange(order)
		}
	}
	var rows []uint32
	if n, ok := work.(interface{ Len() int }); ok && s == nil && n.Len() > 0 && p.DataLen() > 0 {
		// Allocating memory for all rows is slow, and the card need not wait for it.
		var indexed par.Group
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
			return job.take(s, rows)
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
		if rows, err = job.do(current, part); err != nil {
			work.Put(rows)
			return err
		}
	}
}

// begin counts together with other joiners, and does meanwhile what is needed
// afterwards.
func (j *Joiner) begin(s *session, w tallier, job rowsJob) error {
	err := j.tally(s, w, job.lists, func() {
		_ = sequenceOn(j.prepare, func(q *sequence) {
			growPinned(q, &j.tallied, s.query.n)
			q.do(func() error { return job.aside(s) })
		})
	})
	if err == nil && s.known && job.lists {
		err = j.prepare.Do(s.takeWhole)
	}
	return err
}

// goOn returns the rows to continue with: those taken already, or what work has
// next; nil at the end, or with an error.
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

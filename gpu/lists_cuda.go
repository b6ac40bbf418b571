//go:build cuda && linux

package gpu

import (
	"context"
	"math"
	"sync"

	"skyjoin/neighbors"
)

// lists delivers the lists of the current rows, or of a part of them if all rows are
// current. It then continues with the rows that work hands out next, so that no
// stream waits for the others at the end of each portion, until it gets rows that it
// cannot continue with; these are returned. Rows not delivered are put back.
func (j *Joiner) lists(ctx context.Context, s *session, part span, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) (next []uint32, err error) {
	var inWork [2]sync.WaitGroup // shares of the current rows, and of those before
	most := j.most()
	shares := func(part span) []share { return j.shares(s, part, most, &inWork[s.number]) }
	more := func() []share {
		rows := work.Take(math.MaxInt, 0)
		if rows == nil {
			return nil
		}
		if s.whole {
			if sp, ok := s.part(rows); ok {
				return shares(sp)
			}
		} else if s.stream != nil && j.cfg.Pattern == PatternDefault {
			// The streams are busy with the current rows; the rows before them must
			// be finished.
			inWork[1-s.number].Wait()
			err := j.prepare.Do(func() error { s.swap(); return s.take(rows) })
			if err == nil {
				return shares(span{0, len(s.rows)})
			}
		}
		next = rows // the caller starts afresh with these when the streams are idle
		return nil
	}
	left, err := drain(ctx, j.lanes, shares(part), more, func(worker int, l *lane, p *share) (bool, error) {
		return true, l.deliver(s, p, func(b *neighbors.Batch) error { return visit(worker, b) })
	})
	for _, p := range left {
		work.Put(p.rows[p.lo:p.hi:p.hi])
	}
	return next, err
}

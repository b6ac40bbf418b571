//go:build cuda && linux

package gpu

import (
	"context"

	"skyjoin/neighbors"
)

// publishedCounts counts with a published kernel.
func (j *Joiner) publishedCounts(s *session, work neighbors.Work, count []int64) error {
	err := j.roomy(func() error {
		pt, err := s.newPattern(j.cfg)
		if err != nil {
			return err
		}
		defer pt.release()
		q := begin(pt.stream)
		defer q.end()
		n, err := s.rowsToHost(q, pt.counts(q, &q.memory), &j.pinned)
		if err != nil {
			return err
		}
		for _, r := range s.rows {
			count[r] = int64(n[r])
		}
		return nil
	})
	if err != nil {
		work.Put(s.rows)
	}
	return err
}

// published delivers the lists of the rows in hand by a published kernel. Rows
// that it has taken after them, but not put in hand, are returned; rows not
// delivered go back.
func (j *Joiner) published(ctx context.Context, s *session, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) (next []uint32, err error) {
	var pt *pattern
	err = j.roomy(func() (err error) { pt, err = s.newPattern(j.cfg); return err })
	if err != nil {
		work.Put(s.rows)
		return nil, err
	}
	defer func() { _ = j.prepare.Do(func() error { pt.release(); return nil }) }()
	if pt.half {
		if err := pt.tabulate(ctx, j.lanes); err != nil {
			work.Put(s.rows)
			return nil, err
		}
		return j.lists(ctx, s, span{0, len(s.rows)}, work, visit)
	}
	left, err := pt.run(ctx, j.lanes, func(worker int, l *lane, sp span, pairs int) error {
		b, err := pt.collect(l, sp, pairs)
		if err != nil {
			return err
		}
		s.measure(b)
		return visit(worker, b)
	})
	for _, sp := range left {
		work.Put(pt.rows[sp.lo:sp.hi:sp.hi])
	}
	return nil, err
}

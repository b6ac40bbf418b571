//go:build cuda && linux

package gpu

import (
	"errors"

	"skyjoin/internal/cuda"
	"skyjoin/internal/par"
)

// A tallier is a Work whose joiners count neighbours together. Tally returns
// those of all query rows, nil if each joiner is to count its own rows. count
// counts the pairs of a part of the positions of the index, each once, for both
// rows; collect returns what was counted since its last call, by row.
type tallier interface {
	Tally(count func(part, parts int) error, collect func() ([]uint32, error)) ([]uint32, error)
}

// tally counts neighbours together with the other joiners of a work. Cells
// depend on the points alone, so that all cards have the same positions.
func (j *Joiner) tally(s *session, w tallier) error {
	if j.cfg.Pattern != PatternDefault || !s.halves() {
		return nil
	}
	var sum cuda.Buffer[uint32]
	n := s.query.n
	scratch := &memory{stream: s.stream}
	defer func() { _ = j.prepare.Do(func() error { scratch.release(); return nil }) }()
	count := func(part, parts int) error {
		return j.prepare.Do(func() error {
			if sum.N == 0 {
				if err := firstError(into(&sum, scratch, n), cuda.Clear(s.stream, sum, 0)); err != nil {
					return err
				}
			}
			lo, hi := par.Bound(part, parts, n), par.Bound(part+1, parts, n)
			return firstError(s.countHalf(s.stream, lo, hi, sum), s.stream.Sync())
		})
	}
	collect := func() (found []uint32, err error) {
		err = j.prepare.Do(func() error {
			found, err = s.byRow(sum, &j.pinned)
			return firstError(err, cuda.Clear(s.stream, sum, 0))
		})
		return found, err
	}
	known, err := w.Tally(count, collect)
	if errors.Is(err, cuda.ErrMemory) {
		return nil // others go on with it
	}
	s.known = known
	return err
}

// recall puts query rows in hand whose neighbours have been counted.
func (s *session) recall(rows []uint32) error {
	if err := s.follow(rows); err != nil {
		return err
	}
	n := len(s.rows)
	if err := s.newOffsets(n + 1); err != nil {
		return err
	}
	s.offset[0] = 0
	par.Chunks(par.Threads(0), n, func(_, lo, hi int) {
		for i, r := range s.rows[lo:hi] {
			s.offset[lo+i+1] = uint64(s.known[r])
		}
	})
	for i := range n {
		s.offset[i+1] += s.offset[i]
	}
	return firstError(cuda.Upload(s.stream, s.offsetD, s.offset), s.stream.Sync())
}

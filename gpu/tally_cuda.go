//go:build cuda && linux

package gpu

import (
	"errors"

	"skyjoin/internal/cuda"
)

// A tallier is a Work whose joiners count neighbours together. Tally returns
// those of all query rows in the order of the index, nil if each joiner is to
// count its own rows. count counts the positions [lo, hi) of the index, and may
// return before it has; with halves it counts each pair once, for both rows.
// collect returns what was counted since its last call, by position, and leaves
// it as it is until the join ends.
type tallier interface {
	Tally(halves bool, count func(lo, hi int) error, collect func() ([]uint32, error)) ([]uint32, error)
}

// tallyLanes is how many parts a card counts at the same time: the slowest rows
// of one leave room for another.
const tallyLanes = 2

// tally counts neighbours together with the other joiners of a work. Cells
// depend on the points alone, so that all cards have the same positions.
func (j *Joiner) tally(s *session, w tallier) error {
	if j.cfg.Pattern != PatternDefault {
		return nil
	}
	lanes := j.lanes[:min(len(j.lanes), tallyLanes)]
	settle := func() error {
		var errs []error
		for _, l := range lanes {
			errs = append(errs, l.st.Do(l.st.Sync))
		}
		return firstError(errs...)
	}
	turn := 0
	count := func(lo, hi int) error {
		if s.count.N == 0 {
			if err := j.prepare.Do(s.newCount); err != nil {
				return err
			}
		}
		l := lanes[turn%len(lanes)]
		turn++
		return l.st.Do(func() error { return firstError(l.st.Sync(), s.countPart(l.st, lo, hi, s.count)) })
	}
	var own []uint32
	collect := func() ([]uint32, error) {
		if err := settle(); err != nil {
			return nil, err
		}
		err := j.prepare.Do(func() (err error) {
			if own == nil {
				err = growPinned(s.stream, &j.tallied, s.count.N)
				own = j.tallied
			} else { // what others who failed had counted, after the rest
				own = make([]uint32, s.count.N)
			}
			if err != nil {
				return err
			}
			own = own[:s.count.N]
			return firstError(cuda.Download(s.stream, own, s.count), cuda.Clear(s.stream, s.count, 0), s.stream.Sync())
		})
		return own, err
	}
	known, err := w.Tally(s.halves(), count, collect)
	if err != nil || known == nil {
		_ = settle() // what is running uses the session's memory
		if errors.Is(err, cuda.ErrMemory) {
			return nil // others go on with it
		}
		return err
	}
	return j.prepare.Do(func() error { return s.know(known) })
}

// newCount makes room for the neighbours of every position, none at first.
func (s *session) newCount() error {
	return firstError(into(&s.count, &s.memory, s.query.n), cuda.Clear(s.stream, s.count, 0), s.stream.Sync())
}

// know takes over the neighbours of every position.
func (s *session) know(found []uint32) error {
	if s.count.N == 0 {
		if err := s.newCount(); err != nil {
			return err
		}
	}
	err := firstError(cuda.Upload(s.stream, s.count, found), s.stream.Sync())
	s.known = err == nil
	return err
}

// recall counts the query rows in hand, whose neighbours are known.
func (s *session) recall(scratch *memory) error {
	count := s.count
	if n := len(s.rows); s.list.N == 0 {
		count = s.count.Slice(s.first, s.first+n)
	} else {
		var wide cuda.Buffer[uint64]
		if err := firstError(into(&wide, scratch, n), into(&count, scratch, n)); err != nil {
			return err
		}
		lp := lookupParams{Place: s.count.Ptr, Rows: s.list.Ptr, Keys: wide.Ptr, N: uint32(n)}
		np := narrowParams{In: wide.Ptr, Out: count.Ptr, N: uint32(n)}
		err := firstError(cuda.Launch(s.stream, "lookup", ceilDiv(n, 256), 256, 0, &lp), cuda.Launch(s.stream, "narrow", ceilDiv(n, 256), 256, 0, &np))
		if err != nil {
			return err
		}
	}
	return s.tally(scratch, count)
}

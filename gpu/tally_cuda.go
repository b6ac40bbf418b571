//go:build cuda && linux

package gpu

import (
	"errors"
	"sync"
	"unsafe"

	"skyjoin/internal/cuda"
)

// A tallier is a Work whose joiners count neighbours together. The sum of what
// Tally returns are those of all query rows; it returns nil if each joiner is to
// count its own rows. count counts the positions [lo, hi) of the index, and may
// return before it has; with halves it counts each pair once, for both rows.
// collect returns what was counted since its last call, all joiners' in the same
// order, and leaves it as it is until the join ends.
type tallier interface {
	Tally(halves bool, count func(lo, hi int) error, collect func() ([]uint32, error)) ([][]uint32, error)
}

// tallyLanes is how many parts a card counts at the same time: the slowest rows
// of one leave room for another, and a third is there before the first has been
// seen to end.
const tallyLanes = 3

// A counter is what one card counts of a tally.
type counter struct {
	j     *Joiner
	s     *session
	lanes []*lane
	lists bool     // counts are told by position, not by row
	turn  int      // of the lanes
	told  []uint32 // the counts on the card, if they have been told; nil: there are others
	again bool     // some have been told
}

// tally counts neighbours together with the other joiners of a work, for lists
// or as the result. Cells depend on the points alone, so that all cards have the
// same positions. aside is called while the card counts, if it counts any.
func (j *Joiner) tally(s *session, w tallier, lists bool, aside func()) error {
	if j.cfg.Pattern != PatternDefault {
		return nil
	}
	own := &counter{j: j, s: s, lists: lists, lanes: j.lanes[:min(len(j.lanes), tallyLanes)]}
	var meanwhile sync.WaitGroup
	count := func(lo, hi int) error {
		if own.turn > 0 {
			return own.count(lo, hi)
		}
		err := j.prepare.Do(s.newCount)
		if err == nil {
			err = own.count(lo, hi)
		}
		meanwhile.Go(aside)
		return err
	}
	found, err := w.Tally(s.halves(), count, own.collect)
	meanwhile.Wait()
	if err != nil || found == nil {
		_ = own.settle() // what is running uses the session's memory
		if errors.Is(err, cuda.ErrMemory) {
			return nil // others go on with it
		}
		return err
	}
	if !lists { // who writes them down adds them up
		s.byRows, s.known = found, true
		return nil
	}
	return j.prepare.Do(func() error { return s.know(found, own.told) })
}

// count has the card count a part.
func (o *counter) count(lo, hi int) error {
	if o.told != nil {
		o.told = nil
		if err := o.j.prepare.Do(o.s.noCount); err != nil {
			return err
		}
	}
	l := o.lanes[o.turn%len(o.lanes)]
	o.turn++
	return l.st.Do(func() error { return firstError(l.st.Sync(), o.s.countPart(l.st, lo, hi, o.s.count)) })
}

// settle waits for what has been begun.
func (o *counter) settle() error {
	var errs []error
	for _, l := range o.lanes {
		errs = append(errs, l.st.Do(l.st.Sync))
	}
	return firstError(errs...)
}

// collect brings what has been counted to the host.
func (o *counter) collect() ([]uint32, error) {
	if err := o.settle(); err != nil {
		return nil, err
	}
	n := o.s.count.N
	err := o.j.prepare.Do(func() (err error) {
		scratch := &memory{stream: o.s.stream}
		defer scratch.release()
		count := o.s.count
		if !o.lists {
			if count, err = o.s.byRow(scratch, count); err != nil {
				return err
			}
		}
		if o.again { // what others who failed had counted, after the rest
			o.told = make([]uint32, n)
		} else if err := growPinned(o.s.stream, &o.j.tallied, n); err != nil {
			return err
		} else {
			o.told, o.again = o.j.tallied[:n:n], true
		}
		return firstError(cuda.Download(o.s.stream, o.told, count), o.s.stream.Sync())
	})
	return o.told, err
}

// newCount makes room for the neighbours of every position, none at first.
func (s *session) newCount() error {
	return firstError(into(&s.count, &s.memory, s.query.n), s.noCount())
}

// noCount sets the neighbours of every position to none.
func (s *session) noCount() error {
	return firstError(cuda.Clear(s.stream, s.count, 0), s.stream.Sync())
}

// know takes over the neighbours of every position, which are the sum of what
// cards have found. What this one has told is on the card.
func (s *session) know(found [][]uint32, told []uint32) error {
	scratch := &memory{stream: s.stream}
	defer scratch.release()
	if s.count.N == 0 {
		if err := s.newCount(); err != nil {
			return err
		}
	}
	n := s.count.N
	var other cuda.Buffer[uint32]
	if err := into(&other, scratch, n); err != nil {
		return err
	}
	p := addCountsParams{In: other.Ptr, Out: s.count.Ptr, N: uint32(n)}
	for _, f := range found {
		if told != nil && unsafe.SliceData(f) == unsafe.SliceData(told) {
			continue
		}
		if err := firstError(cuda.Upload(s.stream, other, f), launchEach(s.stream, "add_counts", n, &p)); err != nil {
			return err
		}
	}
	err := s.stream.Sync()
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
		err := firstError(launchEach(s.stream, "lookup", n, &lp), launchEach(s.stream, "narrow", n, &np))
		if err != nil {
			return err
		}
	}
	return s.tally(scratch, count)
}

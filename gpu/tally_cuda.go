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
	lists bool     // counts are reported by position, not by row
	turn  int      // of the lanes
	told  []uint32 // the counts on the card, if they have been reported; nil: there are others
	again bool     // some have been reported
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
		err := sequenceOn(j.prepare, s.newCount)
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
	if !lists { // whoever writes them down adds them up
		s.byRows, s.known = found, true
		return nil
	}
	return sequenceOn(j.prepare, func(q *sequence) { s.know(q, found, own.told) })
}

// count has the card count a part.
func (o *counter) count(lo, hi int) error {
	if o.told != nil {
		o.told = nil
		if err := sequenceOn(o.j.prepare, o.s.noCount); err != nil {
			return err
		}
	}
	l := o.lanes[o.turn%len(o.lanes)]
	o.turn++
	return l.sequence(func(q *sequence) {
		_ = q.sync() // err is that of the sequence
		o.s.countPart(q, lo, hi, o.s.count)
	})
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
	err := sequenceOn(o.j.prepare, func(q *sequence) {
		count := o.s.count
		if !o.lists {
			count = o.s.byRow(q, count)
		}
		if o.again { // what others who failed had counted, after the rest
			o.told = make([]uint32, n)
		} else if growPinned(q, &o.j.tallied, n); q.err == nil {
			o.told, o.again = o.j.tallied[:n:n], true
		}
		pull(q, o.told, count)
		_ = q.sync() // err is that of the sequence
	})
	return o.told, err
}

// newCount makes room for the neighbours of every position, none at first.
func (s *session) newCount(q *sequence) {
	s.count = kept[uint32](q, &s.memory, s.query.n)
	s.noCount(q)
}

// noCount sets the neighbours of every position to none.
func (s *session) noCount(q *sequence) {
	fill(q, s.count, 0)
	_ = q.sync() // err is that of the sequence
}

// know takes over the neighbours of every position, which are the sum of what
// cards have found. What this one has reported is on the card.
func (s *session) know(q *sequence, found [][]uint32, told []uint32) {
	if s.count.N == 0 {
		s.newCount(q)
	}
	n := s.count.N
	other := temp[uint32](q, n)
	for _, f := range found {
		if told == nil || unsafe.SliceData(f) != unsafe.SliceData(told) {
			push(q, other, f)
			each(q, "add_counts", n, &mapParams{In: other.Ptr, Out: s.count.Ptr, N: uint32(n)})
		}
	}
	s.known = q.sync() == nil
}

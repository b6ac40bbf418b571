//go:build cuda && linux

package gpu

import (
	"errors"
	"unsafe"

	"skyjoin/internal/cuda"
	"skyjoin/internal/par"
)

// A tallier is a Work whose joiners count neighbours together. The sum of what Tally
// returns is the number of neighbours of all query rows; it returns nil if each
// joiner should count its own rows. count counts the positions [lo, hi) of the
// index, and may return before it has finished; with halves it counts each pair
// once, for both rows. collect returns what was counted since its last call, in the
// same order for all joiners, and must not be changed until the join ends.
type tallier interface {
	Tally(halves bool, count func(lo, hi int) error, collect func() ([]uint32, error)) ([][]uint32, error)
}

// tallyLanes is how many parts a card counts at the same time: while the slowest
// rows of one part run, there is room for another, and a third is ready before the
// first is known to have ended.
const tallyLanes = 3

// A counter counts the part of one card in a tally.
type counter struct {
	j     *Joiner
	s     *session
	lanes []*lane
	lists bool     // counts are reported by position, not by row
	turn  int      // next lane
	told  []uint32 // the counts on the card, if they have been reported; nil: there are others
	again bool     // whether some have been reported
}

// tally counts neighbours together with the other joiners of a work, for lists or as
// the result. Cells depend only on the points, so that all cards have the same
// positions. aside is called while the card counts, if it counts any.
func (j *Joiner) tally(s *session, w tallier, lists bool, aside func()) error {
	if j.cfg.Pattern != PatternDefault {
		return nil
	}
	own := &counter{j: j, s: s, lists: lists, lanes: j.lanes[:min(len(j.lanes), tallyLanes)]}
	var meanwhile par.Group
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
			return nil // others continue with it
		}
		return err
	}
	if !lists { // the receiver adds them up
		s.byRows, s.known = found, true
		return nil
	}
	return sequenceOn(j.prepare, func(q *sequence) { s.know(q, found, own.told) })
}

// count lets the card count a part.
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

// settle waits for what has been started.
func (o *counter) settle() error {
	var errs []error
	for _, l := range o.lanes {
		errs = append(errs, l.st.Do(l.st.Sync))
	}
	return firstError(errs...)
}

// collect copies what has been counted to the host.
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
		if o.again { // add what failed joiners had counted, after the rest
			o.told = make([]uint32, n)
		} else if growPinned(q, &o.j.tallied, n); q.err == nil {
			o.told, o.again = o.j.tallied[:n:n], true
		}
		pull(q, o.told, count)
		_ = q.sync() // err is that of the sequence
	})
	return o.told, err
}

// newCount allocates the counts of every position, initially 0.
func (s *session) newCount(q *sequence) {
	s.count = kept[uint32](q, &s.memory, s.query.n)
	s.noCount(q)
}

// noCount sets the counts of every position to 0.
func (s *session) noCount(q *sequence) {
	fill(q, s.count, 0)
	_ = q.sync() // err is that of the sequence
}

// know stores the numbers of neighbours of every position, which are the sum of all
// cards' counts. What this card has reported is on the card already.
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

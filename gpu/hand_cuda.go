//go:build cuda && linux

package gpu

import (
	"slices"
	"sort"

	"skyjoin/internal/cuda"
	"skyjoin/internal/fresh"
	"skyjoin/internal/par"
)

// take puts query rows in hand and counts their neighbours.
func (s *session) take(rows []uint32) error {
	scratch := &memory{stream: s.stream}
	defer scratch.release()
	s.whole = false
	if s.known {
		if err := s.follow(rows); err != nil {
			return err
		}
		return s.recall(scratch)
	}
	n := len(rows)
	var count cuda.Buffer[uint32]
	if err := into(&count, scratch, n); err != nil {
		return err
	}
	if n < s.plan.Len() {
		if err := s.follow(rows); err != nil {
			return err
		}
		if err := s.countEntries(s.stream, s.list, s.first, s.first+n, count); err != nil {
			return err
		}
		return s.tally(scratch, count)
	}
	// The card counts while the host makes room for the rows.
	err := s.countEntries(s.stream, cuda.Buffer[uint32]{}, 0, n, count)
	if err == nil {
		err = s.follow(rows)
	}
	if err != nil {
		return err
	}
	return s.tally(scratch, count)
}

// An arranger is a Work that hands out rows in parts, and would rather know in
// which order those that follow each other are near each other on the card:
// parts of that order are as good as the whole, others are not.
type arranger interface{ Arrange(rows []uint32) }

// ordered returns all query rows in the order of the index. They must not be
// changed.
func (s *session) ordered() ([]uint32, error) {
	if s.order != nil {
		return s.order, nil
	}
	rows := fresh.Make[uint32](par.Threads(0), s.query.n)
	if err := firstError(cuda.Download(s.stream, rows, s.query.id), s.stream.Sync()); err != nil {
		return nil, err
	}
	s.order, s.ahead = rows, 0
	return rows, nil
}

// takeWhole puts all query rows in hand, whose neighbours are known.
func (s *session) takeWhole() error {
	order, err := s.ordered()
	if err == nil {
		err = s.take(order)
	}
	s.whole = err == nil
	return err
}

// part returns where rows are in the order of the index, if they follow each
// other there.
func (s *session) part(rows []uint32) (span, bool) {
	for _, from := range []int{s.ahead, 0} {
		at := slices.Index(s.order[from:], rows[0]) + from
		if at >= from && at+len(rows) <= len(s.order) && slices.Equal(s.order[at:at+len(rows)], rows) {
			s.ahead = at + len(rows)
			return span{at, s.ahead}, true
		}
	}
	return span{}, false
}

// hand puts query rows in hand.
func (s *session) hand(rows []uint32) error {
	s.first = 0
	if len(rows) < s.plan.Len() {
		return s.locate(rows)
	}
	s.list = cuda.Buffer[uint32]{}
	var err error
	s.rows, err = s.ordered()
	return err
}

// follow puts query rows in hand, without looking for their positions if they
// follow each other in the order of the index behind others that did.
func (s *session) follow(rows []uint32) error {
	if n := len(rows); n > 0 && n < s.plan.Len() && s.order != nil {
		if at, ok := s.part(rows); ok {
			s.rows, s.list, s.first = rows, cuda.Buffer[uint32]{}, at.lo
			return nil
		}
		s.order = nil // they come in another order now
	}
	return s.hand(rows)
}

// tally takes over the counts of the entries in hand, and sums them.
func (s *session) tally(scratch *memory, count cuda.Buffer[uint32]) error {
	n := count.N
	if err := s.newOffsets(n + 1); err != nil {
		return err
	}
	sums, err := newSorter(scratch, n)
	if err != nil {
		return err
	}
	if err := sums.scan(s.stream, count, cuda.Buffer[uint32]{}, s.offsetD); err != nil {
		return err
	}
	return firstError(cuda.Download(s.stream, s.offset, s.offsetD), s.stream.Sync())
}

// locate finds the positions of rows, sorts them, and orders s.rows likewise.
func (s *session) locate(rows []uint32) error {
	st, n := s.stream, len(rows)
	if s.place.N == 0 {
		if err := into(&s.place, &s.memory, s.query.n); err != nil {
			return err
		}
		p := placesParams{ID: s.query.id.Ptr, Place: s.place.Ptr, N: uint32(s.query.n)}
		if err := launchEach(st, "places", s.query.n, &p); err != nil {
			return err
		}
	}
	scratch := &memory{stream: st}
	defer scratch.release()
	var given, order, order2 cuda.Buffer[uint32]
	var keys, keys2 cuda.Buffer[uint64]
	err := firstError(into(&given, scratch, n), into(&order, scratch, n), into(&order2, scratch, n),
		into(&keys, scratch, n), into(&keys2, scratch, n), into(&s.list, &s.memory, n))
	if err != nil {
		return err
	}
	sorter, err := newSorter(scratch, n)
	if err != nil {
		return err
	}
	if err := cuda.Upload(st, given, rows); err != nil {
		return err
	}
	lp := lookupParams{Place: s.place.Ptr, Rows: given.Ptr, Keys: keys.Ptr, N: uint32(n)}
	if err := launchEach(st, "lookup", n, &lp); err != nil {
		return err
	}
	sorted, from, err := sorter.sort(st, keys, keys2, order, order2, n, 32, true)
	if err != nil {
		return err
	}
	np := narrowParams{In: sorted.Ptr, Out: s.list.Ptr, N: uint32(n)}
	if err := launchEach(st, "narrow", n, &np); err != nil {
		return err
	}
	perm := make([]uint32, n)
	if err := firstError(cuda.Download(st, perm, from), st.Sync()); err != nil {
		return err
	}
	s.rows = make([]uint32, n)
	for i, k := range perm {
		s.rows[i] = rows[k]
	}
	return nil
}

// spans cuts entries into runs of at most room neighbours, or one entry that has
// more.
func (h *inHand) spans(all span, room uint64) []span {
	var spans []span
	for lo := all.lo; lo < all.hi; {
		// The first entry whose end is beyond the room.
		over := sort.Search(all.hi-lo-1, func(i int) bool { return h.offset[lo+i+2]-h.offset[lo] > room })
		hi := lo + 1 + over
		spans = append(spans, span{lo, hi})
		lo = hi
	}
	return spans
}

// length is the number of neighbours of entries.
func (h *inHand) length(sp span) int { return int(h.offset[sp.hi] - h.offset[sp.lo]) }

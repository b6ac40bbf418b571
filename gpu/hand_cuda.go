//go:build cuda && linux

package gpu

import (
	"slices"

	"skyjoin/internal/cuda"
	"skyjoin/internal/fresh"
	"skyjoin/internal/par"
)

// take makes query rows the current ones and counts their neighbours.
func (s *session) take(rows []uint32) error {
	q := begin(s.stream)
	defer q.end()
	s.whole = false
	n := len(rows)
	switch {
	case s.known:
		q.do(func() error { return s.follow(rows) })
		s.sumUp(q, s.recalled(q))
	case n < s.plan.Len():
		count := temp[uint32](q, n)
		q.do(func() error { return s.follow(rows) })
		s.countEntries(q, s.list, s.first, s.first+n, count)
		s.sumUp(q, count)
	default: // the card counts while the host allocates memory for the rows
		count := temp[uint32](q, n)
		s.countEntries(q, cuda.Buffer[uint32]{}, 0, n, count)
		q.do(func() error { return s.follow(rows) })
		s.sumUp(q, count)
	}
	return q.err
}

// recalled returns the counts of the current rows, from the known counts of all
// rows.
func (s *session) recalled(q *sequence) cuda.Buffer[uint32] {
	n := len(s.rows)
	if s.list.N == 0 {
		return slice(q, s.count, s.first, s.first+n)
	}
	wide, count := temp[uint64](q, n), temp[uint32](q, n)
	each(q, "lookup", n, &lookupParams{Place: s.count.Ptr, Rows: s.list.Ptr, Keys: wide.Ptr, N: uint32(n)})
	each(q, "narrow", n, &mapParams{In: wide.Ptr, Out: count.Ptr, N: uint32(n)})
	return count
}

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

// takeWhole makes all query rows current; their neighbours have been counted.
func (s *session) takeWhole() error {
	order, err := s.ordered()
	if err == nil {
		err = s.take(order)
	}
	s.whole = err == nil
	return err
}

// part returns where rows are in the order of the index, if they are consecutive
// there.
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

// hand makes query rows the current ones.
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

// follow makes query rows the current ones. It need not look up the positions of
// rows that are consecutive in the order of the index and follow earlier ones.
func (s *session) follow(rows []uint32) error {
	if n := len(rows); n > 0 && n < s.plan.Len() && s.order != nil {
		if at, ok := s.part(rows); ok {
			s.rows, s.list, s.first = rows, cuda.Buffer[uint32]{}, at.lo
			return nil
		}
		s.order = nil // the work now hands them out in another order
	}
	return s.hand(rows)
}

// locate finds the positions of rows, sorts them, and orders s.rows likewise.
func (s *session) locate(rows []uint32) error {
	q := begin(s.stream)
	defer q.end()
	n := len(rows)
	if s.place.N == 0 {
		s.place = kept[uint32](q, &s.memory, s.query.n)
		each(q, "places", s.query.n, &mapParams{In: s.query.id.Ptr, Out: s.place.Ptr, N: uint32(s.query.n)})
	}
	given, v, sorter := temp[uint32](q, n), newSortable(q, n), newSorter(q, n)
	s.list = kept[uint32](q, &s.memory, n)
	push(q, given, rows)
	each(q, "lookup", n, &lookupParams{Place: s.place.Ptr, Rows: given.Ptr, Keys: v.keys.Ptr, N: uint32(n)})
	sorter.sort(v, n, 32, true)
	each(q, "narrow", n, &mapParams{In: v.keys.Ptr, Out: s.list.Ptr, N: uint32(n)})
	from := make([]uint32, n)
	pull(q, from, v.values)
	if q.sync() != nil {
		return q.err
	}
	s.rows = make([]uint32, n)
	for i, k := range from {
		s.rows[i] = rows[k]
	}
	return nil
}

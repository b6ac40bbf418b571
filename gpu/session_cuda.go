//go:build cuda && linux

package gpu

import (
	"math"
	"slices"
	"sort"
	"time"

	"skyjoin/internal/cuda"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// A session is one plan on one device: its index, and the counts of the query
// rows in hand. All its methods run on its stream's thread.
type session struct {
	memory
	join
	plan  *neighbors.Plan
	used  *usage              // nil: nobody asks
	place cuda.Buffer[uint32] // position of each query row, once asked for
	order []uint32            // all query rows in the order of the index, once asked for
	ahead int                 // up to where of them rows have been in hand

	// The query rows in hand.
	rows    []uint32            // in the order of the entries
	list    cuda.Buffer[uint32] // their positions; zero when these follow each other
	first   int                 // the first position, then
	offset  []uint64            // neighbours of those before each, and of all
	kept    *[]uint64           // pinned memory for offset, that outlives the session; nil: none
	offsetD cuda.Buffer[uint64]
	numbers cuda.Buffer[uint32] // 0, 1, 2, … for data positions; of nearest neighbours
	count   cuda.Buffer[uint32] // neighbours of every position, in parts or, if known, all
	known   bool
	byRows  []uint32            // the same in the order of the rows, where they are the result
	whole   bool                // all rows are in hand, with counts that are known, and are given out in parts
	room    uint64              // neighbours of a batch, unless one row has more
	table   cuda.Buffer[uint32] // all lists, at offset; zero unless a half pattern made them
}

// newSession uploads the plan's points and builds the index.
func newSession(st *cuda.Stream, plan *neighbors.Plan, lay laying, used *usage) (*session, error) {
	s := &session{memory: memory{stream: st}, plan: plan, used: used}
	if err := s.index(lay); err != nil {
		s.release()
		return nil, tooLarge(st, plan, err)
	}
	return s, nil
}

// A laying chooses the cells for a plan whose coordinates, which are on the
// device, have the extents.
type laying func(m *memory, p *neighbors.Plan, e []extent, sides [][]cuda.Buffer[float64]) (layout, error)

// wide cells are as wide as the radius.
var wide = divided(1)

// values returns a function that copies a coordinate of all points.
func values(p *neighbors.Plan) func(dim int) []float64 {
	return func(dim int) []float64 {
		sides := []*neighbors.Space{p.QuerySpace()}
		if !p.Self() {
			sides = append(sides, p.DataSpace())
		}
		var v []float64
		for _, s := range sides {
			for i := range s.Len() {
				v = append(v, s.Columns[dim].At(i))
			}
		}
		return v
	}
}

func (s *session) index(lay laying) error {
	scratch := &memory{stream: s.stream}
	defer scratch.release()
	sides, e, err := s.upload(scratch)
	if err != nil {
		return err
	}
	s.t = s.plan.SquaredRadius()
	l, err := lay(scratch, s.plan, e, sides)
	if err != nil {
		return err
	}
	return s.join.build(&s.memory, l, sides)
}

// upload brings the coordinates of both sides to the device, one side in a
// self-join, and finds their extents.
func (s *session) upload(m *memory) ([][]cuda.Buffer[float64], []extent, error) {
	start := time.Now()
	query, err := spread(m, s.plan.QuerySpace())
	if err != nil {
		return nil, nil, err
	}
	sides := [][]cuda.Buffer[float64]{query}
	if !s.plan.Self() {
		data, err := spread(m, s.plan.DataSpace())
		if err != nil {
			return nil, nil, err
		}
		sides = append(sides, data)
	}
	if err := s.stream.Sync(); err != nil {
		return nil, nil, err
	}
	if s.used != nil {
		s.used.transfer.Add(int64(time.Since(start)))
	}
	if side := s.plan.QuerySpace().Side; side != nil {
		s.box = new(box)
		for j := range s.box {
			s.box[j] = math.Inf(1)
			if j < len(side) && side[j] > 0 {
				s.box[j] = side[j]
			}
		}
	}
	s.self = s.plan.Self()
	e, err := extents(m, sides...)
	return sides, e, err
}

// build makes the indexes of both sides, given the coordinates.
func (j *join) build(m *memory, l layout, sides [][]cuda.Buffer[float64]) error {
	b, err := newBuilder(m, l, j.t)
	if err != nil {
		return err
	}
	j.layout = l
	if j.query, err = b.build(m, sides[0], false); err != nil {
		return err
	}
	j.data = j.query
	if len(sides) > 1 || b.g.Wraps != 0 {
		j.data, err = b.build(m, sides[len(sides)-1], true)
	}
	return err
}

func hostColumns(s *neighbors.Space) []column {
	cols := make([]column, s.Dim())
	for j, c := range s.Columns {
		cols[j] = column{c.Float64, c.Float32}
	}
	return cols
}

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
	rows := make([]uint32, s.query.n)
	// New memory is slow: one thread takes longer to touch it than the card to
	// send that much.
	par.Chunks(par.Threads(0), len(rows), func(_, lo, hi int) { clear(rows[lo:hi]) })
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

// part returns where rows are among those in hand, if they follow each other
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

// newOffsets makes room for n offsets, here and on the device.
func (s *session) newOffsets(n int) error {
	if s.kept == nil {
		s.offset = make([]uint64, n)
	} else {
		if err := growPinned(s.stream, s.kept, n); err != nil {
			return err
		}
		s.offset = (*s.kept)[:n]
	}
	if err := cuda.Free(s.stream, s.offsetD); err != nil {
		return err
	}
	s.offsetD = cuda.Buffer[uint64]{}
	var err error
	s.offsetD, err = cuda.Alloc[uint64](s.stream, n)
	return err
}

// found is the number of neighbours of an entry in hand.
func (s *session) found(i int) uint32 { return uint32(s.offset[i+1] - s.offset[i]) }

// counts counts the neighbours of all query rows, by row, in pinned memory
// that it grows.
func (s *session) counts(pinned *[]uint32) ([]uint32, error) {
	scratch := &memory{stream: s.stream}
	defer scratch.release()
	var count cuda.Buffer[uint32]
	if err := into(&count, scratch, s.query.n); err != nil {
		return nil, err
	}
	if err := s.countEntries(s.stream, cuda.Buffer[uint32]{}, 0, s.query.n, count); err != nil {
		return nil, err
	}
	return s.byRow(count, pinned)
}

// byRow brings numbers of the query positions to the host in the order of rows.
func (s *session) byRow(number cuda.Buffer[uint32], pinned *[]uint32) ([]uint32, error) {
	scratch := &memory{stream: s.stream}
	defer scratch.release()
	n := s.query.n
	var sorted cuda.Buffer[uint32]
	if err := firstError(into(&sorted, scratch, n), growPinned(s.stream, pinned, n)); err != nil {
		return nil, err
	}
	p := byRowParams{In: number.Ptr, ID: s.query.id.Ptr, Out: sorted.Ptr, N: uint32(n)}
	out := (*pinned)[:n]
	return out, firstError(cuda.Launch(s.stream, "by_row", ceilDiv(n, 256), 256, 0, &p), cuda.Download(s.stream, out, sorted), s.stream.Sync())
}

// release frees everything on the device.
func (s *session) release() {
	_ = cuda.Free(s.stream, s.offsetD) // on a lost device it is gone already
	s.offsetD = cuda.Buffer[uint64]{}
	s.memory.release()
}

// locate finds the positions of rows, sorts them, and orders s.rows likewise.
func (s *session) locate(rows []uint32) error {
	st, n := s.stream, len(rows)
	if s.place.N == 0 {
		if err := into(&s.place, &s.memory, s.query.n); err != nil {
			return err
		}
		p := placesParams{ID: s.query.id.Ptr, Place: s.place.Ptr, N: uint32(s.query.n)}
		if err := cuda.Launch(st, "places", ceilDiv(s.query.n, 256), 256, 0, &p); err != nil {
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
	if err := cuda.Launch(st, "lookup", ceilDiv(n, 256), 256, 0, &lp); err != nil {
		return err
	}
	sorted, from, err := sorter.sort(st, keys, keys2, order, order2, n, 32, true)
	if err != nil {
		return err
	}
	np := narrowParams{In: sorted.Ptr, Out: s.list.Ptr, N: uint32(n)}
	if err := cuda.Launch(st, "narrow", ceilDiv(n, 256), 256, 0, &np); err != nil {
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

// spans cuts entries in hand into batches of at most room neighbours, or one
// entry that has more.
func (s *session) spans(all span, room uint64) []span {
	var spans []span
	for lo := all.lo; lo < all.hi; {
		// The first entry whose end is beyond the room.
		over := sort.Search(all.hi-lo-1, func(i int) bool { return s.offset[lo+i+2]-s.offset[lo] > room })
		hi := lo + 1 + over
		spans = append(spans, span{lo, hi})
		lo = hi
	}
	return spans
}

//go:build cuda && linux

package gpu

import (
	"math"
	"time"

	"skyjoin/internal/cuda"
	"skyjoin/internal/space"
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

	inHand
	spare   inHand              // for the next rows, while lists of those in hand are made
	kept    *[2][]uint64        // pinned memory for offsets, that outlives the session; nil: none
	numbers cuda.Buffer[uint32] // 0, 1, 2, … for data positions; of the published search
	count   cuda.Buffer[uint32] // neighbours of every position, in parts or, if known for lists, all
	known   bool
	byRows  [][]uint32          // if known as the result: those of every row, the sum of what cards have found
	whole   bool                // all rows are in hand, with counts that are known, and are given out in parts
	table   cuda.Buffer[uint32] // all lists, at offset; zero unless a half pattern made them
}

// Query rows in hand, in the order of their entries.
type inHand struct {
	rows    []uint32
	list    cuda.Buffer[uint32] // their positions; zero when these follow each other
	first   int                 // the first position, then
	offset  []uint64            // neighbours of those before each, and of all
	offsetD cuda.Buffer[uint64]
	number  int // of the places for its offsets
}

// another puts the rows in hand aside, where they stay until it is called again.
func (s *session) another() {
	s.inHand, s.spare = s.spare, s.inHand
	s.number = 1 - s.spare.number
}

// newSession uploads the plan's points and builds the index.
func newSession(st *cuda.Stream, plan *neighbors.Plan, lay laying, used *usage) (*session, error) {
	s := &session{memory: memory{stream: st}, plan: plan, used: used}
	if err := s.index(lay); err != nil {
		s.release()
		return nil, tooLarge(st, plan, gridBytes(plan), err)
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
	sides := []*space.Space{querySpace(p)}
	if !p.Self() {
		sides = append(sides, dataSpace(p))
	}
	return coordinate(sides...)
}

// coordinate returns a function that copies a coordinate of the points of all
// sides.
func coordinate(sides ...*space.Space) func(dim int) []float64 {
	return func(dim int) []float64 {
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
	query, err := spread(m, querySpace(s.plan))
	if err != nil {
		return nil, nil, err
	}
	sides := [][]cuda.Buffer[float64]{query}
	if !s.plan.Self() {
		data, err := spread(m, dataSpace(s.plan))
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
	if side := querySpace(s.plan).Side; side != nil {
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

func hostColumns(s *space.Space) []column {
	cols := make([]column, s.Dim())
	for j, c := range s.Columns {
		cols[j] = column{c.Float64, c.Float32}
	}
	return cols
}

// newOffsets makes room for n offsets, here and on the device.
func (s *session) newOffsets(n int) error {
	if s.kept == nil {
		s.offset = make([]uint64, n)
	} else {
		kept := &s.kept[s.number]
		if err := growPinned(s.stream, kept, n); err != nil {
			return err
		}
		s.offset = (*kept)[:n]
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
func (h *inHand) found(i int) uint32 { return uint32(h.offset[i+1] - h.offset[i]) }

// counts counts the neighbours of all query rows, by row, in pinned memory
// that it grows. aside is called while the card counts.
func (s *session) counts(pinned *[]uint32, aside func() error) ([]uint32, error) {
	scratch := &memory{stream: s.stream}
	defer scratch.release()
	var count cuda.Buffer[uint32]
	if err := into(&count, scratch, s.query.n); err != nil {
		return nil, err
	}
	if err := s.countEntries(s.stream, cuda.Buffer[uint32]{}, 0, s.query.n, count); err != nil {
		return nil, err
	}
	if err := aside(); err != nil {
		return nil, err
	}
	return s.rowsToHost(count, pinned)
}

// rowsToHost brings numbers of the query positions to the host in the order of
// rows, to pinned memory that it grows.
func (s *session) rowsToHost(number cuda.Buffer[uint32], pinned *[]uint32) ([]uint32, error) {
	scratch := &memory{stream: s.stream}
	defer scratch.release()
	sorted, err := s.byRow(scratch, number)
	if err == nil {
		err = growPinned(s.stream, pinned, sorted.N)
	}
	if err != nil {
		return nil, err
	}
	out := (*pinned)[:sorted.N]
	return out, firstError(cuda.Download(s.stream, out, sorted), s.stream.Sync())
}

// byRow puts numbers of the query positions in the order of rows. It does not
// wait for the card.
func (s *session) byRow(m *memory, number cuda.Buffer[uint32]) (sorted cuda.Buffer[uint32], err error) {
	if err = into(&sorted, m, s.query.n); err != nil {
		return sorted, err
	}
	p := byRowParams{In: number.Ptr, ID: s.query.id.Ptr, Out: sorted.Ptr, N: uint32(s.query.n)}
	return sorted, launchEach(s.stream, "by_row", s.query.n, &p)
}

// release frees everything on the device.
func (s *session) release() {
	for _, h := range []*inHand{&s.inHand, &s.spare} {
		_ = cuda.Free(s.stream, h.offsetD) // on a lost device it is gone already
		h.offsetD = cuda.Buffer[uint64]{}
	}
	s.memory.release()
}

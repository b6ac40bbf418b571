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

// A session is one plan on one device: its index, and the counts of the current
// query rows. All its methods run on its stream's thread.
type session struct {
	memory
	join
	plan  *neighbors.Plan
	used  *usage              // nil: not wanted
	place cuda.Buffer[uint32] // position of each query row, computed when first needed
	order []uint32            // all query rows in the order of the index, fetched when first needed
	ahead int                 // where in order the last current rows end

	inHand
	spare   inHand              // for the next rows, while lists of the current ones are made
	kept    *[2][]uint64        // pinned memory for offsets, which outlives the session; nil: none
	numbers cuda.Buffer[uint32] // of the search within a radius: 0, 1, 2, … for data positions, or those by row for a pattern
	count   cuda.Buffer[uint32] // neighbours of every position, in parts or, if known for lists, all
	known   bool
	byRows  [][]uint32 // if known as the result: those of every row, the sum of all cards' counts
	pattern *pattern   // the published kernel that counted the current rows; nil: ours did
	whole   bool       // all rows are current, with known counts, and are handed out in parts
}

// inHand is the current query rows, in the order of their entries.
type inHand struct {
	rows    []uint32
	list    cuda.Buffer[uint32] // their positions; zero if these are consecutive
	first   int                 // then the first position
	offset  []uint64            // number of neighbours before each entry, and of all
	offsetD cuda.Buffer[uint64] // the same on the device
	number  int                 // which of the two buffers has the offsets
}

// found returns the number of neighbours of an entry.
func (h *inHand) found(i int) uint32 { return uint32(h.offset[i+1] - h.offset[i]) }

// length returns the number of neighbours of a run of entries.
func (h *inHand) length(sp span) int { return int(h.offset[sp.hi] - h.offset[sp.lo]) }

// spans divides entries into runs of at most room neighbours, or of a single entry
// that has more.
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

// swap exchanges the current rows and the spare ones.
func (s *session) swap() {
	s.inHand, s.spare = s.spare, s.inHand
	s.number = 1 - s.spare.number
}

// newSession uploads the plan's points and builds the index.
func newSession(st *cuda.Stream, plan *neighbors.Plan, lay gridLayout, used *usage) (*session, error) {
	s := &session{memory: memory{stream: st}, plan: plan, used: used}
	if err := s.index(lay); err != nil {
		s.release()
		return nil, tooLarge(st, plan, gridBytes(plan), err)
	}
	return s, nil
}

func (s *session) index(lay gridLayout) error {
	q := begin(s.stream)
	defer q.end()
	sides, e := s.upload(q, &q.memory)
	if q.err != nil {
		return q.err
	}
	s.t = s.plan.SquaredRadius()
	l := lay(q, s.plan, e, sides)
	q.do(func() error { return s.join.build(&s.memory, l, sides) })
	return q.err
}

// upload copies the coordinates of both sides to the device, one side in a
// self-join, and finds their extents. m owns them.
func (s *session) upload(q *sequence, m *memory) ([][]cuda.Buffer[float64], []extent) {
	start := time.Now()
	var sides [][]cuda.Buffer[float64]
	for _, space := range spaces(s.plan) {
		sides = append(sides, spread(q, m, space))
	}
	if q.sync() != nil {
		return nil, nil
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
	return sides, extents(q, sides...)
}

// sumUp computes the offsets of the current entries from their counts.
func (s *session) sumUp(q *sequence, count cuda.Buffer[uint32]) {
	n := count.N
	if q.err != nil {
		return
	}
	if s.kept == nil {
		s.offset = make([]uint64, n+1)
	} else {
		kept := &s.kept[s.number]
		if growPinned(q, kept, n+1); q.err != nil {
			return
		}
		s.offset = (*kept)[:n+1]
	}
	q.do(func() error { return cuda.Free(q.stream, s.offsetD) })
	s.offsetD = cuda.Buffer[uint64]{}
	q.do(func() (err error) { s.offsetD, err = cuda.Alloc[uint64](q.stream, n+1); return err })
	newSorter(q, n).scan(count, cuda.Buffer[uint32]{}, s.offsetD)
	pull(q, s.offset, s.offsetD)
	_ = q.sync() // err is that of the sequence
}

// counts counts the neighbours of all query rows, by row, in pinned memory that it
// enlarges. aside is called while the card counts.
func (s *session) counts(pinned *[]uint32, aside func() error) ([]uint32, error) {
	q := begin(s.stream)
	defer q.end()
	count := temp[uint32](q, s.query.n)
	s.countEntries(q, cuda.Buffer[uint32]{}, 0, s.query.n, count)
	q.do(aside)
	return s.rowsToHost(q, count, pinned)
}

// rowsToHost copies numbers of the query positions to the host in the order of rows,
// to pinned memory that it enlarges.
func (s *session) rowsToHost(q *sequence, number cuda.Buffer[uint32], pinned *[]uint32) ([]uint32, error) {
	sorted := s.byRow(q, number)
	if growPinned(q, pinned, sorted.N); q.err != nil {
		return nil, q.err
	}
	out := (*pinned)[:sorted.N]
	pull(q, out, sorted)
	return out, q.sync()
}

// byRow puts numbers of the query positions into the order of rows. It does not wait
// for the card.
func (s *session) byRow(q *sequence, number cuda.Buffer[uint32]) cuda.Buffer[uint32] {
	sorted := temp[uint32](q, s.query.n)
	each(q, "by_row", s.query.n, &byRowParams{In: number.Ptr, ID: s.query.id.Ptr, Out: sorted.Ptr, N: uint32(s.query.n)})
	return sorted
}

// measure adds the distances to a batch, if the plan asks for them.
func (s *session) measure(b *neighbors.Batch) {
	if !s.plan.Within().Distance {
		return
	}
	b.Dist = slices.Grow(b.Dist[:0], len(b.Index))[:len(b.Index)]
	s.distances(b)
}

// distances writes the distances of a batch; +Inf for missing neighbours.
func (s *session) distances(b *neighbors.Batch) {
	par.Chunks(min(par.Threads(0), 1+len(b.Index)/4096), len(b.Rows), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			dist := b.Dists(i)
			for k, q := range b.List(i) {
				if dist[k] = math.Inf(1); q != neighbors.None {
					dist[k] = s.plan.Distance(b.Rows[i], q)
				}
			}
		}
	})
}

// release frees everything on the device.
func (s *session) release() {
	for _, h := range []*inHand{&s.inHand, &s.spare} {
		_ = cuda.Free(s.stream, h.offsetD) // on a lost device it is gone already
		h.offsetD = cuda.Buffer[uint64]{}
	}
	if s.pattern != nil {
		s.pattern.release()
		s.pattern = nil
	}
	s.memory.release()
}

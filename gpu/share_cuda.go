//go:build cuda && linux

package gpu

import "sync"

// A kernel lists many neighbours at once, which leave the card in batches: a kernel
// over few rows keeps little of the card busy, and takes as long as its slowest row,
// while pinned memory only has to be large enough for copies at full speed, even
// when threads that compute on every core delay the lane's thread.
//
// Measured on an H200 with 16 cores and 3 streams. All lists of Expo4D2M, radius
// .01, with kernels of 8M, 16M, 64M, 256M neighbours: 4.3, 2.8, 1.7, 1.8 s. Copies
// in batches of 2, 4, 8 MB, two of a stream under way: 51, 53, 54 GB/s, and beside
// 16 threads that write lists 20–35, 29–46, 47–52; of 32 MB, one under way, 55 and
// 52.
const (
	listRoom  = 64 << 20 // neighbours that a kernel lists, at most: 256 MB on the card, per stream
	listRows  = 32 << 10 // rows that keep a card busy …
	shortRoom = 8 << 20  // … or rows with that many neighbours, which are worth a kernel
	listShare = 16       // all streams together take a sixteenth of the card's free memory
	smallRoom = 1 << 16
	batchRoom = 2 << 20 // neighbours of a batch: 8 MB pinned
)

// A share is a run of entries whose lists are made by one kernel.
type share struct {
	span
	*inHand
	batch  uint64 // neighbours of a batch, unless a single row has more
	room   uint64 // neighbours that similar shares have at most
	inWork *sync.WaitGroup
}

func (p share) split() (share, share) {
	low, high := p, p
	low.span, high.span = p.span.split()
	p.inWork.Add(1)
	return low, high
}

func (p share) end() { p.inWork.Done() }

// shares divides the current entries into what kernels list at once, several for
// every stream if they fill batches.
func (j *Joiner) shares(s *session, part span, most uint64, inWork *sync.WaitGroup) []share {
	h := s.inHand
	room := j.room(s, most)
	batch := min(j.batch(min(batchRoom, room)), max(h.offset[len(h.rows)], 1))
	room = max(room, batch)
	size := min(room, max(uint64(h.length(part))/uint64(4*len(j.lanes)), batch))
	var shares []share
	for _, sp := range h.spans(part, size) {
		shares = append(shares, share{sp, &h, batch, room, inWork})
	}
	inWork.Add(len(shares))
	return shares
}

// most returns how many neighbours kernels may list at once. No stream may be at
// work.
func (j *Joiner) most() uint64 {
	lanes := uint64(len(j.lanes))
	most := uint64(listRoom)
	held := uint64(0) // by the streams; it is not free
	for _, l := range j.lanes {
		held += uint64(l.out.N)
	}
	if held < most*lanes {
		if free, _, err := j.ctx.Free(); err == nil {
			most = min(most, max((uint64(free)/4+held)/listShare/lanes, smallRoom))
		}
	}
	return j.capped(most, int(lanes))
}

// room returns how many neighbours a kernel lists at once, such that every stream
// gets several shares that are worth a kernel, and the first of them are ready soon.
func (j *Joiner) room(s *session, most uint64) uint64 {
	rows := uint64(len(s.rows))
	total := s.offset[rows]
	busy := max(total/max(rows, 1)*listRows, shortRoom)
	return min(max(total/uint64(4*len(j.lanes)), smallRoom), busy, most)
}

// batch returns how many neighbours a batch has room for, unless a single row has
// more: as configured, otherwise most.
func (j *Joiner) batch(most uint64) uint64 {
	if j.cfg.Batch > 0 {
		most = uint64(j.cfg.Batch)
	}
	return j.capped(most, underWay*len(j.lanes))
}

// capped limits a number of neighbours, of 4 bytes each, to what so many buffers may
// have within the limit on memory.
func (j *Joiner) capped(most uint64, buffers int) uint64 {
	if j.cfg.Memory > 0 {
		most = min(most, uint64(j.cfg.Memory)/uint64(4*buffers))
	}
	return max(most, 1)
}

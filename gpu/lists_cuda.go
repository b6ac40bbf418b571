//go:build cuda && linux

package gpu

import (
	"context"
	"math"
	"sync"

	"skyjoin/neighbors"
)

// Kernels list many neighbours at once, which leave the card in batches: a
// kernel over few rows keeps little of the card busy, for as long as its slowest
// row takes, while pinned memory need only be large enough for copies at full
// speed, also when threads that compute on every core let the stream's thread wait.
//
// Measured on an H200 with 16 cores and 3 streams. All lists of Expo4D2M, radius
// .01, by kernels of 8M, 16M, 64M, 256M neighbours: 4.3, 2.8, 1.7, 1.8 s. Copies in
// batches of 2, 4, 8 MB, two of a stream under way: 51, 53, 54 GB/s, and beside 16
// threads that write lists 20–35, 29–46, 47–52; of 32 MB, one under way, 55 and 52.
const (
	listRoom  = 64 << 20 // neighbours that a kernel lists at most: 256 MB on the card, per stream
	listRows  = 32 << 10 // rows that keep a card busy …
	shortRoom = 8 << 20  // … if they have as many neighbours, which are worth a kernel of its own
	listShare = 16       // of the free memory of the card all streams take one part
	smallRoom = 1 << 16
	batchRoom = 2 << 20 // neighbours of a batch: 8 MB pinned
	underWay  = 2       // batches of a stream that are on their way, or at the consumer
)

// lists delivers the lists of the rows in hand, or of a part of them where all
// are. Then it goes on with the rows that come next, so that no stream waits for
// the others at the end of each, until those come that it cannot go on with: they
// are returned. Rows not delivered go back.
func (j *Joiner) lists(ctx context.Context, s *session, part span, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) (next []uint32, err error) {
	var inWork [2]sync.WaitGroup // shares of the rows in hand, and of those before
	most := j.most()
	shares := func(part span) []share { return j.shares(s, part, most, &inWork[s.number]) }
	more := func() []share {
		rows := work.Take(math.MaxInt, 0)
		if rows == nil {
			return nil
		}
		if sp, ok := s.again(rows); ok {
			return shares(sp)
		}
		if s.stream != nil && j.cfg.Pattern == PatternDefault && !s.whole {
			// While the streams are busy with what they have, but for what was in hand
			// before that.
			inWork[1-s.number].Wait()
			err := j.prepare.Do(func() error { s.another(); return s.take(rows) })
			if err == nil {
				return shares(span{0, len(s.rows)})
			}
		}
		next = rows // which the caller begins anew with, when the streams are idle
		return nil
	}
	left, err := drain(ctx, j.lanes, shares(part), more, func(worker int, l *lane, p *share) (bool, error) {
		return true, l.deliver(s, p, func(b *neighbors.Batch) error { return visit(worker, b) })
	})
	for _, p := range left {
		work.Put(p.rows[p.lo:p.hi:p.hi])
	}
	return next, err
}

// again returns where rows are among those in hand, if all are in hand.
func (s *session) again(rows []uint32) (span, bool) {
	if !s.whole {
		return span{}, false
	}
	return s.part(rows)
}

// A share is a run of entries whose lists one kernel makes.
type share struct {
	span
	*inHand
	batch  uint64 // neighbours of a batch, unless one row has more
	room   uint64 // neighbours that others like it have at most
	inWork *sync.WaitGroup
}

func (p share) split() (share, share) {
	low, high := p, p
	low.span, high.span = p.span.split()
	p.inWork.Add(1)
	return low, high
}

func (p share) end() { p.inWork.Done() }

// shares cuts entries in hand into what kernels list at once, several for every
// stream if they fill batches.
func (j *Joiner) shares(s *session, part span, most uint64, inWork *sync.WaitGroup) []share {
	h := s.inHand
	room := j.room(s, most)
	batch := min(j.batch(min(batchRoom, room)), max(h.offset[len(h.rows)], 1))
	room = max(room, batch)
	if s.table.N > 0 && j.cfg.Batch > 0 {
		room = batch // the lists are there; one buffer a stream, as published
	}
	size := min(room, max(uint64(h.length(part))/uint64(4*len(j.lanes)), batch))
	var shares []share
	for _, sp := range h.spans(part, size) {
		shares = append(shares, share{sp, &h, batch, room, inWork})
	}
	inWork.Add(len(shares))
	return shares
}

// most is the number of neighbours that kernels may list at once. No stream may
// be at work.
func (j *Joiner) most() uint64 {
	lanes := uint64(len(j.lanes))
	most := uint64(listRoom)
	held := uint64(0) // by the streams, which is not free
	for _, l := range j.lanes {
		held += uint64(l.out.N)
	}
	if held < most*lanes {
		if free, _, err := j.ctx.Free(); err == nil {
			most = min(most, max((uint64(free)/4+held)/listShare/lanes, smallRoom))
		}
	}
	if j.cfg.Memory > 0 { // 4 bytes a neighbour
		most = min(most, uint64(j.cfg.Memory)/(4*lanes))
	}
	return max(most, 1)
}

// room is the number of neighbours that a kernel lists at once, so that every
// stream gets several such shares where they are worth a kernel, and the first of
// them come soon.
func (j *Joiner) room(s *session, most uint64) uint64 {
	rows := uint64(len(s.rows))
	total := s.offset[rows]
	busy := max(total/max(rows, 1)*listRows, shortRoom)
	return min(max(total/uint64(4*len(j.lanes)), smallRoom), busy, most)
}

// batch is the number of neighbours that a batch has room for, unless one row
// has more: as configured, else most.
func (j *Joiner) batch(most uint64) uint64 {
	if j.cfg.Batch > 0 {
		most = uint64(j.cfg.Batch)
	}
	if j.cfg.Memory > 0 { // 4 bytes a neighbour
		most = min(most, uint64(j.cfg.Memory)/uint64(4*underWay*len(j.lanes)))
	}
	return max(most, 1)
}

//go:build cuda && linux

package gpu

import (
	"fmt"

	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

const (
	nearestRoom  = 4 << 20 // neighbours of a batch: little to pin, enough to keep a card busy
	nearestBytes = 4 + 8   // on the card and pinned, for each neighbour returned

	fewNearest     = 32 // neighbours that the lanes of a warp hold in registers
	nearestThreads = 128
	nearestShared  = 48 << 10 // of a block; every card has that much
)

// nearestRoom returns the number of neighbours of a batch, given the total: small
// enough that every lane gets several batches, and that lanes have memory for them.
func (j *Joiner) nearestRoom(total int) int {
	if j.cfg.Batch > 0 {
		return j.cfg.Batch
	}
	lanes := len(j.lanes)
	room := min(max(total/(4*lanes), smallRoom), nearestRoom)
	if j.cfg.Memory > 0 {
		room = min(room, int(j.cfg.Memory/int64(nearestBytes*lanes)))
	}
	return max(min(room, j.spare(nearestBytes)), 1)
}

// spare returns for how many neighbours every lane has memory for batches: what the
// lanes hold already, or half of what is free, at so many bytes each.
func (j *Joiner) spare(bytes int64) int {
	held := j.lanes[0].distOut.N
	for _, l := range j.lanes {
		held = min(held, l.distOut.N)
	}
	free, _, err := j.ctx.Free()
	if err != nil {
		return nearestRoom
	}
	return max(held, int(free/2/bytes/int64(len(j.lanes))), 1)
}

// nearest copies the K nearest of a span to the host. Memory is allocated for room
// neighbours, so that it serves other spans too.
func (l *lane) nearest(s *session, t *tree, sp span, room int) error {
	m := (sp.hi - sp.lo) * s.plan.Nearest().K
	return l.sequence(func(q *sequence) {
		l.makeRoom(q, l.room(m, room))
		s.launchNearest(q, t, sp, l.rowOut, l.distOut)
		l.watch.transfer(q, func() {
			q.do(func() error { return cuda.Download(l.st, l.pinned[:m], l.rowOut) })
			if !s.plan.IsAngle() {
				q.do(func() error { return cuda.Download(l.st, l.pinnedDist[:m], l.distOut) })
			}
		})
	})
}

// makeRoom allocates memory for n neighbours that are returned.
func (l *lane) makeRoom(q *sequence, n int) {
	grow(q, &l.rowOut, n)
	grow(q, &l.distOut, n)
	growPinned(q, &l.pinned, n)
	growPinned(q, &l.pinnedDist, n)
}

// launchNearest runs the search for a span of the current rows.
func (s *session) launchNearest(q *sequence, t *tree, sp span, rows cuda.Buffer[uint32], dist cuda.Buffer[float64]) {
	k := s.plan.Nearest().K
	p := nearestParams{Tree: t.params(), X: s.query.x.Ptr, List: s.list.Ptr, RowOut: rows.Ptr, DistOut: dist.Ptr, Self: number(s.self),
		Stride: uint32(s.query.stride), Lo: uint32(s.first + sp.lo), Hi: uint32(s.first + sp.hi), K: uint32(k), Blocks: uint32(ceilDiv(k, 32))}
	list, wrapped := "few", ""
	if k > fewNearest {
		list = "many"
	}
	if s.box != nil {
		p.Box = *s.box
		wrapped = "_wrapped"
	}
	each := nearestMemory(len(t.count), k)
	warps := min(nearestThreads/32, nearestShared/max(each, 1))
	launch(q, fmt.Sprintf("nearest_%s%s_%d", list, wrapped, s.query.dim), ceilDiv(sp.hi-sp.lo, warps), 32*warps, warps*each, &p)
}

// nearestMemory returns the shared memory of a warp: the bounds of the nodes of
// every level except the first, and the neighbours that do not fit the lanes, with
// 64 waiting ones.
func nearestMemory(levels, k int) int {
	bytes := (levels - 1) * 32 * 8
	if k > fewNearest {
		bytes += (ceilDiv(k, 32) + 2) * 32 * (8 + 4)
	}
	return bytes
}

// ranked returns the batch of a span that the lane has copied to the host.
func (l *lane) ranked(s *session, sp span) *neighbors.Batch {
	k := s.plan.Nearest().K
	b := &l.near
	b.Rows, b.Offset = s.rows[sp.lo:sp.hi:sp.hi], append(b.Offset[:0], 0)
	for i := range b.Rows {
		b.Offset = append(b.Offset, int64((i+1)*k))
	}
	n := len(b.Rows) * k
	b.Index, b.Dist = l.pinned[:n:n], l.pinnedDist[:n:n]
	s.angles(b)
	return b
}

// angles writes the distances of a batch on the sky, which are not the square roots
// of d².
func (s *session) angles(b *neighbors.Batch) {
	if s.plan.IsAngle() {
		s.distances(b)
	}
}

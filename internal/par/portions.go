package par

import (
	"sync/atomic"
)

// Portions hands out [0, n) to workers in portions. Every worker begins with
// the chunk of [Chunks] that is its own, whose memory its core has at hand and
// which others do not write to, and then helps those that are behind. It may be
// used by all workers at the same time.
type Portions struct {
	size  int
	chunk []cursor
}

// A cursor has a cache line of its own.
type cursor struct {
	next atomic.Int64
	end  int64
	_    [48]byte
}

// NewPortions returns the portions of [0, n), of size each but for the last ones
// of chunks.
func NewPortions(workers, n, size int) *Portions {
	p := &Portions{size: size, chunk: make([]cursor, max(workers, 1))}
	for w := range p.chunk {
		c := &p.chunk[w]
		c.next.Store(int64(Bound(w, len(p.chunk), n)))
		c.end = int64(Bound(w+1, len(p.chunk), n))
	}
	return p
}

// Next returns a portion for a worker; ok is false when none is left.
func (p *Portions) Next(worker int) (lo, hi int, ok bool) {
	for i := range p.chunk {
		c := &p.chunk[(worker+i)%len(p.chunk)]
		if c.next.Load() >= c.end {
			continue
		}
		if lo := c.next.Add(int64(p.size)) - int64(p.size); lo < c.end {
			return int(lo), int(min(lo+int64(p.size), c.end)), true
		}
	}
	return 0, 0, false
}

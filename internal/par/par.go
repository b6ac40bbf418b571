// Package par runs loops on several goroutines.
package par

import (
	"runtime"
	"sync/atomic"
)

// Threads returns n, or GOMAXPROCS if n is not positive.
func Threads(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// Chunks divides [0, n) into as many chunks of nearly equal length as there
// are threads and calls f once for each, at the same time. It returns when all
// calls have. Chunks of the same n and threads are always the same.
func Chunks(threads, n int, f func(chunk, lo, hi int)) {
	if threads <= 1 || n < 2 {
		f(0, 0, n)
		for c := 1; c < threads; c++ {
			f(c, n, n)
		}
		return
	}
	var wg Group
	for c := range threads {
		lo, hi := Bound(c, threads, n), Bound(c+1, threads, n)
		wg.Go(func() { f(c, lo, hi) })
	}
	wg.Wait()
}

// Bound returns where chunk c of [0, n) begins when there are chunks of them.
func Bound(c, chunks, n int) int {
	return int(uint64(c) * uint64(n) / uint64(chunks))
}

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

//go:build cuda && linux

package gpu

import (
	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// underWay is how many batches of a lane are being copied to the host or are at the
// consumer.
const underWay = 2

// A lane is a stream with a device buffer that lists are written to, and a pinned
// one that they are copied to, which has as many parts as batches are under way.
type lane struct {
	st     *cuda.Stream
	out    cuda.Buffer[uint32]
	pinned []uint32
	batch  neighbors.Batch
	watch  stopwatch
	short  bool                // memory has run out in this run
	slots  [underWay]stopwatch // of parts of pinned

	// For nearest neighbours.
	d2         cuda.Buffer[float64]
	rowOut     cuda.Buffer[uint32]
	distOut    cuda.Buffer[float64]
	pinnedDist []float64
	near       neighbors.Batch // of pinned memory, which batch is not always

	// For the published kernels.
	pairs  cuda.Buffer[uint64]
	total  cuda.Buffer[uint64]
	next   cuda.Buffer[uint32]
	cursor cuda.Buffer[uint32]
	offset cuda.Buffer[uint64]
}

// sequence runs operations on the lane's thread.
func (l *lane) sequence(f func(q *sequence)) error { return sequenceOn(l.st, f) }

// room returns for how many elements to allocate memory if n are needed: for as many
// as similar requests may need at most, unless memory is short.
func (l *lane) room(n, most int) int {
	if l.short {
		return n
	}
	return max(n, most)
}

// shed frees the memory of the lane, on the card and pinned. It must run on the
// lane's thread. A lost device has freed it already.
func (l *lane) shed() {
	_ = firstError(l.st.Sync(), cuda.Free(l.st, l.out), cuda.Free(l.st, l.pairs), cuda.Free(l.st, l.total), cuda.Free(l.st, l.next),
		cuda.Free(l.st, l.cursor), cuda.Free(l.st, l.offset), cuda.Unpin(l.st, l.pinned),
		cuda.Free(l.st, l.d2), cuda.Free(l.st, l.rowOut), cuda.Free(l.st, l.distOut), cuda.Unpin(l.st, l.pinnedDist))
	*l = lane{st: l.st, batch: l.batch, watch: l.watch, slots: l.slots, near: neighbors.Batch{Rows: l.near.Rows[:0]}}
}

func (l *lane) close() {
	_ = l.st.Do(func() error {
		l.shed()
		l.watch.destroy()
		for i := range l.slots {
			l.slots[i].destroy()
		}
		return nil
	})
	l.st.Close()
}

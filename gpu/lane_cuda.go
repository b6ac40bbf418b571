//go:build cuda && linux

package gpu

import (
	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// A lane is a stream with a device buffer that lists are written to and a
// pinned one that they are copied to, in as many parts as are under way.
type lane struct {
	st     *cuda.Stream
	out    cuda.Buffer[uint32]
	pinned []uint32
	batch  neighbors.Batch
	watch  stopwatch
	short  bool                // memory has run out in this run
	slots  [underWay]stopwatch // of parts of pinned

	// Of nearest neighbours.
	d2         cuda.Buffer[float64]
	rowOut     cuda.Buffer[uint32]
	distOut    cuda.Buffer[float64]
	pinnedDist []float64
	near       neighbors.Batch // of pinned memory, which batch is not always

	pinnedPairs []uint64 // of pairs that are listed

	// Of the published kernels.
	pairs  cuda.Buffer[uint64]
	total  cuda.Buffer[uint64]
	next   cuda.Buffer[uint32]
	cursor cuda.Buffer[uint32]
	offset cuda.Buffer[uint64]
}

// room is how many elements to have memory for where n are needed: as many as
// others like them will need at most, unless memory is short.
func (l *lane) room(n, most int) int {
	if l.short {
		return n
	}
	return max(n, most)
}

// reserve makes room for n neighbours. It must run on the lane's thread.
func (l *lane) reserve(n int) error {
	if err := grow(l.st, &l.out, n); err != nil {
		return err
	}
	return growPinned(l.st, &l.pinned, n)
}

// growPinned makes room for n elements in pinned memory, whose contents are
// lost.
func growPinned[T any](st *cuda.Stream, v *[]T, n int) error {
	if len(*v) >= n {
		return nil
	}
	if err := cuda.Unpin(st, *v); err != nil {
		return err
	}
	*v = nil
	var err error
	*v, err = cuda.Pinned[T](st, n)
	return err
}

// grow makes room for n elements in a buffer, whose contents are lost.
func grow[T any](st *cuda.Stream, b *cuda.Buffer[T], n int) error {
	if b.N >= n && b.Ptr != 0 {
		return nil
	}
	if err := cuda.Free(st, *b); err != nil {
		return err
	}
	*b = cuda.Buffer[T]{}
	var err error
	*b, err = cuda.Alloc[T](st, n)
	return err
}

// shed frees the memory of the lane, on the card and pinned. It must run on
// the lane's thread. On a lost device the memory is gone already.
func (l *lane) shed() {
	_ = firstError(l.st.Sync(), cuda.Free(l.st, l.out), cuda.Free(l.st, l.pairs), cuda.Free(l.st, l.total), cuda.Free(l.st, l.next),
		cuda.Free(l.st, l.cursor), cuda.Free(l.st, l.offset), cuda.Unpin(l.st, l.pinned),
		cuda.Free(l.st, l.d2), cuda.Free(l.st, l.rowOut), cuda.Free(l.st, l.distOut), cuda.Unpin(l.st, l.pinnedDist), cuda.Unpin(l.st, l.pinnedPairs))
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

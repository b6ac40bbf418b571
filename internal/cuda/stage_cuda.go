//go:build cuda && linux

package cuda

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"skyjoin/internal/par"
)

const (
	stageBytes  = 1 << 20
	stageDesks  = 12      // as many as it takes to keep the link to a GPU busy
	leastDesk   = 1 << 20 // bytes that are worth another desk
	leastStaged = 8 << 20
)

// A stage is pinned memory through which large arrays of the host go to a GPU.
// Threads, each at a desk of its own, copy chunks there, from where the GPU
// fetches them. The driver does the same for memory that is not pinned, with one
// thread, at an eighth of the speed.
type stage struct {
	mu    sync.Mutex // one array at a time
	desks []*desk
}

// A desk has two slots: one is filled while the other is fetched. They stay in
// use when an array is through, so that the next follows it without a pause.
type desk struct {
	pinned  []byte
	fetched [2]*Event
	busy    [2]bool // until fetched
	turn    int
}

// atMost returns at most n desks, fewer if there is too little memory to pin.
func (g *stage) atMost(n int, s *Stream) []*desk {
	for len(g.desks) < n {
		d := &desk{}
		var err error
		d.pinned, err = Pinned[byte](s, 2*stageBytes)
		for i := range d.fetched {
			if err == nil {
				d.fetched[i], err = s.NewEvent()
			}
		}
		if err != nil {
			d.close()
			return g.desks
		}
		g.desks = append(g.desks, d)
	}
	return g.desks[:n]
}

// close frees the memory. The context must be current.
func (g *stage) close() {
	for _, d := range g.desks {
		d.close()
	}
	g.desks = nil
}

func (d *desk) close() {
	_ = unpin(unsafe.Pointer(unsafe.SliceData(d.pinned))) // on a lost device it is gone already
	for _, e := range d.fetched {
		if e != nil {
			e.Destroy()
		}
	}
}

// send copies src to the device.
func (g *stage) send(s *Stream, dst Buffer[byte], src []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	desks := g.atMost(min(len(src)/leastDesk, stageDesks, par.Threads(0)), s)
	if len(desks) == 0 {
		return Upload(s, dst, src)
	}
	var next atomic.Int64
	errs := make([]error, len(desks))
	var done sync.WaitGroup
	for i, d := range desks {
		done.Go(func() { errs[i] = d.send(s, dst, src, &next) })
	}
	done.Wait()
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}

// send copies the chunks of src from next on that no other desk takes.
func (d *desk) send(s *Stream, dst Buffer[byte], src []byte, next *atomic.Int64) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := s.ctx.current(); err != nil {
		return err
	}
	for {
		lo := int(next.Add(stageBytes)) - stageBytes
		if lo >= len(src) {
			return nil
		}
		hi, k := min(lo+stageBytes, len(src)), d.turn%2
		d.turn++
		if d.busy[k] {
			if err := d.fetched[k].Sync(); err != nil {
				return err
			}
			d.busy[k] = false
		}
		slot := d.pinned[k*stageBytes:][:hi-lo]
		copy(slot, src[lo:hi])
		if err := Upload(s, dst.Slice(lo, hi), slot); err != nil {
			return err
		}
		if err := s.Record(d.fetched[k]); err != nil {
			return err
		}
		d.busy[k] = true
	}
}

// Send copies src, which is not pinned, to the front of dst, in stream order.
// Large arrays go at the full speed of the link, as far as the threads of the
// host are there to read them. src may be changed when it returns.
func Send[T any](s *Stream, dst Buffer[T], src []T) error {
	var t T
	size := int(unsafe.Sizeof(t))
	if len(src)*size < leastStaged {
		return Upload(s, dst, src)
	}
	if len(src) > dst.N {
		panic("cuda: upload beyond the buffer")
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(src))), len(src)*size)
	return s.ctx.stage.send(s, Buffer[byte]{Ptr: dst.Ptr, N: len(bytes)}, bytes)
}

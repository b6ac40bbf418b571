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
	stageDesks  = 12 // as many as it takes to keep the link to a GPU busy
	leastStaged = 8 << 20
)

// A stage is pinned memory through which large arrays of the host go to a GPU.
// Threads, each at a desk of its own, copy them there, part by part, from where the GPU
// fetches them. The driver does the same for memory that is not pinned, with one
// thread, at an eighth of the speed.
type stage struct {
	mu    sync.Mutex // one array at a time
	desks []*desk
}

// stages are those of contexts in use, by context.
var stages sync.Map

// stageOf returns the stage of a context, which lasts as long.
func stageOf(c *Context) *stage {
	g, there := stages.LoadOrStore(c, &stage{})
	if !there {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.closing = append(c.closing, func() {
			stages.Delete(c)
			g.(*stage).close()
		})
	}
	return g.(*stage)
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

// A transfer is what a slot takes at a time.
type transfer struct {
	dst Buffer[byte]
	src []byte
}

// send copies all transfers to the device.
func (g *stage) send(s *Stream, transfers []transfer) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	desks := g.atMost(min(len(transfers), stageDesks, par.Threads(0)), s)
	if len(desks) == 0 {
		for _, c := range transfers {
			if err := Upload(s, c.dst, c.src); err != nil {
				return err
			}
		}
		return nil
	}
	var next atomic.Int64
	errs := make([]error, len(desks))
	var done par.Group
	for i, d := range desks {
		done.Go(func() { errs[i] = d.send(s, transfers, &next) })
	}
	done.Wait()
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}

// send copies the transfers from next on that no other desk takes.
func (d *desk) send(s *Stream, transfers []transfer, next *atomic.Int64) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := s.ctx.current(); err != nil {
		return err
	}
	for {
		i := int(next.Add(1)) - 1
		if i >= len(transfers) {
			return nil
		}
		c, k := transfers[i], d.turn%2
		d.turn++
		if d.busy[k] {
			if err := d.fetched[k].Sync(); err != nil {
				return err
			}
			d.busy[k] = false
		}
		slot := d.pinned[k*stageBytes:][:len(c.src)]
		copy(slot, c.src)
		if err := Upload(s, c.dst, slot); err != nil {
			return err
		}
		if err := s.Record(d.fetched[k]); err != nil {
			return err
		}
		d.busy[k] = true
	}
}

// SendAll copies arrays, which are not pinned, to the fronts of buffers, in stream
// order: together they go faster than one after the other. Large ones go at the
// full speed of the link, as far as the threads of the host are free to read them.
// They may be changed when it returns.
func SendAll[T any](s *Stream, dst []Buffer[T], src [][]T) error {
	var t T
	size, total := int(unsafe.Sizeof(t)), 0
	for _, v := range src {
		total += len(v) * size
	}
	var transfers []transfer
	for i, v := range src {
		if len(v) > dst[i].N {
			panic("cuda: upload beyond the buffer")
		}
		if total < leastStaged {
			if err := Upload(s, dst[i], v); err != nil {
				return err
			}
			continue
		}
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*size)
		to := Buffer[byte]{Ptr: dst[i].Ptr, N: len(bytes)}
		for lo := 0; lo < len(bytes); lo += stageBytes {
			hi := min(lo+stageBytes, len(bytes))
			transfers = append(transfers, transfer{to.Slice(lo, hi), bytes[lo:hi]})
		}
	}
	if len(transfers) == 0 {
		return nil
	}
	return stageOf(s.ctx).send(s, transfers)
}

package table

import (
	"io"
	"os"
	"sync/atomic"
)

// A behind is a buffered writer whose buffers are written by a goroutine of its
// own: the system takes as long to take a table as several threads to make it. An
// error comes with a later call than the one whose bytes it is about, at the
// latest with flush. It must be closed.
type behind struct {
	to   io.Writer
	buf  []byte      // being filled
	full chan []byte // to be written
	free chan []byte // to be filled; of buffers not yet needed nil
	err  atomic.Pointer[error]
	over bool // after close
}

// behindBuffers is how many buffers there are.
const behindBuffers = 4

func newBehind(to io.Writer, size int) *behind {
	b := &behind{to: to, buf: make([]byte, 0, size), full: make(chan []byte, behindBuffers), free: make(chan []byte, behindBuffers)}
	for range behindBuffers - 1 {
		b.free <- nil
	}
	go func() {
		for buf := range b.full {
			if b.failed() == nil {
				if _, err := b.to.Write(buf); err != nil {
					b.err.Store(&err)
				}
			}
			b.free <- buf[:0]
		}
	}()
	return b
}

func (b *behind) failed() error {
	if err := b.err.Load(); err != nil {
		return *err
	}
	return nil
}

// Write implements io.Writer.
func (b *behind) Write(p []byte) (n int, err error) {
	for n < len(p) {
		if err := b.failed(); err != nil {
			return n, err
		}
		if len(b.buf) == cap(b.buf) {
			b.next()
		}
		k := min(len(p)-n, cap(b.buf)-len(b.buf))
		b.buf = append(b.buf, p[n:n+k]...)
		n += k
	}
	return n, nil
}

// next hands the buffer over and takes another.
func (b *behind) next() {
	size := cap(b.buf)
	b.full <- b.buf
	if b.buf = <-b.free; b.buf == nil {
		b.buf = make([]byte, 0, size)
	}
}

// flush returns when all is written.
func (b *behind) flush() error {
	if b.over {
		return b.failed()
	}
	if len(b.buf) > 0 {
		b.next()
	}
	var idle [behindBuffers - 1][]byte
	for i := range idle {
		idle[i] = <-b.free
	}
	for _, buf := range idle {
		b.free <- buf
	}
	return b.failed()
}

// readFrom writes what r has, behind what was written before. Where the system
// can copy files the bytes do not pass through this program.
func (b *behind) readFrom(r io.Reader) (int64, error) {
	if err := b.flush(); err != nil {
		return 0, err
	}
	return io.Copy(b.to, r)
}

// close ends the goroutine, without waiting for it; calls after it fail. What was
// not flushed may be lost.
func (b *behind) close() {
	if b.over {
		return
	}
	b.over = true
	b.err.CompareAndSwap(nil, &errClosed)
	close(b.full)
}

var errClosed error = os.ErrClosed

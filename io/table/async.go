package table

import (
	"io"
	"os"
	"sync/atomic"

	"skyjoin/internal/par"
)

// An asyncWriter is a buffered writer whose buffers are written by a goroutine of
// its own: the system takes as long to write a table as several threads take to
// encode it. An error is returned by a later call than the one whose bytes it is
// about, at the latest by flush. It must be closed.
type asyncWriter struct {
	to     io.Writer
	size   int         // of a buffer that is full
	buf    []byte      // being filled
	full   chan []byte // to be written
	free   chan []byte // to be filled; nil for one that has not been needed yet
	err    atomic.Pointer[error]
	closed bool

	writing par.Group
}

// asyncBuffers is how many buffers there are.
const asyncBuffers = 4

func newAsyncWriter(to io.Writer, size int) *asyncWriter {
	b := &asyncWriter{to: to, size: size, full: make(chan []byte, asyncBuffers), free: make(chan []byte, asyncBuffers)}
	for range asyncBuffers - 1 {
		b.free <- nil
	}
	go func() {
		for buf := range b.full {
			if b.err.Load() == nil {
				if err := b.writing.Do(func() error { _, err := b.to.Write(buf); return err }); err != nil {
					b.err.Store(&err)
				}
			}
			b.free <- buf[:0]
		}
	}()
	return b
}

func (b *asyncWriter) failed() error {
	if err := b.err.Load(); err != nil {
		b.writing.Wait()
		return *err
	}
	return nil
}

// Write implements io.Writer.
func (b *asyncWriter) Write(p []byte) (n int, err error) {
	for n < len(p) {
		if err := b.failed(); err != nil {
			return n, err
		}
		if len(b.buf) == b.size {
			if b.swap(); b.buf == nil {
				b.buf = make([]byte, 0, b.size)
			}
		}
		k := min(len(p)-n, b.size-len(b.buf)) // the first buffer grows: most tables are small
		b.buf = append(b.buf, p[n:n+k]...)
		n += k
	}
	return n, nil
}

// swap hands the buffer over to be written and takes another.
func (b *asyncWriter) swap() {
	b.full <- b.buf
	b.buf = <-b.free
}

// flush returns when all is written.
func (b *asyncWriter) flush() error {
	if b.closed {
		return b.failed()
	}
	if len(b.buf) > 0 {
		b.swap()
	}
	var idle [asyncBuffers - 1][]byte
	for i := range idle {
		idle[i] = <-b.free
	}
	for _, buf := range idle {
		b.free <- buf
	}
	return b.failed()
}

// readFrom appends what r has. Where the system can copy files, the bytes do not
// pass through this program.
func (b *asyncWriter) readFrom(r io.Reader) (int64, error) {
	if err := b.flush(); err != nil {
		return 0, err
	}
	return io.Copy(b.to, r)
}

// close ends the goroutine, without waiting for it; later calls fail. What was not
// flushed may be lost.
func (b *asyncWriter) close() {
	if b.closed {
		return
	}
	b.closed = true
	b.err.CompareAndSwap(nil, &errClosed)
	close(b.full)
}

var errClosed error = os.ErrClosed

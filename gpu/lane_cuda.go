//go:build cuda && linux

package gpu

import (
	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// A lane is a stream with a device buffer that lists are written to and a
// pinned one that they are copied to.
type lane struct {
	st     *cuda.Stream
	out    cuda.Buffer[uint32]
	pinned []uint32
	batch  neighbors.Batch
}

// reserve makes room for n neighbours. It must run on the lane's thread.
func (l *lane) reserve(n int) error {
	if l.out.N < n {
		if err := cuda.Free(l.st, l.out); err != nil {
			return err
		}
		l.out = cuda.Buffer[uint32]{}
		if err := into2(&l.out, l.st, n); err != nil {
			return err
		}
	}
	if len(l.pinned) < n {
		if err := cuda.Unpin(l.st, l.pinned); err != nil {
			return err
		}
		l.pinned = nil
		var err error
		if l.pinned, err = cuda.Pinned[uint32](l.st, n); err != nil {
			return err
		}
	}
	return nil
}

func into2(b *cuda.Buffer[uint32], st *cuda.Stream, n int) error {
	var err error
	*b, err = cuda.Alloc[uint32](st, n)
	return err
}

func (l *lane) close() {
	_ = l.st.Do(func() error {
		_ = cuda.Free(l.st, l.out) // on a lost device it is gone already
		return cuda.Unpin(l.st, l.pinned)
	})
	l.out, l.pinned = cuda.Buffer[uint32]{}, nil
	l.st.Close()
}

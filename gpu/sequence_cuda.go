//go:build cuda && linux

package gpu

import "skyjoin/internal/cuda"

// memory is device memory that is freed together.
type memory struct {
	stream *cuda.Stream
	owned  []cuda.Buffer[byte]
	before []func() // to be called before anything is freed
}

// release frees everything, in the order of the stream.
func (m *memory) release() {
	for _, f := range m.before {
		f()
	}
	m.before = nil
	for _, b := range m.owned {
		_ = cuda.Free(m.stream, b) // a lost device has freed it already
	}
	m.owned = nil
}

// A sequence is operations on a stream, one after another. Once one has failed, the
// others do nothing and return zero values: err says why. It must be used on the
// stream's thread. end frees what temp has allocated.
type sequence struct {
	memory
	err error
}

func begin(st *cuda.Stream) *sequence { return &sequence{memory: memory{stream: st}} }

func (q *sequence) end() { q.release() }

// sequenceOn runs a sequence on the thread of a stream.
func sequenceOn(st *cuda.Stream, f func(q *sequence)) error {
	return st.Do(func() error {
		q := begin(st)
		defer q.end()
		f(q)
		return q.err
	})
}

// do calls f, which may use the sequence itself, unless the sequence has failed.
func (q *sequence) do(f func() error) {
	if q.err != nil {
		return
	}
	if err := f(); q.err == nil {
		q.err = err
	}
}

// sync waits for all operations of the stream, and returns the error of the
// sequence.
func (q *sequence) sync() error {
	q.do(q.stream.Sync)
	return q.err
}

// kept allocates n elements that live as long as m.
func kept[T any](q *sequence, m *memory, n int) (b cuda.Buffer[T]) {
	q.do(func() (err error) {
		if b, err = cuda.Alloc[T](q.stream, n); err == nil {
			m.owned = append(m.owned, cuda.Buffer[byte]{Ptr: b.Ptr, N: int(b.Bytes())})
		}
		return err
	})
	return b
}

// temp allocates n elements that live until the sequence ends.
func temp[T any](q *sequence, n int) cuda.Buffer[T] { return kept[T](q, &q.memory, n) }

// zeros is temp with every byte zero.
func zeros[T any](q *sequence, n int) cuda.Buffer[T] {
	b := temp[T](q, n)
	fill(q, b, 0)
	return b
}

// table allocates memory that lives as long as m, for the elements of v.
func table[T any](q *sequence, m *memory, v []T) cuda.Buffer[T] {
	if len(v) == 0 {
		return cuda.Buffer[T]{}
	}
	b := kept[T](q, m, len(v))
	push(q, b, v)
	return b
}

// push copies v to the front of b.
func push[T any](q *sequence, b cuda.Buffer[T], v []T) {
	q.do(func() error { return cuda.Upload(q.stream, b, v) })
}

// pull copies the front of b to v, which is filled only after sync.
func pull[T any](q *sequence, v []T, b cuda.Buffer[T]) {
	q.do(func() error { return cuda.Download(q.stream, v, b) })
}

// first waits for the first element of b and returns it.
func first[T any](q *sequence, b cuda.Buffer[T]) T {
	var v [1]T
	pull(q, v[:], b)
	_ = q.sync() // err is that of the sequence
	return v[0]
}

// slice returns the elements [lo, hi) of b.
func slice[T any](q *sequence, b cuda.Buffer[T], lo, hi int) cuda.Buffer[T] {
	if q.err != nil {
		return cuda.Buffer[T]{} // b may be, too
	}
	return b.Slice(lo, hi)
}

// fill sets every byte of b.
func fill[T any](q *sequence, b cuda.Buffer[T], v byte) {
	q.do(func() error { return cuda.Clear(q.stream, b, v) })
}

// copyTo copies the front of src over all of dst, both on the device.
func copyTo[T any](q *sequence, dst, src cuda.Buffer[T]) {
	q.do(func() error { return cuda.Copy(q.stream, dst, src) })
}

// launch starts a kernel whose only parameter is p.
func launch[T any](q *sequence, kernel string, blocks, threads, shared int, p *T) {
	q.do(func() error { return cuda.Launch(q.stream, kernel, blocks, threads, shared, p) })
}

// eachThreads is the size of the blocks of kernels that have no other.
const eachThreads = 256

// each starts a kernel that has a thread for each of n elements.
func each[T any](q *sequence, kernel string, n int, p *T) {
	launch(q, kernel, ceilDiv(n, eachThreads), eachThreads, 0, p)
}

// grow makes a buffer that outlives the sequence large enough for n elements. Its
// contents are lost.
func grow[T any](q *sequence, b *cuda.Buffer[T], n int) {
	if b.N >= n && b.Ptr != 0 {
		return
	}
	q.do(func() error { return cuda.Free(q.stream, *b) })
	q.do(func() (err error) {
		*b = cuda.Buffer[T]{}
		*b, err = cuda.Alloc[T](q.stream, n)
		return err
	})
}

// growPinned is grow for pinned memory of the host.
func growPinned[T any](q *sequence, v *[]T, n int) {
	if len(*v) >= n {
		return
	}
	q.do(func() error { return cuda.Unpin(q.stream, *v) })
	q.do(func() (err error) {
		*v = nil
		*v, err = cuda.Pinned[T](q.stream, n)
		return err
	})
}

// addresses returns the addresses of columns in the form that kernels take.
func addresses(x []cuda.Buffer[float64]) (p [maxDim]cuda.Ptr) {
	for j := range x {
		p[j] = x[j].Ptr
	}
	return p
}

// number returns 1 for true, as kernels take flags.
func number(flag bool) int32 {
	if flag {
		return 1
	}
	return 0
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// firstError returns the first error. Its arguments have all been evaluated, so none
// may depend on another's success.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

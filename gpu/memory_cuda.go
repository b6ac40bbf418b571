//go:build cuda && linux

package gpu

import "skyjoin/internal/cuda"

// memory is what one plan has allocated on a device, freed together.
type memory struct {
	stream *cuda.Stream
	owned  []cuda.Buffer[byte]
	before []func() // to be called before anything is freed
}

// alloc allocates n elements that live as long as m.
func alloc[T any](m *memory, n int) (cuda.Buffer[T], error) {
	b, err := cuda.Alloc[T](m.stream, n)
	if err != nil {
		return b, err
	}
	m.owned = append(m.owned, cuda.Buffer[byte]{Ptr: b.Ptr, N: int(b.Bytes())})
	return b, nil
}

// release frees everything, after all that the stream was asked to do with it.
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

//go:build cuda && linux

package cuda

import (
	"errors"
	"slices"
	"testing"
	"unsafe"
)

// Pinned memory of all sizes takes what the GPU sends, and is given back.
func TestPinned(t *testing.T) {
	_, s := open(t)
	for _, n := range []int{0, 1, 1000, leastMapped/4 - 1, leastMapped / 4, hugePage/4 + 1, 5 * hugePage / 8} {
		err := s.Do(func() error {
			v, err := Pinned[uint32](s, n)
			if err != nil {
				return err
			}
			if len(v) != n {
				t.Errorf("%d elements, want %d", len(v), n)
			}
			mappings.Lock()
			_, mapped := mappings.of[unsafe.Pointer(unsafe.SliceData(v))]
			mappings.Unlock()
			if mapped != (4*n >= leastMapped) {
				t.Errorf("%d elements: a mapping of its own %v", n, mapped)
			}
			b, err := Alloc[uint32](s, n)
			if err != nil {
				return err
			}
			want := numbers(n, 3)
			err = errors.Join(Upload(s, b, want), Download(s, v, b), s.Sync(), Free(s, b))
			if !slices.Equal(v, want) {
				t.Errorf("%d elements: others came", n)
			}
			return errors.Join(err, Unpin(s, v))
		})
		if err != nil {
			t.Errorf("%d elements: %v", n, err)
		}
	}
	if n := len(mappings.of); n > 0 {
		t.Errorf("%d mappings are left", n)
	}
}

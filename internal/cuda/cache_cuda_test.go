//go:build cuda && linux

package cuda

import (
	"errors"
	"testing"
)

// Memory that a stream freed serves it again, where the size is about the
// same, and no other stream.
func TestFreedMemoryIsKept(t *testing.T) {
	t.Setenv(CacheVariable, "")
	c, s := open(t)
	other, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	alloc := func(s *Stream, n int) (b Buffer[byte]) {
		t.Helper()
		if err := s.Do(func() (err error) { b, err = Alloc[byte](s, n); return err }); err != nil {
			t.Fatal(err)
		}
		return b
	}
	free := func(s *Stream, b Buffer[byte]) {
		t.Helper()
		if err := s.Do(func() error { return Free(s, b) }); err != nil {
			t.Fatal(err)
		}
	}
	before, _, err := c.Free()
	if err != nil {
		t.Fatal(err)
	}
	first := alloc(s, 100_000)
	free(s, first)
	slab := int64(0)
	if onCard() {
		slab = 2 << 20 // a driver takes as much at once for small allocations
	}
	if after, _, err := c.Free(); err != nil || after > before || after < before-slab {
		t.Errorf("%d bytes are free, %d before: %v", after, before, err)
	}
	elsewhere := alloc(other, 100_000)
	bigger := alloc(s, 200_000)
	again := alloc(s, 99_000)
	if again.Ptr != first.Ptr || again.N != 99_000 || elsewhere.Ptr == first.Ptr || bigger.Ptr == first.Ptr {
		t.Errorf("freed at %x; then got %x of %d, on another stream %x, for more %x", first.Ptr, again.Ptr, again.N, elsewhere.Ptr, bigger.Ptr)
	}
	for _, b := range []Buffer[byte]{again, bigger} {
		free(s, b)
	}
	free(other, elsewhere)
}

// Kept memory goes back before an allocation fails, that of other streams too.
func TestKeptMemoryGoesBack(t *testing.T) {
	t.Setenv(CacheVariable, "")
	const total = 1 << 20
	emulated(t, "EMULATOR_MEMORY", "1048576")
	c, s := open(t)
	other, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, st := range []*Stream{s, other} {
		err := st.Do(func() error {
			b, err := Alloc[byte](st, total/8)
			return errors.Join(err, Free(st, b))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err = s.Do(func() error {
		b, err := Alloc[byte](s, total)
		if err != nil {
			return err
		}
		if _, err := Alloc[byte](s, 1); !errors.Is(err, ErrMemory) {
			t.Errorf("more than there is: %v, want ErrMemory", err)
		}
		return Free(s, b)
	})
	if err != nil {
		t.Error(err)
	}
}

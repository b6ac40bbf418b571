//go:build cuda && linux

package cuda

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
)

func numbers(n, first int) []uint32 {
	v := make([]uint32, n)
	for i := range v {
		v[i] = uint32(first + i)
	}
	return v
}

// Arrays of all sizes come whole, also by several streams at the same time and
// when their memory is changed as soon as Send returns.
func TestSend(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	c, s := open(t)
	second, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	var wg sync.WaitGroup
	for i, bytes := range []int{0, 4, leastStaged - 4, leastStaged, leastStaged + 4, 5*leastStaged/2 + 12} {
		st := []*Stream{s, second}[i%2]
		wg.Go(func() {
			n := bytes / 4
			want, got := numbers(n, i), make([]uint32, n)
			err := st.Do(func() error {
				b, err := Alloc[uint32](st, n)
				if err != nil {
					return err
				}
				src := slices.Clone(want)
				err = SendAll(st, []Buffer[uint32]{b}, [][]uint32{src})
				clear(src)
				return errors.Join(err, Download(st, got, b), st.Sync(), Free(st, b))
			})
			if err != nil {
				t.Error(err)
			} else if !slices.Equal(got, want) {
				t.Errorf("%d bytes: others came", bytes)
			}
		})
	}
	wg.Wait()
	if n := len(stageOf(c).desks); n < 2 {
		t.Errorf("%d desks, this test is of several", n)
	}
}

// Memory of one GPU comes to another that sees it.
func TestCopyPeer(t *testing.T) {
	devices, err := Devices()
	if err != nil {
		t.Fatal(err)
	}
	if len(devices) < 2 {
		t.Skip("there is one GPU only")
	}
	var c [2]*Context
	var s [2]*Stream
	for i := range c {
		if c[i], err = Open(i, images); err != nil {
			t.Fatal(err)
		}
		defer c[i].Close()
		if s[i], err = c[i].NewStream(); err != nil {
			t.Fatal(err)
		}
		defer s[i].Close()
	}
	copied := func(to *Context, st *Stream, from *Context, src *Stream) error {
		want, got := numbers(1000, 7), make([]uint32, 999)
		var a, b Buffer[uint32]
		err := src.Do(func() (err error) {
			if a, err = Alloc[uint32](src, len(want)); err != nil {
				return err
			}
			return errors.Join(Upload(src, a, want), src.Sync())
		})
		if err != nil {
			return err
		}
		err = st.Do(func() (err error) {
			if b, err = Alloc[uint32](st, len(got)); err != nil {
				return err
			}
			return errors.Join(CopyPeer(st, b, from, a), Download(st, got, b), st.Sync(), Free(st, b))
		})
		if err == nil && !slices.Equal(got, want[:len(got)]) {
			err = errors.New("others came")
		}
		return errors.Join(err, src.Do(func() error { return Free(src, a) }))
	}
	if err := copied(c[0], s[0], c[0], s[0]); err != nil {
		t.Errorf("within a GPU: %v", err)
	}
	for range 2 {
		if !c[1].Sees(c[0]) {
			t.Skip("the GPUs do not see each other")
		}
	}
	if err := copied(c[1], s[1], c[0], s[0]); err != nil {
		t.Error(err)
	}
	if onCard() {
		return
	}
	t.Setenv("EMULATOR_PEERS", "0")
	if c[0].Sees(c[1]) {
		t.Error("GPUs see each other that do not")
	}
	t.Setenv("EMULATOR_FAIL", "peer:1")
	if err := copied(c[1], s[1], c[0], s[0]); !errors.Is(err, ErrLost) {
		t.Errorf("%v, want ErrLost", err)
	}
	os.Unsetenv("EMULATOR_FAIL")
}

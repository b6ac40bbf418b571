//go:build cuda && linux

package cuda

import (
	"errors"
	"math"
	"os"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"gorgonia.org/cu"
)

// widenParams is the parameter of the kernel widen: n float32 to float64.
type widenParams struct {
	In, Out Ptr
	N, _    uint32
}

// widen sends values to the GPU, lets a kernel widen them and fetches the result.
func widen(s *Stream, values []float32, result []float64) error {
	in, err := Alloc[float32](s, len(values))
	if err != nil {
		return err
	}
	out, err := Alloc[float64](s, len(values))
	if err != nil {
		return errors.Join(err, Free(s, in))
	}
	p := widenParams{In: in.Ptr, Out: out.Ptr, N: uint32(len(values))}
	err = Upload(s, in, values)
	if err == nil {
		err = Launch(s, "widen", (len(values)+255)/256, 256, 0, &p)
	}
	if err == nil {
		err = Download(s, result, out)
	}
	if err == nil {
		err = s.Sync()
	}
	return errors.Join(err, Free(s, in), Free(s, out))
}

func some(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(i)*1.5 - 7
	}
	return v
}

func wrong(values []float32, result []float64) int {
	bad := 0
	for i, v := range values {
		if result[i] != float64(v) {
			bad++
		}
	}
	return bad
}

// Streams give right results whichever goroutines use them, from pinned and
// from ordinary memory.
func TestStreams(t *testing.T) {
	c, s := open(t)
	second, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	var wg sync.WaitGroup
	for i := range 16 {
		st := []*Stream{s, second}[i%2]
		wg.Go(func() {
			values, result := some(1000+i), make([]float64, 1000+i)
			err := st.Do(func() error {
				if i%4 >= 2 {
					return widen(st, values, result)
				}
				pinned, err := Pinned[float64](st, len(values))
				if err != nil {
					return err
				}
				err = widen(st, values, pinned)
				copy(result, pinned)
				return errors.Join(err, Unpin(st, pinned))
			})
			if err != nil {
				t.Error(err)
			} else if bad := wrong(values, result); bad > 0 {
				t.Errorf("%d of %d values are wrong", bad, len(values))
			}
		})
	}
	wg.Wait()
}

// One stream waits for what another has done.
func TestEvents(t *testing.T) {
	c, s := open(t)
	second, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	const n = 5000
	values := some(n)
	var in Buffer[float32]
	var start, uploaded *Event
	err = s.Do(func() (err error) {
		pinned, err := Pinned[float32](s, n)
		if err != nil {
			return err
		}
		copy(pinned, values)
		if in, err = Alloc[float32](s, n); err != nil {
			return err
		}
		if start, err = s.NewEvent(); err != nil {
			return err
		}
		if uploaded, err = s.NewEvent(); err != nil {
			return err
		}
		return errors.Join(s.Record(start), Upload(s, in, pinned), s.Record(uploaded))
	})
	if err != nil {
		t.Fatal(err)
	}
	result := make([]float64, n)
	err = second.Do(func() error {
		out, err := Alloc[float64](second, n)
		if err != nil {
			return err
		}
		p := widenParams{In: in.Ptr, Out: out.Ptr, N: n}
		return errors.Join(second.Wait(uploaded), Launch(second, "widen", (n+255)/256, 256, 0, &p), Download(second, result, out), second.Sync())
	})
	if err != nil {
		t.Fatal(err)
	}
	if bad := wrong(values, result); bad > 0 {
		t.Errorf("%d of %d values are wrong", bad, n)
	}
	err = s.Do(func() error {
		if err := uploaded.Sync(); err != nil {
			return err
		}
		seconds, err := uploaded.Since(start)
		if err == nil && !(seconds >= 0) {
			t.Errorf("the upload took %v s", seconds)
		}
		start.Destroy()
		uploaded.Destroy()
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A thread that is no stream's has no context: what the rule about Do is for.
func TestThreadRule(t *testing.T) {
	_, s := open(t)
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // ends with the goroutine
		_ = cu.SetCurrentContext(cu.CUContext{})
		_, err := Alloc[byte](s, 1)
		failed <- err
	}()
	var e *Error
	if err := <-failed; !errors.As(err, &e) || e.Code != 201 {
		t.Errorf("allocating outside of Do: %v, want CUDA_ERROR_INVALID_CONTEXT (201)", err)
	}
}

func TestOutOfMemory(t *testing.T) {
	c, s := open(t)
	free, total, err := c.Free()
	if err != nil || free <= 0 || free > total || total != c.Device.Memory {
		t.Fatalf("%d of %d bytes free, the device has %d: %v", free, total, c.Device.Memory, err)
	}
	values, result := some(100), make([]float64, 100)
	err = s.Do(func() error {
		for _, n := range []int{int(total) + 1, 1 << 60, math.MaxInt, -1} { // 8 · 2^61 is 0
			if _, err := Alloc[byte](s, n); !errors.Is(err, ErrMemory) {
				t.Errorf("%d bytes, more than there are: %v, want ErrMemory", n, err)
			}
			if _, err := Alloc[float64](s, n); !errors.Is(err, ErrMemory) {
				t.Errorf("%d numbers, more than there is room for: %v, want ErrMemory", n, err)
			}
		}
		for _, n := range []int{1 << 61, math.MaxInt, -1} {
			if _, err := Pinned[float64](s, n); !errors.Is(err, ErrMemory) {
				t.Errorf("%d pinned numbers: %v, want ErrMemory", n, err)
			}
		}
		return widen(s, values, result) // goes on
	})
	if err != nil || wrong(values, result) > 0 {
		t.Errorf("after it: %v, %d values wrong", err, wrong(values, result))
	}
}

// emulated skips the test on a card and sets a variable of the emulator.
func emulated(t *testing.T, name, value string) {
	t.Helper()
	if onCard() {
		t.Skip("a card does not fail when asked to")
	}
	t.Setenv(name, value)
}

func TestAllocationThatFails(t *testing.T) {
	emulated(t, "EMULATOR_FAIL", "alloc:2")
	_, s := open(t)
	values, result := some(10), make([]float64, 10)
	err := s.Do(func() error { return widen(s, values, result) })
	if !errors.Is(err, ErrMemory) {
		t.Errorf("%v, want ErrMemory", err)
	}
	if err := s.Do(func() error { return widen(s, values, result) }); err != nil || wrong(values, result) > 0 {
		t.Errorf("after it: %v", err)
	}
}

// A GPU that failed stays so until its context is closed; a new one works.
func TestLostDevice(t *testing.T) {
	emulated(t, "EMULATOR_FAIL", "launch:1")
	values, result := some(10), make([]float64, 10)
	c, err := Open(0, images)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Do(func() error { return widen(s, values, result) }); !errors.Is(err, ErrLost) {
			t.Errorf("%v, want ErrLost", err)
		}
	}
	s.Close()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	os.Unsetenv("EMULATOR_FAIL")
	_, s = open(t)
	if err := s.Do(func() error { return widen(s, values, result) }); err != nil || wrong(values, result) > 0 {
		t.Errorf("a new context: %v", err)
	}
}

func TestOccupancyAndSharedMemory(t *testing.T) {
	c, s := open(t)
	if c.Device.SharedPerBlock < 48<<10 || c.Device.WarpSize != 32 || c.Device.Processors < 1 {
		t.Errorf("unlikely device %+v", c.Device)
	}
	err := s.Do(func() error {
		n, err := s.Occupancy("widen", 256, 0)
		if err == nil && n < 1 {
			t.Errorf("%d blocks of 256 threads fit a multiprocessor", n)
		}
		if err != nil {
			return err
		}
		// More than the 48 KB that a kernel has without being asked for more.
		values, result := some(256), make([]float64, 256)
		in, err := Alloc[float32](s, 256)
		if err != nil {
			return err
		}
		out, err := Alloc[float64](s, 256)
		if err != nil {
			return err
		}
		p := widenParams{In: in.Ptr, Out: out.Ptr, N: 256}
		err = errors.Join(Upload(s, in, values), Launch(s, "widen", 1, 256, c.Device.SharedPerBlock, &p), Download(s, result, out), s.Sync())
		if err == nil && wrong(values, result) > 0 {
			t.Error("wrong values")
		}
		return errors.Join(err, Free(s, in), Free(s, out))
	})
	if err != nil {
		t.Error(err)
	}
}

func TestBuffers(t *testing.T) {
	_, s := open(t)
	err := s.Do(func() error {
		b, err := Alloc[uint32](s, 100)
		if err != nil {
			return err
		}
		if b.Bytes() != 400 || b.Slice(10, 20).Ptr != b.Ptr+40 || b.Slice(10, 20).N != 10 {
			t.Errorf("%+v: slice %+v", b, b.Slice(10, 20))
		}
		got := make([]uint32, 100)
		err = errors.Join(Clear(s, b, 0), Clear(s, b.Slice(50, 100), 0xff), Copy(s, b.Slice(0, 10), b.Slice(90, 100)), Download(s, got, b), s.Sync())
		for i, v := range got {
			want := uint32(0)
			if i < 10 || i >= 50 {
				want = 0xffffffff
			}
			if v != want {
				t.Errorf("element %d is %#x, want %#x", i, v, want)
			}
		}
		for name, f := range map[string]func(){
			"slice":    func() { b.Slice(0, 101) },
			"upload":   func() { _ = Upload(s, b, make([]uint32, 101)) },
			"download": func() { _ = Download(s, make([]uint32, 101), b) },
		} {
			if !panics(f) {
				t.Errorf("a %s beyond the buffer does not panic", name)
			}
		}
		return errors.Join(err, Free(s, b), Free(s, Buffer[uint32]{}))
	})
	if err != nil {
		t.Error(err)
	}
	if size := unsafe.Sizeof(widenParams{}); size != 24 {
		t.Errorf("the parameters of widen take %d bytes, 24 in C", size)
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

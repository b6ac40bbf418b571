//go:build cuda && linux

package cuda

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// granted is the slice of the calling thread, 0 if the system does not tell.
func granted() uint64 {
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		return 0
	}
	return attr.Runtime
}

// The threads of streams run in short slices, and no others.
func TestStreamsArePrompt(t *testing.T) {
	own := granted()
	settable := make(chan bool)
	go func() {
		runtime.LockOSThread() // for ever: the thread ends with it
		attr, err := unix.SchedGetAttr(0, 0)
		if err == nil {
			attr.Runtime = 50 * uint64(slice)
			err = unix.SchedSetAttr(0, attr, 0)
		}
		settable <- err == nil && granted() == 50*uint64(slice)
	}()
	if !<-settable {
		t.Skip("the system grants no slices")
	}
	_, s := open(t)
	var got uint64
	if err := s.Do(func() error { got = granted(); return nil }); err != nil {
		t.Fatal(err)
	}
	if got != uint64(slice) {
		t.Errorf("a stream's thread has slices of %d ns, want %d", got, slice)
	}
	if now := granted(); now != own {
		t.Errorf("another thread has slices of %d ns, before %d", now, own)
	}
}

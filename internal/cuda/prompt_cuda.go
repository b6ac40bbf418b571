//go:build cuda && linux

package cuda

import (
	"time"

	"golang.org/x/sys/unix"
)

// slice is for how long the thread of a stream runs at a time when others want
// its processor: the least that Linux grants.
const slice = 100 * time.Microsecond

// prompt has the calling thread run soon after it wakes up, beside threads that
// compute on every processor. Otherwise it waits for the end of their time slices,
// of 3 ms and more, while the card has nothing to do. Since Linux 6.12 a thread that
// asks for short slices goes first, and gets no more time in all; older kernels
// ignore it.
func prompt() {
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil || attr.Policy != unix.SCHED_NORMAL {
		return
	}
	attr.Runtime = uint64(slice)
	_ = unix.SchedSetAttr(0, attr, 0) // without it the thread is slower, no more
}

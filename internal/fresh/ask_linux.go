package fresh

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	page = 1 << 12
	huge = 1 << 21

	// slow is the time of the processor, in nanoseconds, from which a large page
	// has taken longer than as many bytes of small ones would have. Clearing one
	// takes 0.2 ms; but a virtual machine gives free large pages back to its host,
	// if it is told to, and then waits 5 ms for one.
	slow = 1_500_000
	// firstPause is the number of large pages that are left out after the first
	// slow one; it doubles each time.
	firstPause = 128
)

// hugeLeave is the number of large pages that are not asked for yet, because the
// last one was slow, and hugePause how many they were at first.
var hugeLeave, hugePause atomic.Int64

// ask asks for pages from p on, of at most n > 0 bytes, and returns how many
// bytes it has asked for. What fails here costs time only.
func ask(p unsafe.Pointer, n uintptr) uintptr {
	at := uintptr(p)
	if begin := at &^ (page - 1); begin&(huge-1) == 0 && at+n >= begin+huge && hugeLeave.Add(-1) < 0 {
		before := threadTime()
		advise(begin, huge, unix.MADV_HUGEPAGE)
		advise(begin, huge, unix.MADV_POPULATE_WRITE)
		if threadTime()-before > slow {
			pause := max(firstPause, 2*hugePause.Load())
			hugePause.Store(pause)
			hugeLeave.Store(pause)
		}
		return begin + huge - at
	}
	begin, end := at&^(page-1), min(at+n, at&^(huge-1)+huge, at+piece)
	advise(begin, (end+page-1)&^(page-1)-begin, unix.MADV_POPULATE_WRITE)
	return end - at
}

// advise tells the system about the n bytes from at on, whole pages.
func advise(at, n uintptr, advice int) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, at, n, uintptr(advice))
}

// threadTime returns the time that the processor has given to this thread, in
// nanoseconds.
func threadTime() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return t.Nano()
}

package fresh

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Touch asks for the pages that hold s, whose values do not change. Systems that
// cannot do it give the pages later, as they always do.
func Touch[T any](s []T) {
	if len(s) == 0 {
		return
	}
	const page = 4096
	at := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	first, end := at&^(page-1), at+uintptr(len(s))*unsafe.Sizeof(s[0])
	// What fails here costs time only.
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, first, (end-first+page-1)&^(page-1), unix.MADV_POPULATE_WRITE)
	runtime.KeepAlive(s)
}

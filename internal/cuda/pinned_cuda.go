//go:build cuda && linux

package cuda

/*
#include "cuda.h"
*/
import "C"

import (
	"sync"
	"syscall"
	"unsafe"

	"skyjoin/internal/fresh"
	"skyjoin/internal/par"
)

const (
	leastMapped = 1 << 20 // bytes that are worth a mapping of their own
	hugePage    = 2 << 20
)

// mappings are the pinned memory that did not come from the driver, by its
// address.
var mappings = struct {
	sync.Mutex
	of map[unsafe.Pointer][]byte
}{of: map[unsafe.Pointer][]byte{}}

// Pinned allocates n elements of page-locked host memory, which copies run at
// full speed from and to. Keep it: the pages of a gigabyte take 0.1 s, with many
// threads.
func Pinned[T any](s *Stream, n int) ([]T, error) {
	bytes, err := bytesOf[T](n)
	if err != nil {
		return nil, err
	}
	size := int(bytes)
	if p := mapPinned(size); p != nil {
		return unsafe.Slice((*T)(p), n), nil
	}
	var p unsafe.Pointer
	if err := check(C.cuMemHostAlloc(&p, C.size_t(max(size, 1)), C.CU_MEMHOSTALLOC_PORTABLE), "allocating pinned memory"); err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(p), n), nil
}

// mapPinned takes memory from the system and has the driver lock it: the driver
// itself takes 0.45 s for a gigabyte, most of which goes into touching one small
// page after the other. It returns nil where that cannot be done.
func mapPinned(size int) unsafe.Pointer {
	if size < leastMapped {
		return nil
	}
	bytes := (size + hugePage - 1) / hugePage * hugePage
	whole, err := syscall.Mmap(-1, 0, bytes+hugePage, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil
	}
	at := uintptr(unsafe.Pointer(unsafe.SliceData(whole)))
	v := whole[-at&(hugePage-1):][:bytes:bytes]
	par.Chunks(par.Threads(0), bytes/hugePage, func(_, lo, hi int) { fresh.All(v[lo*hugePage : hi*hugePage]) })
	p := unsafe.Pointer(unsafe.SliceData(v))
	if C.cuMemHostRegister(p, C.size_t(bytes), C.CU_MEMHOSTREGISTER_PORTABLE) != C.CUDA_SUCCESS {
		_ = syscall.Munmap(whole) // what cannot be given back is lost, nothing else
		return nil
	}
	mappings.Lock()
	defer mappings.Unlock()
	mappings.of[p] = whole
	return p
}

// Unpin frees memory that came from Pinned.
func Unpin[T any](s *Stream, v []T) error {
	return unpin(unsafe.Pointer(unsafe.SliceData(v)))
}

func unpin(p unsafe.Pointer) error {
	if p == nil {
		return nil
	}
	mappings.Lock()
	whole, ok := mappings.of[p]
	delete(mappings.of, p)
	mappings.Unlock()
	if !ok {
		return check(C.cuMemFreeHost(p), "freeing pinned memory")
	}
	// A lost device has let go of it.
	err := check(C.cuMemHostUnregister(p), "freeing pinned memory")
	_ = syscall.Munmap(whole)
	return err
}

//go:build cuda && linux

package cuda

/*
#include "cuda.h"
*/
import "C"

import (
	"fmt"
	"math"
	"unsafe"
)

// A Buffer is n elements of device memory.
type Buffer[T any] struct {
	Ptr Ptr
	N   int
}

// Bytes returns the size of the buffer.
func (b Buffer[T]) Bytes() int64 {
	var t T
	return int64(b.N) * int64(unsafe.Sizeof(t))
}

// Slice returns the elements [lo, hi).
func (b Buffer[T]) Slice(lo, hi int) Buffer[T] {
	var t T
	if lo < 0 || hi < lo || hi > b.N {
		panic("cuda: slice out of range")
	}
	return Buffer[T]{b.Ptr + Ptr(lo)*Ptr(unsafe.Sizeof(t)), hi - lo}
}

// bytesOf returns the size of n elements. The error is an ErrMemory if no memory
// could have as many.
func bytesOf[T any](n int) (int64, error) {
	var t T
	size := int64(max(unsafe.Sizeof(t), 1))
	if n < 0 || int64(n) > math.MaxInt64/2/size {
		return 0, fmt.Errorf("%w: %d elements of %d bytes were asked for", ErrMemory, n, size)
	}
	return int64(n) * size, nil
}

// Alloc allocates n elements, not cleared.
func Alloc[T any](s *Stream, n int) (Buffer[T], error) {
	size, err := bytesOf[T](n)
	if err != nil {
		return Buffer[T]{}, err
	}
	p, err := s.ctx.cache.alloc(s.s, size)
	if err != nil {
		return Buffer[T]{}, err
	}
	return Buffer[T]{p, n}, nil
}

// Free frees a buffer that came from Alloc, after what the stream was asked to
// do with it; what other streams do with it must be done. A zero buffer is
// fine.
func Free[T any](s *Stream, b Buffer[T]) error {
	if b.Ptr == 0 {
		return nil
	}
	return s.ctx.cache.free(s.s, b.Ptr)
}

// Upload copies src to the front of dst, in stream order. src must stay alive
// and unchanged until the stream has passed; from memory that is not pinned the
// call returns after the copy.
func Upload[T any](s *Stream, dst Buffer[T], src []T) error {
	if len(src) == 0 {
		return nil
	}
	if len(src) > dst.N {
		panic("cuda: upload beyond the buffer")
	}
	bytes := dst.Slice(0, len(src)).Bytes()
	return check(C.cuMemcpyHtoDAsync(C.CUdeviceptr(dst.Ptr), unsafe.Pointer(unsafe.SliceData(src)), C.size_t(bytes), s.s), "copying to "+s.ctx.Device.Name)
}

// Download copies the front of src to dst, in stream order. dst is filled only
// after Sync.
func Download[T any](s *Stream, dst []T, src Buffer[T]) error {
	if len(dst) == 0 {
		return nil
	}
	if len(dst) > src.N {
		panic("cuda: download beyond the buffer")
	}
	bytes := src.Slice(0, len(dst)).Bytes()
	return check(C.cuMemcpyDtoHAsync(unsafe.Pointer(unsafe.SliceData(dst)), C.CUdeviceptr(src.Ptr), C.size_t(bytes), s.s), "copying from "+s.ctx.Device.Name)
}

// Copy copies the front of src over the whole of dst, both on the device, in
// stream order.
func Copy[T any](s *Stream, dst, src Buffer[T]) error {
	if dst.N == 0 {
		return nil
	}
	if dst.N > src.N {
		panic("cuda: copy beyond the buffer")
	}
	return check(C.cuMemcpyDtoDAsync(C.CUdeviceptr(dst.Ptr), C.CUdeviceptr(src.Ptr), C.size_t(dst.Bytes()), s.s), "copying on "+s.ctx.Device.Name)
}

// Clear sets every byte of the buffer to v, in stream order.
func Clear[T any](s *Stream, b Buffer[T], v byte) error {
	if b.N == 0 {
		return nil
	}
	return check(C.cuMemsetD8Async(C.CUdeviceptr(b.Ptr), C.uchar(v), C.size_t(b.Bytes()), s.s), "clearing on "+s.ctx.Device.Name)
}

//go:build cuda && linux

package cuda

/*
#include "cuda.h"
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// handle is the context as the driver knows it.
func (c *Context) handle() C.CUcontext { return *(*C.CUcontext)(unsafe.Pointer(&c.ctx)) }

// Sees reports whether the GPU of the context reads the memory of another
// directly, and has it do so from then on: copies by CopyPeer then need not go
// through the host.
func (c *Context) Sees(other *Context) bool {
	if c.dev == other.dev {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if seen, known := c.sees[other]; known {
		return seen
	}
	var can C.int
	seen := C.cuDeviceCanAccessPeer(&can, C.CUdevice(c.dev), C.CUdevice(other.dev)) == C.CUDA_SUCCESS && can != 0
	if seen {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		seen = c.current() == nil
	}
	if seen {
		code := C.cuCtxEnablePeerAccess(other.handle(), 0)
		seen = code == C.CUDA_SUCCESS || code == C.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
	}
	c.sees[other] = seen
	return seen
}

// Acquainted reports whether Sees has been true of any other GPU. The first such
// call takes as long as to copy hundreds of megabytes.
func (c *Context) Acquainted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, seen := range c.sees {
		if seen {
			return true
		}
	}
	return false
}

// CopyPeer copies the front of src, which is memory of another context, over
// the whole of dst, in the order of the stream, which is dst's. src must be
// ready, and must stay until the stream has passed.
func CopyPeer[T any](s *Stream, dst Buffer[T], from *Context, src Buffer[T]) error {
	if dst.N == 0 {
		return nil
	}
	if dst.N > src.N {
		panic("cuda: copy beyond the buffer")
	}
	if s.ctx.dev == from.dev {
		return Copy(s, dst, src)
	}
	return check(C.cuMemcpyPeerAsync(C.CUdeviceptr(dst.Ptr), s.ctx.handle(), C.CUdeviceptr(src.Ptr), from.handle(), C.size_t(dst.Bytes()), s.s),
		"copying from "+from.Device.Name+" to "+s.ctx.Device.Name)
}

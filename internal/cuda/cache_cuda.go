//go:build cuda && linux

package cuda

/*
#include "cuda.h"
*/
import "C"

import (
	"math/bits"
	"os"
	"sync"
)

// A Ptr is an address in device memory.
type Ptr uint64

// CacheVariable turns the keeping of freed device memory off when it is set to
// "off" in the environment. The checkers of stray accesses need that: they know
// the sizes of the driver's allocations only.
const CacheVariable = "SKYJOIN_GPU_CACHE"

// keepShare is the share of the device's memory that is kept at most.
const keepShare = 4

// A cache keeps the device memory that the streams of a context have freed, for
// later allocations: the driver takes as long for one as a kernel over millions of
// points, and freeing waits for the whole device.
//
// What a stream has freed is given to the same stream again, whose order keeps its
// uses apart. When memory runs out all of it goes back to the driver.
type cache struct {
	mu   sync.Mutex
	off  bool
	name string        // of the device
	size map[Ptr]int64 // of every allocation of the context
	kept map[C.CUstream]map[int64][]Ptr
	sum  int64 // bytes kept
	most int64 // bytes that are kept at most
}

func newCache(d Device) *cache {
	return &cache{
		off: os.Getenv(CacheVariable) == "off", name: d.Name, most: d.Memory / keepShare,
		size: map[Ptr]int64{}, kept: map[C.CUstream]map[int64][]Ptr{},
	}
}

// rounded returns the size that is allocated for n bytes: one of eight for
// every power of two, so that allocations of about the same size serve each
// other.
func (c *cache) rounded(n int64) int64 {
	n = max(n, 1)
	if c.off {
		return n
	}
	step := int64(1) << max(bits.Len64(uint64(n))-4, 9)
	return (n + step - 1) / step * step
}

// alloc returns memory of at least n bytes.
func (c *cache) alloc(s C.CUstream, n int64) (Ptr, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := c.rounded(n)
	if list := c.kept[s][size]; len(list) > 0 {
		p := list[len(list)-1]
		c.kept[s][size] = list[:len(list)-1]
		c.sum -= size
		return p, nil
	}
	var p C.CUdeviceptr
	code := C.cuMemAlloc(&p, C.size_t(size))
	if code == C.CUDA_ERROR_OUT_OF_MEMORY && c.sum > 0 {
		c.trim()
		size = max(n, 1)
		code = C.cuMemAlloc(&p, C.size_t(size))
	}
	if err := check(code, "allocating on "+c.name); err != nil {
		return 0, err
	}
	c.size[Ptr(p)] = size
	return Ptr(p), nil
}

// free keeps the memory for the stream, or gives it back to the driver.
func (c *cache) free(s C.CUstream, p Ptr) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := c.size[p]
	if !c.off && size > 0 && c.sum+size <= c.most {
		if c.kept[s] == nil {
			c.kept[s] = map[int64][]Ptr{}
		}
		c.kept[s][size] = append(c.kept[s][size], p)
		c.sum += size
		return nil
	}
	if err := check(C.cuStreamSynchronize(s), "running on "+c.name); err != nil {
		return err
	}
	delete(c.size, p)
	return check(C.cuMemFree(C.CUdeviceptr(p)), "freeing on "+c.name)
}

// drop gives back to the driver what is kept for a stream, which ends.
func (c *cache) drop(s C.CUstream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.giveBack(s)
}

// trim gives back to the driver all that is kept. The mutex is held.
func (c *cache) trim() {
	for s := range c.kept {
		c.giveBack(s)
	}
}

// giveBack gives back what is kept for a stream. The driver waits for work that
// still uses it; a lost device has freed it already.
func (c *cache) giveBack(s C.CUstream) {
	C.cuStreamSynchronize(s)
	for size, list := range c.kept[s] {
		for _, p := range list {
			C.cuMemFree(C.CUdeviceptr(p))
			delete(c.size, p)
			c.sum -= size
		}
	}
	delete(c.kept, s)
}

// bytes returns the size of what is kept.
func (c *cache) bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sum
}

//go:build cuda && linux

package cuda

/*
#include <stdlib.h>
#include "cuda.h"
*/
import "C"

import (
	"maps"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"gorgonia.org/cu"
)

// A Context is a GPU in use: its primary context and the kernels loaded there.
type Context struct {
	Device Device
	dev    cu.Device
	ctx    cu.CUContext
	module C.CUmodule

	mu       sync.Mutex
	kernel   map[string]Kernel
	compiled map[string]C.CUmodule // by source
	later    *Images               // that have not been loaded yet, or nil
	cache    *cache
	closing  []func()          // what Close calls first, the context being current
	sees     map[*Context]bool // whose memory it reads directly, as far as that is known
	yields   bool              // threads that wait sleep
}

// loadedLater stands among the sources of compiled kernels for the images of Later.
const loadedLater = ""

// A Kernel is a function of a loaded image.
type Kernel struct{ f C.CUfunction }

// Open retains the primary context of the GPU and loads the kernels for it.
func Open(index int, images *Images) (*Context, error) {
	if err := usable(); err != nil {
		return nil, err
	}
	device, err := describe(index)
	if err == nil {
		err = device.check()
	}
	if err != nil {
		return nil, err
	}
	image, err := images.For(device)
	if err != nil {
		return nil, err
	}
	c := &Context{Device: device, dev: cu.Device(index), kernel: map[string]Kernel{}, compiled: map[string]C.CUmodule{}, sees: map[*Context]bool{}, cache: newCache(device)}
	_, c.yields = yielding.Load(index)
	if c.ctx, err = c.dev.RetainPrimaryCtx(); err != nil {
		return nil, wrap(err, "opening a context on "+device.Name)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.current(); err != nil {
		c.Close()
		return nil, err
	}
	if c.module, err = c.load(image); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// load loads an image on the context, which is current.
func (c *Context) load(image []byte) (m C.CUmodule, err error) {
	// The driver wants the image aligned and, for PTX, ended by a zero byte.
	data := C.malloc(C.size_t(len(image) + 1))
	defer C.free(data)
	aligned := unsafe.Slice((*byte)(data), len(image)+1)
	aligned[copy(aligned, image)] = 0
	err = check(C.cuModuleLoadData(&m, data), "loading the kernels on "+c.Device.Name)
	return m, err
}

// Later has the kernels of other images loaded when one is asked for that is in no other.
// It is called before any kernel is used.
func (c *Context) Later(images *Images) { c.later = images }

// yielding are the GPUs that Yield was called for.
var yielding sync.Map

// Yield makes threads that wait for the GPU sleep rather than spin, from the
// next Open on. It costs about 20 µs for each wait. While the GPU is in use, a
// driver may grant it for events only.
func Yield(index int) {
	if usable() == nil {
		_ = cu.Device(index).SetPrimaryCtxFlags(cu.SchedBlockingSync)
		yielding.Store(index, true)
	}
}

// Close unloads the kernels and releases the context. No stream of the
// context may be in use.
func (c *Context) Close() error {
	if c.module != nil {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if c.current() == nil {
			for _, f := range c.closing {
				f()
			}
			for _, m := range c.compiled {
				C.cuModuleUnload(m)
			}
			C.cuModuleUnload(c.module)
		}
		c.module, c.compiled = nil, nil
	}
	return wrap(c.dev.ReleasePrimaryCtx(), "closing the context on "+c.Device.Name)
}

// current makes the context the calling OS thread's.
func (c *Context) current() error {
	return wrap(cu.SetCurrentContext(c.ctx), "using the context on "+c.Device.Name)
}

// Kernels returns the names of the kernels that have been used, sorted.
func (c *Context) Kernels() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.kernel))
}

// lookup returns the kernel of that name, and lets it use all the shared
// memory that a block can have.
func (c *Context) lookup(name string) (Kernel, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k, ok := c.kernel[name]; ok {
		return k, nil
	}
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	var k Kernel
	err := check(C.cuModuleGetFunction(&k.f, c.module, cname), "finding kernel "+name)
	for _, m := range c.compiled {
		if err != nil {
			err = check(C.cuModuleGetFunction(&k.f, m, cname), "finding kernel "+name)
		}
	}
	if err != nil && c.later != nil {
		image, failed := c.later.For(c.Device)
		if failed != nil {
			return k, failed
		}
		m, failed := c.load(image)
		if failed != nil {
			return k, failed
		}
		c.later, c.compiled[loadedLater] = nil, m
		err = check(C.cuModuleGetFunction(&k.f, m, cname), "finding kernel "+name)
	}
	if err != nil {
		return k, err
	}
	var static C.int
	if err := check(C.cuFuncGetAttribute(&static, C.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, k.f), "asking the shared memory of "+name); err != nil {
		return k, err
	}
	limit := c.Device.SharedPerBlock - int(static)
	if err := check(C.cuFuncSetAttribute(k.f, C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(limit)), "raising the shared memory of "+name); err != nil {
		return k, err
	}
	c.kernel[name] = k
	ask(name)
	return k, nil
}

// LoadedLater reports whether the images of Later have been loaded.
func (c *Context) LoadedLater() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.compiled[loadedLater] != nil
}

// Free returns the free and the total bytes of the device's memory. What the
// context keeps for its own use is free.
func (c *Context) Free() (free, total int64, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.current(); err != nil {
		return 0, 0, err
	}
	free, total, err = cu.MemInfo()
	free += c.cache.bytes()
	return free, total, wrap(err, "asking the free memory of "+c.Device.Name)
}

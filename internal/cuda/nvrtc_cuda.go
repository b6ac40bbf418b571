//go:build cuda && linux

package cuda

/*
#include <stdlib.h>
#include "cuda.h"
int skyjoin_nvrtc_load(const char *path, char *message, size_t size);
void *skyjoin_nvrtc_compile(const char *source, const char *architecture, size_t *size, char *message, size_t message_size);
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// ErrNoCompiler says that CUDA's run-time compiler, NVRTC, is not installed. It
// wraps errors.ErrUnsupported.
var ErrNoCompiler = fmt.Errorf("%w: no run-time compiler for GPUs, libnvrtc of CUDA", errors.ErrUnsupported)

// CompilerVariable names the environment variable that overrides the library
// of the run-time compiler.
const CompilerVariable = "SKYJOIN_LIBNVRTC"

// compilers are where NVRTC is looked for: by the loader, newest first, then
// in CUDA's own folder.
func compilers() []string {
	if path := os.Getenv(CompilerVariable); path != "" {
		return []string{path}
	}
	paths := []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}
	found, _ := filepath.Glob("/usr/local/cuda*/lib64/libnvrtc.so") // the pattern is right
	slices.Sort(found)
	slices.Reverse(found)
	return append(paths, found...)
}

// loadCompiler opens NVRTC once.
var loadCompiler = sync.OnceValue(func() error {
	var first string
	for _, path := range compilers() {
		cpath := C.CString(path)
		var message [512]C.char
		code := C.skyjoin_nvrtc_load(cpath, &message[0], C.size_t(len(message)))
		C.free(unsafe.Pointer(cpath))
		if code == 0 {
			return nil
		}
		if first == "" {
			first = C.GoString(&message[0])
		}
	}
	return fmt.Errorf("%w (%s)", ErrNoCompiler, first)
})

var compiling sync.Mutex

// Compile compiles source for the GPU and makes its kernels known, once. They stay
// until Close. The error wraps ErrNoCompiler where there is none.
func (c *Context) Compile(source string) error {
	c.mu.Lock()
	_, known := c.compiled[source]
	c.mu.Unlock()
	if known {
		return nil
	}
	if err := loadCompiler(); err != nil {
		return err
	}
	compiling.Lock()
	defer compiling.Unlock()
	text := C.CString(source)
	defer C.free(unsafe.Pointer(text))
	architecture := C.CString(fmt.Sprintf("--gpu-architecture=sm_%d%d", c.Device.Major, c.Device.Minor))
	defer C.free(unsafe.Pointer(architecture))
	var size C.size_t
	var message [2048]C.char
	image := C.skyjoin_nvrtc_compile(text, architecture, &size, &message[0], C.size_t(len(message)))
	if image == nil {
		line, _, _ := strings.Cut(C.GoString(&message[0]), "\n")
		return fmt.Errorf("%w: compiling for %s: %s", errors.ErrUnsupported, c.Device.Name, line)
	}
	defer C.free(image)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.current(); err != nil {
		return err
	}
	var m C.CUmodule
	if err := check(C.cuModuleLoadData(&m, image), "loading compiled kernels on "+c.Device.Name); err != nil {
		return err
	}
	c.mu.Lock()
	c.compiled[source] = m
	c.mu.Unlock()
	return nil
}

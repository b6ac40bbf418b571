//go:build cuda && linux

package cuda

/*
#cgo CFLAGS: -I${SRCDIR}/include
#cgo LDFLAGS: -L${SRCDIR}/stub -Wl,--as-needed -ldl
#include <stdlib.h>
#include "cuda.h"
int skyjoin_cuda_load(const char *path, char *message, size_t size);
*/
import "C"

import (
	"fmt"
	"os"
	"sync"
	"unsafe"
)

// LibraryVariable names the environment variable that overrides the driver
// library, libcuda.so.1. Tests point it at an emulator.
const LibraryVariable = "SKYJOIN_LIBCUDA"

// load opens the driver once; later calls return the first answer.
var load = sync.OnceValue(func() error {
	path := os.Getenv(LibraryVariable)
	if path == "" {
		path = "libcuda.so.1"
	}
	cpath := C.CString(path)
	defer C.free(unsafe.Pointer(cpath))
	var message [512]C.char
	code := C.skyjoin_cuda_load(cpath, &message[0], C.size_t(len(message)))
	if code == -1 {
		return &Error{Kind: ErrNoDriver, Text: C.GoString(&message[0])}
	}
	return check(C.CUresult(code), "starting the driver")
})

// oldestDriver is the first CUDA version whose drivers load images that the
// compiler of CUDA 11.8 made (CUDA's minor version compatibility).
const oldestDriver = 11000

// usable opens the driver and says whether it can run the kernels.
func usable() error {
	v, err := DriverVersion()
	if err == nil && v < oldestDriver {
		err = &Error{Kind: ErrDriverTooOld, Text: fmt.Sprintf("it is for CUDA %s, at least %s is needed: install a newer one", VersionText(v), VersionText(oldestDriver))}
	}
	return err
}

// VersionText writes a version of CUDA as people do: 12040 is "12.4".
func VersionText(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

// DriverVersion returns the CUDA version that the driver supports, such as
// 12040 for 12.4.
func DriverVersion() (int, error) {
	if err := load(); err != nil {
		return 0, err
	}
	var v C.int
	err := check(C.cuDriverGetVersion(&v), "asking the driver's version")
	return int(v), err
}

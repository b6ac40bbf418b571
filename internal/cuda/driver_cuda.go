//go:build cuda && linux

package cuda

/*
#cgo CFLAGS: -I${SRCDIR}/include
#cgo LDFLAGS: -L${SRCDIR}/stub -Wl,--as-needed -ldl
#include <stdlib.h>
int skyjoin_cuda_load(const char *path, char *message, size_t size);
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	_ "gorgonia.org/cu"
)

// ErrNoDriver says that the NVIDIA driver is not installed.
var ErrNoDriver = errors.New("no NVIDIA driver")

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
	switch code := C.skyjoin_cuda_load(cpath, &message[0], C.size_t(len(message))); code {
	case 0:
		return nil
	case -1:
		return fmt.Errorf("%w: %s", ErrNoDriver, C.GoString(&message[0]))
	default:
		return fmt.Errorf("the NVIDIA driver found no usable GPU: error %d", int(code))
	}
})

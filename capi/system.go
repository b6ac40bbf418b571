package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"runtime"
	"runtime/debug"
	"unsafe"

	"skyjoin/gpu"
)

// version is that of the release, as a C string that lives as long as the library.
var version = C.CString("0.1.0")

//export skyjoin_abi
func skyjoin_abi() C.int32_t { return C.SKYJOIN_ABI }

//export skyjoin_version
func skyjoin_version() *C.char { return version }

//export skyjoin_set_threads
func skyjoin_set_threads(threads C.int32_t) C.int32_t {
	defaultThreads.Store(int32(max(threads, 0)))
	return C.int32_t(workers(0))
}

//export skyjoin_threads
func skyjoin_threads() C.int32_t { return C.int32_t(workers(0)) }

//export skyjoin_release_memory
func skyjoin_release_memory() {
	runtime.GC()
	debug.FreeOSMemory()
}

//export skyjoin_devices
func skyjoin_devices(i C.int32_t, name *C.char, length C.int32_t, e *C.skyjoin_error) C.int32_t {
	found, err := gpu.Devices()
	tell(err, e)
	if err != nil {
		return 0
	}
	if name != nil && length > 0 {
		text := unsafe.Slice((*byte)(unsafe.Pointer(name)), int(length))
		n := 0
		if i >= 0 && int(i) < len(found) {
			n = copy(text[:len(text)-1], found[i].Name)
		}
		text[n] = 0
	}
	return C.int32_t(len(found))
}

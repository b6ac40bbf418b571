//go:build cuda && linux

package cuda

/*
#include "cuda.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"reflect"
)

// Sentinels for what callers decide on; test with errors.Is. All errors of
// this package that are the driver's are an [*Error] too.
var (
	// ErrNoDriver says that the NVIDIA driver is not installed.
	ErrNoDriver = errors.New("no NVIDIA driver")
	// ErrNoDevice says that the driver sees no GPU.
	ErrNoDevice = errors.New("no NVIDIA GPU")
	// ErrNoSuchDevice says that the driver sees fewer GPUs.
	ErrNoSuchDevice = errors.New("no such GPU")
	// ErrDriverTooOld says that the driver cannot load the kernels.
	ErrDriverTooOld = errors.New("the NVIDIA driver is too old")
	// ErrDeviceTooOld says that there are no kernels for the GPU.
	ErrDeviceTooOld = errors.New("the GPU is too old")
	// ErrMemory says that device or pinned host memory ran out.
	ErrMemory = errors.New("out of GPU memory")
	// ErrLost says that the device failed; its context is unusable from then on.
	ErrLost = errors.New("the GPU failed")
)

// An Error is a failure of the driver or of a GPU, as opposed to one of the
// request.
type Error struct {
	Kind error  // one of the sentinels, or nil
	What string // what was being done
	Text string // the driver's words
	Code int    // the driver's CUresult, 0 where it was not asked
}

// Error returns one line: "out of GPU memory: allocating on Tesla T4: out of
// memory (2)".
func (e *Error) Error() string {
	text := e.Text
	if e.What != "" {
		text = e.What + ": " + text
	}
	if e.Kind != nil {
		text = e.Kind.Error() + ": " + text
	}
	if e.Code != 0 {
		text += fmt.Sprintf(" (%d)", e.Code)
	}
	return text
}

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Kind }

// sentinels maps the driver's error codes to what callers test for.
var sentinels = map[C.CUresult]error{
	C.CUDA_ERROR_NO_DEVICE:              ErrNoDevice,
	C.CUDA_ERROR_INVALID_DEVICE:         ErrNoSuchDevice,
	C.CUDA_ERROR_OUT_OF_MEMORY:          ErrMemory,
	C.CUDA_ERROR_NOT_FOUND:              ErrDriverTooOld,
	222:                                 ErrDriverTooOld, // PTX newer than the driver
	C.CUDA_ERROR_NO_BINARY_FOR_GPU:      ErrDeviceTooOld,
	C.CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: ErrDriverTooOld,
	C.CUDA_ERROR_ILLEGAL_ADDRESS:        ErrLost,
	C.CUDA_ERROR_LAUNCH_FAILED:          ErrLost,
	C.CUDA_ERROR_LAUNCH_TIMEOUT:         ErrLost,
	C.CUDA_ERROR_HARDWARE_STACK_ERROR:   ErrLost,
	C.CUDA_ERROR_ILLEGAL_INSTRUCTION:    ErrLost,
	C.CUDA_ERROR_MISALIGNED_ADDRESS:     ErrLost,
	C.CUDA_ERROR_INVALID_ADDRESS_SPACE:  ErrLost,
	C.CUDA_ERROR_INVALID_PC:             ErrLost,
	C.CUDA_ERROR_ECC_UNCORRECTABLE:      ErrLost,
	C.CUDA_ERROR_NVLINK_UNCORRECTABLE:   ErrLost,
	C.CUDA_ERROR_CONTEXT_IS_DESTROYED:   ErrLost,
	C.CUDA_ERROR_UNKNOWN:                ErrLost,
}

// check turns a driver result into an error that says what failed.
func check(code C.CUresult, what string) error {
	if code == C.CUDA_SUCCESS {
		return nil
	}
	text := fmt.Sprintf("error %d", int(code))
	var s *C.char
	if C.cuGetErrorString(code, &s) == C.CUDA_SUCCESS && s != nil {
		text = C.GoString(s)
	}
	return &Error{sentinels[code], what, text, int(code)}
}

// wrap says what failed in an error that came from cu.
func wrap(err error, what string) error {
	if err == nil {
		return nil
	}
	// cu's result type is not exported, but its values are the driver's codes.
	var code C.CUresult = C.CUDA_ERROR_UNKNOWN
	if c, ok := codeOf(err); ok {
		code = C.CUresult(c)
	}
	return check(code, what)
}

// codeOf returns the driver code inside an error of cu.
func codeOf(err error) (int64, bool) {
	v := reflect.ValueOf(err)
	if v.Kind() != reflect.Int {
		return 0, false
	}
	return v.Int(), true
}

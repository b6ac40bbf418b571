package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"unsafe"

	"skyjoin/gpu"
	"skyjoin/neighbors"
)

// errHandle marks a number that is no handle, or one of another kind.
var errHandle = errors.New("no such handle")

// errInternal marks a panic, which is a fault of this library.
var errInternal = errors.New("internal error of skyjoin, please report it")

// codeOf returns the class of an error.
func codeOf(err error) C.int32_t {
	switch {
	case err == nil:
		return C.SKYJOIN_OK
	case errors.Is(err, context.Canceled):
		return C.SKYJOIN_CANCELLED
	case errors.Is(err, errHandle):
		return C.SKYJOIN_HANDLE
	case errors.Is(err, errInternal):
		return C.SKYJOIN_INTERNAL
	case errors.Is(err, neighbors.ErrMemory):
		return C.SKYJOIN_MEMORY
	case errors.Is(err, neighbors.ErrCoordinate):
		return C.SKYJOIN_COORDINATE
	case gpu.IsFailure(err), gpu.IsFull(err):
		return C.SKYJOIN_DEVICE
	case errors.Is(err, neighbors.ErrRequest), errors.Is(err, errors.ErrUnsupported):
		return C.SKYJOIN_REQUEST
	}
	return C.SKYJOIN_INTERNAL
}

// tell writes an error to where the caller wants it and returns its code.
func tell(err error, to *C.skyjoin_error) C.int32_t {
	code := codeOf(err)
	if to == nil {
		return code
	}
	to.code, to.row, to.column = code, -1, -1
	var value *neighbors.CoordinateError
	if errors.As(err, &value) {
		to.row, to.column = C.int64_t(value.Row), C.int64_t(value.Column)
	}
	text := unsafe.Slice((*byte)(unsafe.Pointer(&to.message[0])), len(to.message))
	n := 0
	if err != nil {
		n = copy(text[:len(text)-1], err.Error())
	}
	text[n] = 0
	return code
}

// guard makes an error of a panic of the goroutine it is deferred in.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v\n%s", errInternal, p, debug.Stack())
	}
}

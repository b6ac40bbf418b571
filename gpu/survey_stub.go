//go:build !cuda || !linux

package gpu

import "errors"

// Look returns ErrNotBuilt in the survey.
func Look() Survey { return Survey{Err: ErrNotBuilt} }

// IsAbsent reports whether an error says that there is no GPU to use.
func IsAbsent(err error) bool { return errors.Is(err, ErrNotBuilt) }

// IsFull reports whether an error says that memory of a GPU ran out.
func IsFull(error) bool { return false }

// IsFailure reports whether an error is the fault of the GPU.
func IsFailure(err error) bool { return errors.Is(err, ErrNotBuilt) }

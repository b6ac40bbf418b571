//go:build !linux

package file

import "errors"

func exchange(a, b string) error { return errors.ErrUnsupported }

//go:build !cuda

package main

import "errors"

func (b *bench) host() error {
	return errors.New("what a host takes in from GPUs is measured by a build with -tags cuda")
}

// Package kernels holds the sources of the GPU kernels that generated ones are
// made of.
package kernels

import _ "embed"

// Common is what every kernel file shares, Pairs the templates of statistics of
// all pairs, which need it.
var (
	//go:embed common.cuh
	Common string
	//go:embed pairs.cuh
	Pairs string
)

// Package kernels holds the CUDA kernels, those of the image that is compiled ahead
// of time, and embeds the templates that others are generated from at run time.
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

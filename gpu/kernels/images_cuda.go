//go:build cuda && linux

package kernels

import "embed"

// Images are the compiled kernels, a file for each generation of GPUs (`make kernels`).
//
//go:embed *.zst
var Images embed.FS

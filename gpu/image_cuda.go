//go:build cuda && linux

package gpu

import _ "embed"

// image is the compiled kernels, for every GPU from sm_70 on (`make kernels`).
//
//go:embed kernels/kernels.fatbin
var image []byte

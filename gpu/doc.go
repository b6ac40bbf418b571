// Package gpu will hold the GPU joiner (grid self-join on CUDA through
// gorgonia.org/cu) and the host side of the 2-body kernels.
package gpu

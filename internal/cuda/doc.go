// Package cuda drives NVIDIA GPUs through gorgonia.org/cu: it finds the driver
// at run time, and keeps contexts, streams, memory and launches in order. It is
// the only importer of cu, and is empty without the build tag cuda.
package cuda

//go:build cuda && linux

package cmdtest

// What this build says of GPUs where there is none.
const (
	buildTags = "cuda"
	WhyNoGPU  = "no NVIDIA"
)

//go:build !cuda || !linux

package cmdtest

// What this build says of GPUs.
const (
	buildTags = ""
	WhyNoGPU  = "no GPU support"
)

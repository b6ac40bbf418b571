package gpu_test

import (
	"errors"
	"fmt"

	"skyjoin/gpu"
	"skyjoin/neighbors"
)

// A GPU where there is one, else the CPU: both give the same answers.
func ExampleOpen() {
	var joiner neighbors.Joiner = neighbors.CPU{}
	g, err := gpu.Open(gpu.Config{})
	switch {
	case err == nil:
		defer g.Close()
		joiner = g
	case errors.Is(err, gpu.ErrNotBuilt) || gpu.IsAbsent(err):
		// nothing to say: there is none
	default:
		fmt.Println("the GPU cannot be used:", err)
	}
	fmt.Println(joiner != nil)
	// Output: true
}

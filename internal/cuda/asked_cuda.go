//go:build cuda && linux

package cuda

import (
	"maps"
	"sync"
)

// asked counts, by name, how many contexts a kernel has been looked up in.
var asked = struct {
	sync.Mutex
	contexts map[string]int
}{contexts: map[string]int{}}

func ask(kernel string) {
	asked.Lock()
	defer asked.Unlock()
	asked.contexts[kernel]++
}

// Asked returns, by name, how many contexts of this process, closed ones
// included, have used each kernel. Tests tell by it which kernels have run.
func Asked() map[string]int {
	asked.Lock()
	defer asked.Unlock()
	return maps.Clone(asked.contexts)
}

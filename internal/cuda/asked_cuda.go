//go:build cuda && linux

package cuda

import (
	"slices"
	"sync"
)

var asked struct {
	sync.Mutex
	names map[string]bool
}

func ask(kernel string) {
	asked.Lock()
	defer asked.Unlock()
	if asked.names == nil {
		asked.names = map[string]bool{}
	}
	asked.names[kernel] = true
}

// Asked returns the names, in order, of the kernels that this process has asked
// its contexts for, those closed since included. Tests tell by them which
// kernels of an image they have run.
func Asked() []string {
	asked.Lock()
	defer asked.Unlock()
	names := make([]string, 0, len(asked.names))
	for n := range asked.names {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

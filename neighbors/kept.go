package neighbors

import (
	"sync"
	"sync/atomic"
)

// A kept value is made once, when it is first asked for. A failure to make it
// is not kept.
type kept[T any] struct {
	v  atomic.Pointer[T]
	mu sync.Mutex // held while it is made
}

// made returns the value if it has been made, and nil otherwise.
func (k *kept[T]) made() *T { return k.v.Load() }

func (k *kept[T]) get(build func() (*T, error)) (*T, error) {
	if v := k.made(); v != nil {
		return v, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if v := k.made(); v != nil {
		return v, nil
	}
	v, err := build()
	if err != nil {
		return nil, err
	}
	k.v.Store(v)
	return v, nil
}

package neighbors

import (
	"sync"
	"sync/atomic"
)

// A lazy value is built once, when it is first asked for; after an error the next
// call tries again.
type lazy[T any] struct {
	v  atomic.Pointer[T]
	mu sync.Mutex // held while it is built
}

// built returns the value if it has been built, and nil otherwise.
func (k *lazy[T]) built() *T { return k.v.Load() }

func (k *lazy[T]) get(build func() (*T, error)) (*T, error) {
	if v := k.built(); v != nil {
		return v, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if v := k.built(); v != nil {
		return v, nil
	}
	v, err := build()
	if err != nil {
		return nil, err
	}
	k.v.Store(v)
	return v, nil
}

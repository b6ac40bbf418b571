//go:build cgo

package main

import (
	"fmt"
	"sync"
)

// handles are the objects that callers hold, by number. A number is never used
// twice.
var handles = struct {
	sync.Mutex
	last uint64
	of   map[uint64]any
}{of: make(map[uint64]any)}

// keep returns a handle of v.
func keep(v any) uint64 {
	handles.Lock()
	defer handles.Unlock()
	handles.last++
	handles.of[handles.last] = v
	return handles.last
}

// held returns what a handle stands for.
func held[T any](h uint64) (T, error) {
	handles.Lock()
	defer handles.Unlock()
	v, ok := handles.of[h].(T)
	if !ok {
		return v, fmt.Errorf("%w: %d", errHandle, h)
	}
	return v, nil
}

// drop forgets a handle and returns what it stood for.
func drop[T any](h uint64) (T, error) {
	handles.Lock()
	defer handles.Unlock()
	v, ok := handles.of[h].(T)
	if !ok {
		return v, fmt.Errorf("%w: %d", errHandle, h)
	}
	delete(handles.of, h)
	return v, nil
}

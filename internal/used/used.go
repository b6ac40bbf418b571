// Package used records, in a context, which algorithms and kernels carry out what
// is asked for under it, so that a run can name them.
package used

import (
	"context"
	"slices"
	"sync"
)

// A Record is what has been used, in the order of first use. It may be used by
// several goroutines.
type Record struct {
	mu                  sync.Mutex
	algorithms, kernels []string
}

type key struct{}

// In returns a context whose uses are recorded.
func In(ctx context.Context, r *Record) context.Context { return context.WithValue(ctx, key{}, r) }

// Note records an algorithm and its kernels, "" for none, if anybody asks.
func Note(ctx context.Context, algorithm string, kernels ...string) {
	if r, ok := ctx.Value(key{}).(*Record); ok {
		r.Note(algorithm, kernels...)
	}
}

// Note records an algorithm and its kernels, "" for none.
func (r *Record) Note(algorithm string, kernels ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.algorithms = with(r.algorithms, algorithm)
	for _, k := range kernels {
		r.kernels = with(r.kernels, k)
	}
}

func with(names []string, name string) []string {
	if name == "" || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// Algorithms returns the algorithms.
func (r *Record) Algorithms() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.algorithms)
}

// Kernels returns the kernels.
func (r *Record) Kernels() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.kernels)
}

package par

import (
	"sync"
	"testing"
)

// Every index is handed out once, however many workers there are and whichever
// of them asks.
func TestPortions(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		for _, n := range []int{0, 1, 5, 64, 1000} {
			for _, lazy := range []int{-1, 0, workers - 1} { // a worker that does nothing
				p := NewPortions(workers, n, 7)
				seen := make([]int, n)
				var mu sync.Mutex
				Chunks(workers, workers, func(w, _, _ int) {
					for w != lazy || workers == 1 {
						lo, hi, ok := p.Next(w)
						if !ok {
							return
						}
						if hi <= lo || hi-lo > 7 {
							t.Errorf("%d workers, %d: a portion of %d to %d", workers, n, lo, hi)
						}
						mu.Lock()
						for i := lo; i < hi; i++ {
							seen[i]++
						}
						mu.Unlock()
					}
				})
				for i, times := range seen {
					if times != 1 {
						t.Fatalf("%d workers, %d: %d was handed out %d times", workers, n, i, times)
					}
				}
			}
		}
	}
}

// A worker begins with its own chunk.
func TestPortionsAreNear(t *testing.T) {
	p := NewPortions(3, 100, 10)
	for w := range 3 {
		if lo, hi, _ := p.Next(w); lo != Bound(w, 3, 100) || hi != lo+10 {
			t.Errorf("worker %d begins with %d to %d", w, lo, hi)
		}
	}
}

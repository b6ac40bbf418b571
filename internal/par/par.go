// Package par runs loops on several goroutines.
package par

import (
	"runtime"
)

// Threads returns n, or GOMAXPROCS if n is not positive.
func Threads(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// Chunks divides [0, n) into as many chunks of nearly equal length as there
// are threads and calls f once for each, at the same time. It returns when all
// calls have. Chunks of the same n and threads are always the same.
func Chunks(threads, n int, f func(chunk, lo, hi int)) {
	if threads <= 1 || n < 2 {
		f(0, 0, n)
		for c := 1; c < threads; c++ {
			f(c, n, n)
		}
		return
	}
	var wg Group
	for c := range threads {
		lo, hi := Bound(c, threads, n), Bound(c+1, threads, n)
		wg.Go(func() { f(c, lo, hi) })
	}
	wg.Wait()
}

// Bound returns where chunk c of [0, n) begins when there are chunks of them.
func Bound(c, chunks, n int) int {
	return int(uint64(c) * uint64(n) / uint64(chunks))
}

//go:build cuda && linux

package gpu

import "skyjoin/internal/cuda"

// eachThreads is the size of blocks of kernels that ask for no other.
const eachThreads = 256

// launchEach starts a kernel that has a thread for each of n elements.
func launchEach[T any](st *cuda.Stream, kernel string, n int, p *T) error {
	return cuda.Launch(st, kernel, ceilDiv(n, eachThreads), eachThreads, 0, p)
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// firstError returns the first error there is. All that gives one of them has been
// done by then: what needs another to have gone well does not stand beside it.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

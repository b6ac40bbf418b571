//go:build !purego

package kernel

func rootsVector(kernel int, x []float64) {
	// A piece takes less than 100 µs.
	for len(x) >= 8 {
		n := min(len(x)/8, maxWork/8)
		a := args{dist: &x[0], nq: n}
		call(kernel, &a)
		x = x[8*n:]
	}
	rootsGeneric(x)
}

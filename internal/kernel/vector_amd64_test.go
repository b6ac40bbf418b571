//go:build !purego

package kernel

import "slices"

// Short runs are tried with the histogram kernel for long ones too.
func init() {
	if slices.Contains(vector(), &funcsAVX512) {
		long := funcsAVX512
		long.Name = "avx512 whole"
		long.Hist = func(q *Points, lo, hi, end int, d *Points, runs []Run, h *Histogram) {
			histVector(histAVX512, q, lo, hi, end, d, runs, h)
		}
		moreKernels = append(moreKernels, &long)
	}
}

package paircount

import (
	"skyjoin/stats2b"
)

// Centres are where the bins are drawn.
func Centres(b stats2b.Bins) []float64 {
	x := make([]float64, b.Len())
	for i := range x {
		x[i] = b.Centre(i)
	}
	return x
}

package neighbors

import (
	"math"

	"skyjoin/internal/kernel"
)

// wrappedSquare is d² of point i of q and point j of d, with the minimum image
// over the axes that have a side.
func wrappedSquare(q *kernel.Points, i int, d *kernel.Points, j int, side []float64) float64 {
	var sum float64
	for c := range q.Dim {
		x := q.Data[c*q.Stride+i] - d.Data[c*d.Stride+j]
		if l := side[c]; l > 0 {
			x = math.Abs(x)
			x = min(x, l-x)
		}
		sum += float64(x * x)
	}
	return sum
}

// countWrapped returns how many points of d in runs are neighbours of point i
// of q.
func countWrapped(q *kernel.Points, i int, d *kernel.Points, runs []kernel.Run, side []float64, t float64) int64 {
	n := int64(0)
	for _, r := range runs {
		for j := r.Lo; j < r.Hi; j++ {
			if wrappedSquare(q, i, d, int(j), side) <= t {
				n++
			}
		}
	}
	return n
}

package neighbors

import "skyjoin/internal/kernel"

// wrapBlock is how many pairs that wrap are measured at once.
const wrapBlock = 64

// countWrapped returns how many points of d in runs are neighbours of point i
// of q, side being [kernel.Sides] of the periods.
func countWrapped(q *kernel.Points, i int, d *kernel.Points, runs []kernel.Run, side []float64, t float64) int64 {
	var buffer [wrapBlock]float64
	n := int64(0)
	for _, r := range runs {
		for ; r.Lo < r.Hi; r.Lo += min(wrapBlock, r.Hi-r.Lo) {
			d2 := buffer[:min(wrapBlock, r.Hi-r.Lo)]
			kernel.WrappedSquares(q, i, d, int(r.Lo), side, d2)
			for _, x := range d2 {
				if x <= t {
					n++
				}
			}
		}
	}
	return n
}

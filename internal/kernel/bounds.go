package kernel

import "fmt"

// checkBounds returns the number of points. It panics if there is none, or not
// all of one.
func checkBounds(points, least, most []float64) int {
	dim := len(least)
	if dim == 0 || len(most) != dim || len(points) == 0 || len(points)%dim != 0 {
		panic(fmt.Sprintf("kernel: bounds of %d numbers in %d and %d dimensions", len(points), dim, len(most)))
	}
	return len(points) / dim
}

func boundsGeneric(points, least, most []float64) {
	checkBounds(points, least, most)
	dim := len(least)
	for c := range dim {
		lowest, highest := points[c], points[c]
		for i := c + dim; i < len(points); i += dim {
			x := points[i]
			if x < lowest {
				lowest = x
			}
			if x > highest {
				highest = x
			}
		}
		least[c], most[c] = lowest, highest
	}
}

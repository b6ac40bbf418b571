package stats2b

import (
	"sort"
)

// denseCell is the number of points from which it pays to look at a cell as a whole:
// bounds on its distances cost as much as a few distances.
const denseCell = 32

// binOf returns i with edges[i] ≤ d2 < edges[i+1], the number of bins if d2 is
// beyond them. edges[0] is 0.
func binOf(edges []float64, d2 float64) int {
	return sort.Search(len(edges)-1, func(i int) bool { return edges[i+1] > d2 })
}

//go:build !purego

package kernel

// boundsVector leaves short lists, and the end of others, to portable code.
func boundsVector(points, least, most []float64) {
	dim := len(least)
	n := checkBounds(points, least, most)
	if n < 32 || dim > MaxDim {
		boundsGeneric(points, least, most)
		return
	}
	var lanes [2 * 8 * MaxDim]float64
	a := args{d: &points[0], dist: &lanes[0], nq: n / 8}
	call(boundsAVX512+dim, &a)
	copy(least, lanes[:dim])
	copy(most, lanes[8*dim:])
	for i := range 8 * dim {
		c := i % dim
		least[c], most[c] = min(least[c], lanes[i]), max(most[c], lanes[8*dim+i])
	}
	for i := n / 8 * 8 * dim; i < len(points); i += dim {
		for c := range dim {
			least[c], most[c] = min(least[c], points[i+c]), max(most[c], points[i+c])
		}
	}
}

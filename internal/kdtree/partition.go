package kdtree

import "cmp"

// partition moves the points that are less than the pivot by (coordinate c,
// row) together at the front of points and rows, and the others to the front
// of right and rightRows, each in the order they had. It returns how many are
// less. Every point is written to both ends, of which one moves on.
func partition(c, dim int, points, right []float64, rows, rightRows []uint32, pivot entry) int {
	left := 0
	for i, row := range rows {
		p := points[i*dim : (i+1)*dim]
		x := p[c]
		l, r := points[left*dim:(left+1)*dim], right[(i-left)*dim:(i-left+1)*dim]
		for j, v := range p {
			l[j], r[j] = v, v
		}
		rows[left], rightRows[i-left] = row, row
		left += before(x, row, pivot)
	}
	return left
}

// partition2 is partition in 2 dimensions.
func partition2(c, _ int, points, right []float64, rows, rightRows []uint32, pivot entry) int {
	left := 0
	for i, row := range rows {
		p := points[2*i : 2*i+2 : 2*i+2]
		x := p[c]
		a, b := p[0], p[1]
		l, r := points[2*left:2*left+2:2*left+2], right[2*(i-left):2*(i-left)+2:2*(i-left)+2]
		l[0], l[1] = a, b
		r[0], r[1] = a, b
		rows[left], rightRows[i-left] = row, row
		left += before(x, row, pivot)
	}
	return left
}

// partition3 is partition in 3 dimensions.
func partition3(c, _ int, points, right []float64, rows, rightRows []uint32, pivot entry) int {
	left := 0
	for i, row := range rows {
		p := points[3*i : 3*i+3 : 3*i+3]
		x := p[c]
		a, b, e := p[0], p[1], p[2]
		l, r := points[3*left:3*left+3:3*left+3], right[3*(i-left):3*(i-left)+3:3*(i-left)+3]
		l[0], l[1], l[2] = a, b, e
		r[0], r[1], r[2] = a, b, e
		rows[left], rightRows[i-left] = row, row
		left += before(x, row, pivot)
	}
	return left
}

// before is 1 if a point is less than the pivot.
func before(x float64, row uint32, pivot entry) int {
	n := bit(x < pivot.x)
	if x == pivot.x { // seldom
		n = bit(row < pivot.row)
	}
	return n
}

// An entry is a point as selection sees it.
type entry struct {
	x   float64
	row uint32
}

func (e entry) compare(o entry) int {
	return cmp.Or(cmp.Compare(e.x, o.x), cmp.Compare(e.row, o.row))
}

func (e entry) less(o entry) bool { return e.x < o.x || e.x == o.x && e.row < o.row }

// bit is 1 for true: a conversion that compiles to no branch.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

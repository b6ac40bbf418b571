package kdtree

import "math"

// halve permutes the points [lo, hi) such that those before mid are less, by
// (coordinate c, row), than those from mid on. It is the selection algorithm of
// Floyd and Rivest (Comm. ACM 18, 1975, algorithm 489), which expects
// n + min(k, n-k) comparisons.
func (b *builder) halve(c, lo, hi, mid int) {
	left, right := lo, hi-1
	for left < right {
		if right-left > 600 {
			// Select in a sample around where mid is to be expected first.
			n := float64(right - left + 1)
			i := float64(mid - left + 1)
			z := math.Log(n)
			s := 0.5 * math.Exp(2*z/3)
			sd := 0.5 * math.Sqrt(z*s*(n-s)/n)
			if i < n/2 {
				sd = -sd
			}
			from := max(left, int(float64(mid)-i*s/n+sd))
			to := min(right, int(float64(mid)+(n-i)*s/n+sd))
			b.halve(c, from, to+1, mid)
		}
		left, right = b.partition(c, left, right, mid)
	}
}

// partition divides [left, right] at the point at mid and returns the part
// that mid is in then.
func (b *builder) partition(c, left, right, mid int) (newLeft, newRight int) {
	pivot, row := b.points[mid*b.dim+c], b.rows[mid]
	less := func(i int) bool {
		x := b.points[i*b.dim+c]
		return x < pivot || x == pivot && b.rows[i] < row
	}
	greater := func(i int) bool {
		x := b.points[i*b.dim+c]
		return x > pivot || x == pivot && b.rows[i] > row
	}
	i, j := left, right
	b.swap(left, mid)
	if greater(right) {
		b.swap(right, left)
	}
	for i < j {
		b.swap(i, j)
		i++
		j--
		for less(i) {
			i++
		}
		for greater(j) {
			j--
		}
	}
	if b.rows[left] == row {
		b.swap(left, j)
	} else {
		j++
		b.swap(j, right)
	}
	if j <= mid {
		left = j + 1
	}
	if mid <= j {
		right = j - 1
	}
	return left, right
}

func (b *builder) swap(i, j int) {
	if i == j {
		return
	}
	p, q := b.points[i*b.dim:(i+1)*b.dim], b.points[j*b.dim:(j+1)*b.dim]
	for c := range p {
		p[c], q[c] = q[c], p[c]
	}
	b.rows[i], b.rows[j] = b.rows[j], b.rows[i]
}

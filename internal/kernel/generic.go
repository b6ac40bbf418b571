package kernel

import (
	"fmt"
	"math"
)

// block is the number of candidates whose d² are computed before they are
// compared: few enough to stay in the nearest cache.
const block = 256

// squares sets sum[k] to d² between query i of q and point lo+k of d.
func squares(q *Points, i int, d *Points, lo int, sum []float64) {
	n := len(sum)
	column := func(c int) (float64, []float64) {
		return q.Data[c*q.Stride+i], d.Data[c*d.Stride+lo:][:n]
	}
	x, xs := column(0)
	if d.Dim == 1 {
		for k := range sum {
			a := x - xs[k]
			sum[k] = float64(a * a)
		}
		return
	}
	y, ys := column(1)
	if d.Dim == 2 {
		for k := range sum {
			a, b := x-xs[k], y-ys[k]
			sum[k] = float64(a*a) + float64(b*b)
		}
		return
	}
	z, zs := column(2)
	for k := range sum {
		a, b, c := x-xs[k], y-ys[k], z-zs[k]
		sum[k] = float64(a*a) + float64(b*b) + float64(c*c)
	}
	c := 3
	for ; c+1 < d.Dim; c += 2 {
		x, xs := column(c)
		y, ys := column(c + 1)
		for k := range sum {
			a, b := x-xs[k], y-ys[k]
			sum[k] = sum[k] + float64(a*a) + float64(b*b)
		}
	}
	if c < d.Dim {
		x, xs := column(c)
		for k := range sum {
			a := x - xs[k]
			sum[k] += float64(a * a)
		}
	}
}

// within is 1 if d2 ≤ t and 0 otherwise, without a branch.
func within(d2, t float64) int {
	var n int
	if d2 <= t {
		n = 1
	}
	return n
}

func countGeneric(q *Points, lo, hi int, d *Points, runs []Run, t float64, count []uint32) {
	check(q, lo, hi, d, runs)
	checkCount(hi-lo, count)
	var buffer [block]float64
	for i := lo; i < hi; i++ {
		n := 0
		for _, r := range runs {
			for j := int(r.Lo); j < int(r.Hi); j += block {
				sum := buffer[:min(block, int(r.Hi)-j)]
				squares(q, i, d, j, sum)
				for _, d2 := range sum {
					n += within(d2, t)
				}
			}
		}
		count[i-lo] += uint32(n)
	}
}

func emitGeneric(q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int {
	total := check(q, lo, hi, d, runs)
	checkCount(hi-lo, count)
	checkRoom(hi-lo, total, d, room(out, dist))
	e := &emission{t: t, out: out, dist: dist}
	for i := lo; i < hi; i++ {
		count[i-lo] = e.query(q, i, d, runs)
	}
	return e.n
}

func emitSelfGeneric(p *Points, lo, hi, begin, end int, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int {
	checkSelf(p, lo, hi, begin, end, runs, room(out, dist), count)
	e := &emission{t: t, out: out, dist: dist}
	for i := lo; i < hi; i++ {
		own := around(i, begin, end)
		count[i-lo] = e.query(p, i, p, own[:]) + e.query(p, i, p, runs)
	}
	return e.n
}

// around returns the candidates around query i in its own block, as EmitSelf
// has them.
func around(i, begin, end int) [2]Run {
	return [2]Run{{uint32(i + 1), uint32(end)}, {uint32(min(begin, i)), uint32(i)}}
}

// An emission writes the IDs of points within t to out, and d² to dist unless
// that is nil.
type emission struct {
	t      float64
	out    []uint32
	dist   []float64
	n      int // written
	buffer [block]float64
}

// query writes the points of runs within t of point i of q, and returns how many
// there are.
func (e *emission) query(q *Points, i int, d *Points, runs []Run) uint32 {
	n, t := e.n, e.t
	for _, r := range runs {
		for j := int(r.Lo); j < int(r.Hi); j += block {
			sum := e.buffer[:min(block, int(r.Hi)-j)]
			squares(q, i, d, j, sum)
			ids := d.ID[j:][:len(sum)]
			if e.dist == nil {
				for k, d2 := range sum {
					e.out[n] = ids[k]
					n += within(d2, t)
				}
				continue
			}
			for k, d2 := range sum {
				e.out[n], e.dist[n] = ids[k], d2
				n += within(d2, t)
			}
		}
	}
	found := n - e.n
	e.n = n
	return uint32(found)
}

func halfGeneric(p *Points, lo, hi, end int, runs []Run, t float64, count []uint32) {
	checkHalf(p, lo, hi, end, runs, count)
	var buffer [block]float64
	for i := lo; i < hi; i++ {
		n := halfRun(p, i, Run{uint32(i + 1), uint32(end)}, t, count, buffer[:])
		for _, r := range runs {
			n += halfRun(p, i, r, t, count, buffer[:])
		}
		count[i] += uint32(n)
	}
}

// halfRun adds one to the count of each point of r within t of point i, and
// returns how many there are. buffer has block elements.
func halfRun(p *Points, i int, r Run, t float64, count []uint32, buffer []float64) int {
	n := 0
	for j := int(r.Lo); j < int(r.Hi); j += block {
		sum := buffer[:min(block, int(r.Hi)-j)]
		squares(p, i, p, j, sum)
		counts := count[j:][:len(sum)]
		for k, d2 := range sum {
			one := within(d2, t)
			counts[k] += uint32(one)
			n += one
		}
	}
	return n
}

func rootsGeneric(x []float64) {
	for i, v := range x {
		x[i] = math.Sqrt(v)
	}
}

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

package jointest

import (
	"fmt"
	"math"

	"skyjoin/neighbors"
)

// A Request is a random legal join: any metric with scales or without, periodic
// axes some or all of which are open, columns of either width, one catalog or
// two, any of them empty, coordinates up to the ends of what float64 holds, and
// radii that are distances of pairs, or just below.
type Request struct {
	Input neighbors.Input
	Radii []float64
	test  testCase
}

// RandomRequest draws a request with at most so many rows on a side. The same
// seed gives the same one.
func RandomRequest(seed uint64, most int) *Request {
	g := newGenerator(seed)
	for {
		query, data := g.IntN(most+1), -1
		if g.IntN(3) == 0 {
			data = g.IntN(most + 1)
		}
		c := g.request(query, data)
		// Scales can make coordinates infinite, which is not legal.
		if r := (&Request{c.input(), c.radii, c}); len(c.radii) > 0 {
			return r
		}
	}
}

// String describes the request, with its rows if they are few.
func (r *Request) String() string {
	c := &r.test
	s := fmt.Sprintf("%v, sides %v, scales %v, float32 %v, radii %v", c.metric, c.side, c.scale, c.narrow, c.radii)
	if len(c.query[0]) <= 8 {
		s += fmt.Sprintf(", query %v, data %v", c.query, c.data)
	}
	return s
}

// Random checks joiners on a random request, as Run does on the corpus, and in all
// further ways in which joins are consumed.
func Random(t Failer, seed uint64, most int, joiners ...neighbors.Joiner) {
	t.Helper()
	r := RandomRequest(seed, most)
	c := r.test
	c.supports = func(*neighbors.Plan) bool { return true }
	ref := newReference(c)
	for _, j := range joiners {
		f := asked{t, fmt.Sprintf("%T%+v, %v", j, j, r)}
		for _, radius := range c.radii {
			checkWithin(f, j, c, ref, radius, consumers...)
		}
		checkNearest(f, j, c, ref)
		for _, k := range []int{1, 5, most} {
			checkPartNearest(f, j, c, ref, k)
		}
	}
}

// numbers are at the limits of float64 arithmetic.
var numbers = []float64{0, math.Copysign(0, -1), 1, -1, 5e-324, -5e-324, 1e-310, 0x1p-1022, 1e-160, 1.5e-154, 1e-150, 0x1p-500, 1 + 0x1p-52, 1e9, 0x1p53, 1e150, 1.3e154, 1e300, -1e300, math.MaxFloat64, -math.MaxFloat64}

// fill fills a column in one of many ways; plainly makes it spread like other
// columns. side is the period of its axis, 0 if there is none.
func (g generator) fill(v []float64, side float64, plainly bool) {
	if plainly {
		width := side
		if side == 0 {
			width = 10
		}
		clump := g.IntN(3)
		for i := range v {
			if v[i] = width * g.Float64(); clump == 0 && i%2 == 0 {
				v[i] = width * (.3 + .01*g.Float64())
			}
		}
		return
	}
	scale := []float64{1, 1, 1, .1, 1e-3, 1e9, 1e-160, 1e150, 1e307}[g.IntN(9)]
	offset := []float64{0, 0, 0, 1, 1e9, -1e300}[g.IntN(6)]
	if side > 0 && g.IntN(4) > 0 {
		scale, offset = side/4, side/2
	}
	draw := [...]func(i int) float64{
		func(int) float64 { return float64(g.IntN(7))*scale + offset },
		func(int) float64 { return (8*g.Float64()-4)*scale + offset },
		func(int) float64 { return g.NormFloat64()*scale*.01 + offset },
		func(int) float64 { return scale + offset },
		func(int) float64 { return numbers[g.IntN(len(numbers))] },
		func(int) float64 { return math.Ldexp(2*g.Float64()-1, g.IntN(2098)-1073) },
		func(i int) float64 { return float64(i%2*2-1) * (math.MaxFloat64 - float64(g.IntN(3))*1e292) },
		func(int) float64 { // the edges of a box
			return []float64{0, side, -side, side / 2, -side / 2, math.Nextafter(side, 0), math.Nextafter(side/2, 0), -5e-324, 3 * side, side * g.Float64(), side * g.Float64()}[g.IntN(11)]
		},
	}
	kind := []int{0, 0, 0, 1, 1, 1, 2, 3, 4, 5, 6, 7}[g.IntN(12)]
	if side > 0 && g.IntN(2) == 0 {
		kind = []int{1, 7}[g.IntN(2)]
	}
	for i := range v {
		v[i] = draw[kind](i)
		if kind < 3 && g.IntN(50) == 0 { // an outlier
			v[i] = numbers[g.IntN(len(numbers))]
		}
		v[i] = min(max(v[i], -math.MaxFloat64), math.MaxFloat64)
	}
}

// fillAngles fills a column of right ascensions, or declinations.
func (g generator) fillAngles(v []float64, dec bool) {
	most, at := 360.0, 90*float64(g.IntN(5))
	if dec {
		most, at = 90, 90*float64(g.IntN(3)-1)
	}
	kind := g.IntN(4)
	width := math.Pow(10, -float64(g.IntN(13)))
	for i := range v {
		switch kind {
		case 0:
			v[i] = most * (2*g.Float64() - 1)
		case 1: // a field
			v[i] = at + width*g.Float64()
		case 2:
			v[i] = 15 * float64(g.IntN(49)-24)
		case 3:
			v[i] = []float64{0, math.Copysign(0, -1), 5e-324, -5e-324, 90, -90, 180, -180, 360, 720, -1e17, math.MaxFloat64}[g.IntN(12)]
		}
		if dec {
			v[i] = min(max(v[i], -90), 90)
		}
	}
}

// request draws a request with so many rows on each side; data < 0: a self-join.
func (g generator) request(query, data int) testCase {
	c := testCase{name: "random", kind: []kind{plain, periodic, periodic, sky, skyPosition}[g.IntN(5)]}
	scaled := g.IntN(3) == 0
	dim := 1 + g.IntN([]int{2, 3, 3, 5, 10}[g.IntN(5)])
	switch {
	case c.kind == sky && !scaled:
		dim = 2
	case c.kind == sky:
		dim = 2 + g.IntN(3)
	case c.kind == skyPosition:
		if dim = 3; scaled {
			dim += g.IntN(3)
		}
	}
	if c.kind == periodic {
		sides := []float64{0, 1, 10, 9.5}
		if g.IntN(3) == 0 {
			sides = append(sides, 0, .1, 1e-300, 5e-324, 1e-152, 1e300, math.MaxFloat64)
		}
		for range dim {
			c.side = append(c.side, sides[g.IntN(len(sides))])
		}
		if g.IntN(6) == 0 {
			clear(c.side)
		}
	}
	c.metric = []neighbors.Metric{neighbors.Euclidean(), neighbors.Periodic(c.side...), neighbors.Sky(), neighbors.SkyDistance()}[c.kind]
	if scaled {
		first := []int{0, 0, 1, 2}[c.kind]
		for range dim - first {
			c.scale = append(c.scale, []float64{1, .3, 3, 7, .7, 1e-3, 1e-100, 1e100, 1e300}[g.IntN(9)])
		}
		if c.kind == sky || c.kind == skyPosition {
			c.scale[0] = []float64{1, .01, 1e-6, 3}[g.IntN(4)]
		}
		c.metric = c.metric.Scaled(c.scale...)
	}
	plainly := g.IntN(2) == 0
	rows := func(n int) [][]float64 {
		cols := columns(n, dim, func(_, _ int) float64 { return 0 })
		for j, v := range cols {
			switch {
			case j < 2 && (c.kind == sky || c.kind == skyPosition):
				g.fillAngles(v, j == 1)
			case j == 2 && c.kind == skyPosition:
				width := []float64{0, 1, 1e-3, 1e100}[g.IntN(4)]
				for i := range v {
					v[i] = width*g.Float64() + float64(g.IntN(2))
				}
			default:
				side := 0.0
				if c.side != nil {
					side = c.side[j]
				}
				g.fill(v, side, plainly)
			}
		}
		for range g.IntN(n + 1) { // the same place twice
			from, to := g.IntN(n), g.IntN(n)
			for _, v := range cols {
				v[to] = v[from]
			}
		}
		return cols
	}
	c.query = rows(query)
	if data >= 0 {
		c.data = rows(data)
	}
	if g.IntN(3) == 0 {
		for j := range dim {
			if g.IntN(2) == 0 {
				c.narrow = append(c.narrow, j)
				toFloat32(c.query[j])
				if c.data != nil {
					toFloat32(c.data[j])
				}
			}
		}
	}
	c.radii = g.radiiOf(&c)
	return c
}

// toFloat32 rounds numbers to float32.
func toFloat32(v []float64) {
	for i, x := range v {
		v[i] = min(max(float64(float32(x)), -math.MaxFloat32), math.MaxFloat32)
	}
}

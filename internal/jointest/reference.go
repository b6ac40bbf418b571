package jointest

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

// A reference answers a case by brute force, by the definition: fl(sqrt(d²)) ≤
// radius. It shares no code with the joiners.
type reference struct {
	c       testCase
	d2      [][]float64 // by query and data row; NaN for a row and itself
	angle   [][]float64 // on the sky without scales, with an error of about 1e-15
	order   [][]uint32  // data rows by (d², row), once asked for
	mu      sync.Mutex  // of order and adopted: runs may be side by side
	adopted bool
	queries int
	data    int
}

func newReference(c testCase) *reference {
	q := c.lowered(c.query)
	d := q
	if c.data != nil {
		d = c.lowered(c.data)
	}
	r := &reference{c: c, queries: len(q), data: len(d)}
	side := c.periods()
	for i, x := range q {
		row := make([]float64, len(d))
		var angles []float64
		for j, y := range d {
			row[j] = squared(x, y, side)
			if c.data == nil && i == j {
				row[j] = math.NaN()
			}
			if c.kind == sky && c.scale == nil {
				angles = append(angles, angle(x, y))
			}
		}
		r.d2 = append(r.d2, row)
		r.angle = append(r.angle, angles)
	}
	return r
}

// periods returns the sides after scaling.
func (c *testCase) periods() []float64 {
	side := slices.Clone(c.side)
	for j := range side {
		if c.scale != nil {
			side[j] /= c.scale[j]
		}
	}
	return side
}

// lowered returns the positions, by row.
func (c *testCase) lowered(columns [][]float64) [][]float64 {
	rows := make([][]float64, len(columns[0]))
	scale := func(j int) float64 {
		if c.scale == nil {
			return 1
		}
		return c.scale[j]
	}
	for i := range rows {
		var x []float64
		rest := 0
		if c.kind == sky || c.kind == skyPosition {
			ra, dec := math.Mod(columns[0][i], 360)*math.Pi/180, columns[1][i]*math.Pi/180
			x = []float64{math.Cos(dec) * math.Cos(ra), math.Cos(dec) * math.Sin(ra), math.Sin(dec)}
			rest = 2
			if c.kind == skyPosition {
				rest = 3
			}
			for k := range x {
				if c.kind == skyPosition {
					x[k] *= columns[2][i]
				}
				x[k] /= scale(0)
			}
		}
		for j := rest; j < len(columns); j++ {
			v := columns[j][i]
			if c.kind == periodic && c.side[j] > 0 {
				v = math.Mod(v, c.side[j])
				if v < 0 {
					v += c.side[j]
				}
				if v == c.side[j] {
					v = 0
				}
			}
			s := scale(max(j-rest, 0))
			if rest > 0 {
				s = scale(j - rest + 1)
			}
			x = append(x, v/s)
		}
		rows[i] = x
	}
	return rows
}

// squared returns d² by the definition: differences first, squares summed in order,
// nothing fused.
func squared(x, y, side []float64) float64 {
	var sum float64
	for j := range x {
		d := x[j] - y[j]
		if side != nil && side[j] > 0 {
			if d < 0 {
				d = -d
			}
			if around := side[j] - d; around < d {
				d = around
			}
		}
		square := d * d
		sum = sum + float64(square)
	}
	return sum
}

// angle is the angle between unit vectors, by their cross and dot products.
func angle(x, y []float64) float64 {
	c0, c1, c2 := x[1]*y[2]-x[2]*y[1], x[2]*y[0]-x[0]*y[2], x[0]*y[1]-x[1]*y[0]
	return math.Atan2(math.Sqrt(c0*c0+c1*c1+c2*c2), x[0]*y[0]+x[1]*y[1]+x[2]*y[2])
}

// chord2 is the squared chord of an angle, which is all that joins compare: it
// hardly tells angles near 180° apart.
func chord2(angle float64) float64 {
	s := math.Sin(angle / 2)
	return 4 * s * s
}

// sloppy reports whether the rounding errors of positions differ from those of the
// reference. Positions then have a margin, and exact comparisons take d² from the
// plan.
func (r *reference) sloppy() bool { return r.c.kind == sky || r.c.kind == skyPosition }

// adopt replaces d² by that of the plan where they may differ, and returns the
// largest difference of distances.
func (r *reference) adopt(p *neighbors.Plan) (worst float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.adopted {
		return 0
	}
	r.adopted = true
	size := r.size()
	for i, row := range r.d2 {
		for j, v := range row {
			if math.IsNaN(v) {
				continue
			}
			got := p.SquaredDistance(uint32(i), uint32(j))
			if got != v {
				root := math.Sqrt(v)
				worst = max(worst, math.Abs(math.Sqrt(got)-root)/max(size, root))
			}
			row[j] = got
		}
	}
	return worst
}

// size is the length of the longest position on the sky.
func (r *reference) size() float64 {
	size := 1.0
	if r.c.kind == skyPosition {
		size = 0
		for _, columns := range [][][]float64{r.c.query, r.c.data} {
			if columns != nil && len(columns[2]) > 0 {
				size = max(size, slices.Max(columns[2]))
			}
		}
	}
	if r.c.scale != nil {
		size /= r.c.scale[0]
	}
	return size
}

// neighbour reports whether row j is within radius of query i.
func (r *reference) neighbour(p *neighbors.Plan, i, j int, radius float64) bool {
	d2 := r.d2[i][j]
	if math.IsNaN(d2) {
		return false
	}
	if len(r.angle[i]) > 0 {
		a := r.angle[i][j]
		if math.Abs(a-radius) <= 1e-14 || a > math.Pi/2 && math.Abs(chord2(a)-chord2(radius)) <= 2e-14 {
			return d2 <= p.SquaredRadius()
		}
		return a < radius
	}
	return math.Sqrt(d2) <= radius
}

// distance is the reported distance.
func (r *reference) distance(p *neighbors.Plan, i, j int) float64 {
	if len(r.angle[i]) > 0 {
		return p.Distance(uint32(i), uint32(j))
	}
	return math.Sqrt(r.d2[i][j])
}

// within returns the neighbours of query i, ascending.
func (r *reference) within(p *neighbors.Plan, i int, radius float64) []uint32 {
	return each.Which(r.data, func(j int) bool { return r.neighbour(p, i, j, radius) })
}

// nearest returns all rows in the order of (d², row).
func (r *reference) nearest(i int) []uint32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.order == nil {
		r.order = make([][]uint32, r.queries)
	}
	if r.order[i] != nil {
		return r.order[i]
	}
	list := []uint32{}
	for j, d2 := range r.d2[i] {
		if !math.IsNaN(d2) {
			list = append(list, uint32(j))
		}
	}
	slices.SortFunc(list, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(r.d2[i][a], r.d2[i][b]), cmp.Compare(a, b))
	})
	r.order[i] = list
	return list
}

package jointest

import (
	"math"
	"slices"
)

// radiiOf draws legal radii: none if the coordinates are not.
func (g generator) radiiOf(c *testCase) (radii []float64) {
	x := c.lowered(c.query)
	y := x
	if c.data != nil {
		y = c.lowered(c.data)
	}
	for _, row := range slices.Concat(x, y) {
		if slices.ContainsFunc(row, func(v float64) bool { return v-v != 0 }) {
			return nil
		}
	}
	most, side := math.MaxFloat64, c.periods()
	if c.kind == sky && c.scale == nil {
		most = math.Pi
	}
	for _, l := range side {
		if l > 0 {
			most = min(most, l/2)
		}
	}
	drawn := []float64{most, []float64{.25, .5, 1, math.Sqrt2, 3, .1, 1e-3}[g.IntN(7)], []float64{5e-324, 1e-160, 1e-150, 1e9, 1e100, 1e150, 1e154, 2e154}[g.IntN(8)]}
	for _, pairs := range []int{1, 1, 1, 20, 200, 200} { // the nearest of so many
		if len(x) == 0 || len(y) == 0 {
			break
		}
		d := math.Inf(1)
		for range pairs {
			a, b := x[g.IntN(len(x))], y[g.IntN(len(y))]
			apart := math.Sqrt(squared(a, b, side))
			if c.kind == sky && c.scale == nil {
				apart = angle(a, b)
			}
			if apart > 0 {
				d = min(d, apart)
			}
		}
		drawn = append(drawn, d, math.Nextafter(d, 0))
	}
	g.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	for _, r := range drawn {
		if r > 0 && r <= most && len(radii) < 3 {
			radii = append(radii, r)
		}
	}
	if radii == nil { // a side of one subnormal number has no radius at all
		radii = append(radii, most)
	}
	if most == 0 {
		return nil
	}
	return radii
}

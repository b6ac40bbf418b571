package grid

import (
	"math"
	"math/rand/v2"
	"testing"

	"skyjoin/internal/column"
)

// ulps moves x by n units in the last place.
func ulps(x float64, n int) float64 {
	for ; n > 0; n-- {
		x = math.Nextafter(x, math.Inf(1))
	}
	for ; n < 0; n++ {
		x = math.Nextafter(x, math.Inf(-1))
	}
	return x
}

// farthest returns the largest y whose computed difference from x is at most
// radius.
func farthest(x, radius float64) float64 {
	y := x + radius
	for y-x > radius {
		y = ulps(y, -1)
	}
	for i := 0; i < 8 && ulps(y, 1)-x <= radius; i++ {
		y = ulps(y, 1)
	}
	return y
}

// Coordinates around the edges of cells, and those just within the radius of
// them, are never more than reach cells apart: not where quotients are large
// and roughest either.
func TestEdgesOfCells(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300_000 {
		reach := 1 + r.IntN(8)
		radius := math.Ldexp(1+r.Float64(), r.IntN(200)-100)
		if r.IntN(3) == 0 {
			radius = math.Ldexp(1, r.IntN(200)-100)
		}
		cells := math.Floor(math.Exp2(31 * r.Float64()))
		least := 0.0
		if r.IntN(2) == 0 {
			least = radius * (r.Float64() - .5) * cells
		}
		a, ok := newUniform(radius, least, least+cells*radius/float64(reach), reach)
		if !ok {
			continue
		}
		edge := math.Floor(cells * r.Float64())
		x := ulps(least+edge/a.scale, r.IntN(7)-3)
		y := farthest(x, radius)
		if x < least || y > least+cells*radius/float64(reach) {
			continue
		}
		if i, j := a.number(x), a.number(y); j < i || j-i > a.reach {
			t.Fatalf("radius %v from %v: %v is in cell %d, %v in cell %d, reach %d", radius, least, x, i, y, j, reach)
		}
	}
}

// The same round the edge of a period.
func TestEdgesOfPeriods(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 300_000 {
		reach := 1 + r.IntN(8)
		side := math.Ldexp(1+r.Float64(), r.IntN(100)-50)
		radius := side / 2 * math.Exp2(-28*r.Float64())
		a, ok := newPeriodic(radius, side, reach)
		if !ok {
			continue
		}
		x := max(0, ulps(math.Floor(float64(reach)*r.Float64())/a.scale, r.IntN(7)-3))
		y := side - (radius - x) // its image is radius below x
		for k := -8; k <= 8; k++ {
			y := ulps(y, k)
			if d := math.Abs(x - y); y >= side || y < 0 || side-d > radius {
				continue
			}
			i, j := a.number(x), a.number(y)
			if gap := i + a.cells - j; j < i || gap > a.reach {
				t.Fatalf("side %v, radius %v: %v is in cell %d, %v in cell %d of %d, reach %d", side, radius, x, i, y, j, a.cells, reach)
			}
		}
		if n := a.number(side); n != a.cells-1 {
			t.Fatalf("the side itself is in cell %d of %d", n, a.cells)
		}
	}
}

func TestEdgesOfSlabs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 3000 {
		reach := 1 + r.IntN(8)
		radius := math.Ldexp(1+r.Float64(), r.IntN(40)-20)
		var values []float64
		x := radius * 1e6 * (r.Float64() - .5)
		for range 40 {
			values = append(values, x)
			switch r.IntN(4) {
			case 0:
				x = farthest(x, radius)
			case 1:
				x = farthest(x, radius/float64(reach))
			case 2:
				x += radius * r.Float64()
			case 3:
				x += radius * 1e3 * r.Float64()
			}
		}
		a := newSlabs(radius, reach, column.Column{Float64: values[:20]}, column.Column{Float64: values[20:]})
		for _, x := range values {
			for _, y := range values {
				if i, j := a.number(x), a.number(y); y >= x && (j < i || y-x <= radius && j-i > a.reach) {
					t.Fatalf("radius %v: %v is in slab %d, %v in slab %d, reach %d", radius, x, i, y, j, reach)
				}
			}
		}
	}
}

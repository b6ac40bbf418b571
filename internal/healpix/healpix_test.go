package healpix

import (
	"math"
	"math/rand/v2"
	"testing"
)

// cellAt is Cell of a position in degrees, of the order.
func cellAt(order int, ra, dec float64) int64 {
	sin, cos := math.Sincos(dec * math.Pi / 180)
	return Cell(ra, sin, cos) >> (2 * (MaxOrder - order))
}

// Cells as healpy 1.16 (nest=True, lonlat=True) numbers them.
func TestKnownCells(t *testing.T) {
	for _, c := range []struct {
		order   int
		ra, dec float64
		cell    int64
	}{
		// Base cells: four around each pole, four on the equator from RA 0 on.
		{0, 45, 60, 0}, {0, 135, 60, 1}, {0, 225, 60, 2}, {0, 315, 60, 3},
		{0, 0, 0.1, 4}, {0, 90, 0.1, 5}, {0, 180, -0.1, 6}, {0, 270, 0.1, 7},
		{0, 45, -60, 8}, {0, 135, -60, 9}, {0, 225, -60, 10}, {0, 315, -60, 11},
		// The poles are the last cell of a northern face and the first of a southern.
		{1, 10, 90, 3}, {1, 100, 90, 7}, {1, 10, -90, 32}, {29, 10, -90, 8 << 58},
		// Anywhere, with RA in any range.
		{0, 188.51157, 64.280238, 2}, {0, -76.205079, 63.80526, 3}, {0, 44.518645, -8.820946, 8}, {0, 415.945868, -10.46307, 8},
		{1, 215.707455, -70.888248, 40}, {1, 362.529438, 4.375152, 19}, {1, 57.406836, 35.229812, 1}, {1, 38.300277, -5.336461, 17},
		{3, -83.489978, -11.173115, 461}, {3, -33.512227, -28.38366, 756}, {3, 360.262564, -26.051732, 259}, {3, 169.337502, 74.044274, 119},
		{8, 512.393179, 26.716733, 84021}, {8, 209.683336, -26.501266, 702326}, {8, -64.330554, 70.02652, 257284}, {8, 191.569382, -50.19868, 691149},
		{12, 268.912624, 33.598258, 134002470}, {12, 261.362377, 56.573733, 41350383}, {12, -151.493129, 3.277876, 106681001}, {12, 150.721836, -61.0806, 152979948},
		{20, 281.756282, 44.851012, 4038691514462}, {20, 246.917533, -28.672674, 11528338522293}, {20, 424.714695, 1.088213, 6209713685400}, {20, 187.839997, 30.40177, 7651982816506},
		{26, -73.496134, 39.736173, 1050235448440185976 >> 6}, {26, 311.966572, 35.043199, 934751528062876697 >> 6}, {26, -42.246773, -56.813653, 3228469616128256641 >> 6},
		// Near the poles, and where the belt ends.
		{5, 123.4, 89.99, 2047}, {5, 321.4, -89.99, 11264}, {12, 45, 41.9, 12582927}, {12, 300, -41.7, 194615787},
	} {
		if got := cellAt(c.order, c.ra, c.dec); got != c.cell {
			t.Errorf("order %d at (%v, %v): cell %d, want %d", c.order, c.ra, c.dec, got, c.cell)
		}
	}
}

// A point inside of a cell is in that cell, at every order, and no farther from
// its centre than Radius; the bound is not much too large either.
func TestCellsHoldTheirPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for order := range MaxOrder + 1 {
		worst := 0.0
		for range 4000 {
			cell := rng.Int64N(Cells(order))
			u, v := rng.Float64(), rng.Float64()
			if rng.IntN(2) == 0 { // along the edges, corners included
				u, v = math.Round(u), math.Round(v*4)/4
			}
			x, y, z := Map{uint(order)}.Point(cell, u, v)
			cx, cy, cz := Centre(order, cell)
			far := 2 * math.Asin(min(1, math.Sqrt((x-cx)*(x-cx)+(y-cy)*(y-cy)+(z-cz)*(z-cz))/2))
			worst = max(worst, far)
			if far > Radius(order) {
				t.Fatalf("order %d, cell %d at (%v, %v): %v rad from the centre, the bound is %v", order, cell, u, v, far, Radius(order))
			}
			if order > 20 || u < .01 || u > .99 || v < .01 || v > .99 {
				continue // RA and Dec in float64 tell finer cells apart near their middle only
			}
			if got := Cell(math.Atan2(y, x)*180/math.Pi, z, math.Hypot(x, y)) >> (2 * (MaxOrder - order)); got != cell {
				t.Fatalf("order %d: a point of cell %d is in cell %d", order, cell, got)
			}
		}
		if order > 0 && worst < 0.8*Radius(order) {
			t.Errorf("order %d: points are within %v of centres, the bound is %v", order, worst, Radius(order))
		}
	}
}

// Cells of one order have one area.
func TestEqualArea(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const order, n = 2, 400_000
	count := make([]int, Cells(order))
	for range n {
		z := 2*rng.Float64() - 1
		count[Cell(360*rng.Float64(), z, math.Sqrt((1-z)*(1+z)))>>(2*(MaxOrder-order))]++
	}
	want := float64(n) / float64(len(count))
	for cell, c := range count {
		if d := math.Abs(float64(c) - want); d > 6*math.Sqrt(want) {
			t.Errorf("cell %d has %d of %d points, want about %.0f", cell, c, n, want)
		}
	}
}

func TestRange(t *testing.T) {
	lo, hi := Range(1, 5)
	if lo != 5<<56 || hi != 6<<56 {
		t.Errorf("[%d, %d)", lo, hi)
	}
	if _, hi := Range(0, Base-1); hi != Cells(MaxOrder) || hi < 0 {
		t.Errorf("the last range ends at %d, want %d", hi, Cells(MaxOrder))
	}
}

// Positions that are hard to place are in some cell, and one position has one
// whatever the turn of its right ascension.
func TestEdges(t *testing.T) {
	for _, dec := range []float64{-90, -89.9999999999, -41.8103148957786, 0, 1e-300, 41.8103148957786, 89.99999999999999, 90} {
		for _, ra := range []float64{-1e-300, -1e-17, 0, 45, 89.99999999999999, 90, 180, 270, 359.99999999999994, 360, 1e15} {
			c := cellAt(MaxOrder, ra, dec)
			if c < 0 || c >= Cells(MaxOrder) {
				t.Errorf("(%v, %v): cell %d", ra, dec, c)
			}
		}
		for _, turn := range []float64{-720, -360, 360, 3600} {
			if a, b := cellAt(MaxOrder, 90, dec), cellAt(MaxOrder, 90+turn, dec); a != b {
				t.Errorf("dec %v: cells %d and %d", dec, a, b)
			}
		}
	}
}

func BenchmarkCell(b *testing.B) {
	sin, cos := math.Sincos(1)
	var sum int64
	for i := range b.N {
		sum += Cell(float64(i), sin, cos)
	}
	_ = sum
}

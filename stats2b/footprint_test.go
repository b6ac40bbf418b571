package stats2b

import (
	"math"
	"math/rand/v2"
	"testing"

	"skyjoin/neighbors"
)

// skyPatch is n random positions in a box of RA and Dec.
func skyPatch(rng *rand.Rand, n int, ra, dec, width float64) *Sample {
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = math.Mod(ra+width*rng.Float64()+360, 360), dec+width*rng.Float64()
	}
	return &Sample{Points: must(neighbors.NewPoints(neighbors.Float64s(x), neighbors.Float64s(y)))}
}

func TestCompareFootprints(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	randoms := skyPatch(rng, 4000, 355, 40, 10) // across RA 0
	for _, c := range []struct {
		name     string
		data     *Sample
		low, top float64 // share outside
	}{
		{"the same field", skyPatch(rng, 3000, 355, 40, 10), 0, 0},
		{"a part of it", skyPatch(rng, 500, 358, 44, 3), 0, 0},
		{"clumps in it", skyPatch(rng, 5000, 359.9, 44, 0.01), 0, 0},
		{"one row", skyPatch(rng, 1, 359.9, 44, 0.01), 0, 0},
		{"the half of it", skyPatch(rng, 3000, 0, 40, 10), 0.4, 0.5},
		{"the other hemisphere", skyPatch(rng, 3000, 355, -40, 10), 1, 1},
		{"the field beside", skyPatch(rng, 3000, 20, 40, 10), 1, 1},
	} {
		f, err := Compare(t.Context(), c.data, randoms, neighbors.Sky(), Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := f.Share(); f.Rows != min(2000, c.data.Points.Len()) || got < c.low || got > c.top {
			t.Errorf("%s: %v of %d rows are outside, want %v to %v", c.name, got, f.Rows, c.low, c.top)
		}
		if c.low == 1 && !(f.Nearest > 3*f.Spacing && f.Nearest > 0.05) {
			t.Errorf("%s: the nearest is at %v, spacing %v", c.name, f.Nearest, f.Spacing)
		}
	}
}

// Few randoms, or such as are all there twice, tell nothing of a footprint.
func TestCompareWithoutFootprint(t *testing.T) {
	for _, randoms := range []*Sample{line(), line(5), line(5, 5, 9, 9)} {
		if f, err := Compare(t.Context(), line(1, 2, 100), randoms, neighbors.Euclidean(), Options{}); err != nil || f.Outside != 0 {
			t.Errorf("%d randoms: %+v, %v", randoms.Points.Len(), f, err)
		}
	}
	if f, err := Compare(t.Context(), line(1, 100), line(0, 2, 3), neighbors.Euclidean(), Options{}); err != nil || f.Outside != 1 || f.Spacing != 2 || f.Nearest != 1 {
		t.Errorf("%+v, %v: want one row outside, spacing 2, nearest 1", f, err)
	}
}

// Rows of weight 0 are as if they were not there: of the data where there are no
// randoms, and of the randoms far from all others.
func TestCompareWithoutRowsOfNoWeight(t *testing.T) {
	data, randoms := line(1, 2, 50, 60), line(0, 1, 2, 3, 40)
	data.Weights, randoms.Weights = []float64{2, -1, 0, 0}, []float64{1, 1, 1, 1, 0}
	want, err := Compare(t.Context(), line(1, 2), line(0, 1, 2, 3), neighbors.Euclidean(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Compare(t.Context(), data, randoms, neighbors.Euclidean(), Options{}); err != nil || *got != *want || want.Outside != 0 {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	data.Weights = []float64{1}
	if _, err := Compare(t.Context(), data, randoms, neighbors.Euclidean(), Options{}); err == nil {
		t.Error("one weight for four rows")
	}
}

// More randoms than are looked at: those at even steps.
func TestCompareManyRandoms(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	randoms := skyPatch(rng, footprintRandoms+5, 10, 0, 10)
	for ra, want := range map[float64]float64{10: 0, 30: 1} {
		if f, err := Compare(t.Context(), skyPatch(rng, 100, ra, 0, 10), randoms, neighbors.Sky(), Options{}); err != nil || f.Share() != want {
			t.Errorf("RA %v: %+v, %v, want a share of %v", ra, f, err, want)
		}
	}
}

package match

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"skyjoin/neighbors"
)

// An offset moves every row by its length, under any metric, wherever it is.
func TestOffset(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 4))
	n := 300
	col := func(lo, hi float64) []float64 {
		c := make([]float64, n)
		for i := range c {
			c[i] = lo + (hi-lo)*r.Float64()
		}
		return c
	}
	for name, c := range map[string]struct {
		metric neighbors.Metric
		points *neighbors.Points
		length float64
		within float64 // relative to the length
	}{
		"line":         {neighbors.Euclidean(), points(t, col(-5, 5)), 0.7, 1e-12},
		"plane":        {neighbors.Euclidean(), points(t, col(-5, 5), col(0, 1)), 0.7, 1e-12},
		"space":        {neighbors.Euclidean().Scaled(2, 0.5, 3), points(t, col(-5, 5), col(0, 1), col(0, 1)), 0.7, 1e-12},
		"periodic":     {neighbors.Periodic(8, 3), points(t, col(0, 8), col(0, 3)), 0.7, 1e-12},
		"sky":          {neighbors.Sky(), points(t, col(-360, 360), col(-90, 90)), 0.3 * neighbors.Degree, 1e-9},
		"sky and more": {neighbors.Sky().Scaled(neighbors.Degree, 5), points(t, col(0, 360), col(-90, 90), col(0, 1)), 0.3, 1e-5},
		"sky-distance": {neighbors.SkyDistance(), points(t, col(0, 360), col(-90, 90), col(50, 60)), 0.05, 1e-5},
	} {
		for _, direction := range []float64{0, 1, 2.5, 4, 6} {
			moved, err := Offset(c.points, c.metric, c.length, direction)
			if err != nil {
				t.Fatal(err)
			}
			ruler, err := neighbors.NewRuler(c.metric, c.points, moved)
			if err != nil {
				t.Fatal(err)
			}
			for i := range uint32(n) {
				if d := ruler.Distance(i, i); math.Abs(d/c.length-1) > c.within {
					t.Errorf("%s: row %d moved by %v in direction %v, want %v", name, i, d, direction, c.length)
				}
			}
		}
	}
	north, err := Offset(points(t, []float64{10}, []float64{20}), neighbors.Sky(), neighbors.Degree, 0)
	if err != nil || math.Abs(north.Column(1).At(0)-21) > 1e-12 {
		t.Errorf("a degree north of Dec 20: %v, %v", north, err)
	}
	east, err := Offset(points(t, []float64{359.5}, []float64{0}), neighbors.Sky(), neighbors.Degree, math.Pi/2)
	if err != nil || math.Abs(east.Column(0).At(0)-0.5) > 1e-12 {
		t.Errorf("a degree east of RA 359.5: %v, %v", east, err)
	}
	origin, err := Offset(points(t, []float64{10}, []float64{20}, []float64{0}), neighbors.SkyDistance(), 1, 1)
	if err != nil || math.IsNaN(origin.Column(0).At(0)+origin.Column(1).At(0)) {
		t.Errorf("a row at distance 0: %v, %v", origin, err)
	}
}

// Of uniform points, as many pairs are expected as the area of the circle has,
// whether or not the catalogs have rows in common.
func TestExpectByChance(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 5))
	const trials = 20
	n := 2000
	x, y, ra, dec := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = r.Float64(), r.Float64()
		ra[i], dec[i] = 360*r.Float64(), math.Asin(2*r.Float64()-1)/neighbors.Degree
	}
	all := float64(n) * float64(n)
	for name, c := range map[string]struct {
		metric neighbors.Metric
		a, b   *neighbors.Points
		o      Options
		want   float64
	}{
		"box, the same rows": {neighbors.Periodic(1, 1), points(t, x, y), points(t, x, y), Options{Find: All, Radius: 0.01}, all * math.Pi * 1e-4},
		"box, other rows":    {neighbors.Periodic(1, 1), points(t, x, y), points(t, y, x), Options{Find: All, Radius: 0.01}, all * math.Pi * 1e-4},
		"annulus":            {neighbors.Periodic(1, 1), points(t, x, y), points(t, x, y), Options{Find: All, Radius: 0.01, Min: 0.005}, all * math.Pi * 0.75e-4},
		"sky":                {neighbors.Sky(), points(t, ra, dec), points(t, ra, dec), Options{Find: All, Radius: neighbors.Degree}, all * (1 - math.Cos(neighbors.Degree)) / 2},
		"no row twice":       {neighbors.Periodic(1, 1), points(t, x, y), points(t, x, y), Options{Radius: 0.002}, all * math.Pi * 4e-6},
	} {
		got, err := ExpectByChance(t.Context(), c.a, c.b, c.metric, c.o, trials, 1)
		if err != nil {
			t.Fatal(name, err)
		}
		poisson := math.Sqrt(c.want / trials)
		if math.Abs(got.Mean-c.want) > 4*poisson || got.Error < poisson/2 || got.Error > poisson*2 || len(got.Matches) != trials {
			t.Errorf("%s: %.1f ± %.1f matches by chance, want %.1f", name, got.Mean, got.Error, c.want)
		}
		if again, err := ExpectByChance(t.Context(), c.a, c.b, c.metric, c.o, trials, 1); err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("%s: the same seed gives %v, %v", name, again, err)
		}
		if other, err := ExpectByChance(t.Context(), c.a, c.b, c.metric, c.o, trials, 2); err != nil || reflect.DeepEqual(got, other) {
			t.Errorf("%s: another seed gives %v, %v", name, other, err)
		}
	}
	for name, c := range map[string]struct {
		metric neighbors.Metric
		o      Options
		trials int
	}{
		"one trial":              {neighbors.Euclidean(), Options{Radius: 1}, 1},
		"no radius":              {neighbors.Euclidean(), Options{K: 1}, 5},
		"a quarter of the sky":   {neighbors.Sky(), Options{Radius: 9.1 * neighbors.Degree}, 5},
		"half of a box":          {neighbors.Periodic(100, 19), Options{Radius: 1}, 5},
		"no matches as of Cross": {neighbors.Euclidean(), Options{Radius: 1, Min: 2}, 5},
	} {
		if _, err := ExpectByChance(t.Context(), points(t, x, y), points(t, x, y), c.metric, c.o, c.trials, 1); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
	none := points(t, []float64{}, []float64{})
	if got, err := ExpectByChance(t.Context(), none, points(t, x, y), neighbors.Euclidean(), Options{Radius: 1}, 5, 1); err != nil || got.Mean != 0 || got.Error != 0 {
		t.Errorf("no rows: %v, %v", got, err)
	}
	if mean, standardError := meanOf([]int64{1, 2, 3, 6}); mean != 3 || math.Abs(standardError-math.Sqrt(14./12)) > 1e-15 {
		t.Errorf("mean %v ± %v", mean, standardError)
	}
}

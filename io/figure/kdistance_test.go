package figure

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The vertices left of a long curve stay within a thousandth of it in both
// directions, and jumps stay jumps.
func TestDecimationKeepsTheShape(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	curves := map[string]func(i int) float64{
		"exponential": func(int) float64 { return r.ExpFloat64() },
		"cauchy":      func(int) float64 { return math.Abs(math.Tan(math.Pi * r.Float64())) },
		"step":        func(i int) float64 { return float64(1 + i%2*1000) },
		"constant":    func(int) float64 { return 3 },
		"one outlier": func(i int) float64 { return 1 + 1e6*float64(max(0, 1-i)) },
		"zeros":       func(i int) float64 { return float64(i%3) * r.Float64() },
	}
	for name, value := range curves {
		d := make([]float64, 300_000)
		for i := range d {
			d[i] = value(i)
		}
		d = descending(d)
		y := distanceAxis(d, 0)
		height := func(i int) float64 { return y.scale.normalize(y.lo, y.hi, d[i]) }
		picked := decimate(d, y)
		if len(picked) > curveVertices || picked[0] != 0 || picked[len(picked)-1] != len(d)-1 {
			t.Errorf("%s: %d vertices from %d to %d, want at most %d from end to end", name, len(picked), picked[0], picked[len(picked)-1], curveVertices)
		}
		for i := 1; i < len(picked); i++ {
			a, b := picked[i-1], picked[i]
			dx, dy := float64(b-a)/float64(len(d)), height(a)-height(b)
			if dx > 1e-3 || dy > 1e-3 && b-a > 1 {
				t.Errorf("%s: a segment from point %d to %d, which is %v of the width and %v of the height", name, a, b, dx, dy)
				break
			}
		}
	}
}

func TestKDistanceOrder(t *testing.T) {
	d := []float64{1, math.NaN(), 3, math.Inf(1), 2, 0, -1}
	before := slices.Clone(d)
	if got, want := descending(d), []float64{3, 2, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("descending(%v) = %v, want %v", d, got, want)
	}
	for i := range d {
		if math.Float64bits(d[i]) != math.Float64bits(before[i]) {
			t.Fatalf("the caller's distances were changed: %v", d)
		}
	}
}

func TestKDistanceAxis(t *testing.T) {
	for _, c := range []struct {
		d    []float64
		knee float64
		log  bool
	}{
		{[]float64{1, 0.5, 0.02}, 0, false},
		{[]float64{1, 0.5, 0.005}, 0, true},
		{[]float64{1, 0.5, 0.005, 0, 0}, 0, true},
		{[]float64{1, 0.5}, 0.001, true}, // the knee is on the axis too
		{[]float64{0, 0}, 0, false},
		{nil, 0, false},
		{nil, 5, false},
	} {
		y := distanceAxis(c.d, c.knee)
		if _, log := y.scale.(logScale); log != c.log {
			t.Errorf("distances %v, knee %v: logarithmic %v, want %v", c.d, c.knee, log, c.log)
		}
		if c.knee > 0 {
			if at := y.scale.normalize(y.lo, y.hi, c.knee); !(at > 0 && at <= kneeHeight+1e-9) {
				t.Errorf("distances %v: knee %v at %v of the axis", c.d, c.knee, at)
			}
		}
	}
}

// The marked knee lies on the drawn curve.
func TestKneeIsOnTheCurve(t *testing.T) {
	d := []float64{8, 4, 2, 1}
	linear := axis{lo: 0, hi: 10, scale: distanceAxis(d, 0).scale}
	for level, want := range map[float64]float64{8: 0.5, 3: 2, 4: 1.5, 1: 3.5, 100: 0.5, 0.5: 3.5} {
		if got := crossing(d, level, linear); got != want {
			t.Errorf("the curve %v comes down to %v at x = %v, want %v", d, level, got, want)
		}
	}
	log := axis{lo: 0.1, hi: 10, scale: logScale{}}
	if got := crossing([]float64{4, 1}, 2, log); math.Abs(got-1) > 1e-12 {
		t.Errorf("on a logarithmic axis the curve 4, 1 comes down to 2 at x = %v, want 1", got)
	}
}

func TestDegenerateKDistance(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	same := make([]float64, 10000)
	for _, d := range [][]float64{nil, {0}, {1}, {0, 0}, {nan}, {inf, 1}, {1e300, 1e-300}, {5e-324, 1e308}, same} {
		for _, knee := range []float64{0, nan, inf, -1, 1, 5e-324, 1e300} {
			f, err := KDistance{Distances: d, K: 3, Knee: knee, Unit: "arcsec\n"}.Figure()
			if err != nil {
				t.Fatal(err)
			}
			if b := encode(t, f, "svg"); bytes.Contains(b, []byte("NaN")) || bytes.Contains(b, []byte("Inf")) {
				t.Errorf("%d distances, knee %v: SVG has coordinates that are no numbers", len(d), knee)
			}
		}
	}
	if _, err := (KDistance{K: -1}).Figure(); !errors.Is(err, ErrRequest) {
		t.Errorf("k = -1: error %v, want ErrRequest", err)
	}
}

// The radius that is advised first is marked and named beside the knee and the elbow,
// each with its mark.
func TestAdvisedRadiusIsMarked(t *testing.T) {
	var d []float64
	for i := range 1000 {
		d = append(d, 1000/float64(i+1))
	}
	p, err := KDistance{Distances: d, K: 14, Plateau: 2, Knee: 20, Elbow: 1.25, Style: Style{Width: SingleColumn}}.panel()
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, n := range p.notes {
		if !n.listed {
			t.Errorf("%v has no mark", n.lines)
		}
		said = append(said, n.lines...)
	}
	for _, e := range p.legend.head {
		said = append(said, e.label)
	}
	for _, want := range []string{"plateau: ε = 2", "min-points = 15", "knee: ε = 20", "elbow: ε = 1.25"} {
		if !slices.Contains(said, want) {
			t.Errorf("%q is not among %q", want, said)
		}
	}
}

package neighbors

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
)

// A ruler reports what a join reports.
func TestRuler(t *testing.T) {
	a := points(t, []float64{0, 350, 180, 10}, []float64{0, 80, -45, 0}, []float64{1, 2, 3, 4})
	b := points(t, []float64{1, 5, 359}, []float64{0, 10, -90}, []float64{1, 7, 2})
	for _, m := range []Metric{Euclidean(), Euclidean().Scaled(2, 3, 4), SkyDistance(), Sky().Scaled(.5, 2), Periodic(400, 0, 9)} {
		r, err := NewRuler(m, a, b)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Prepare(context.Background(), Input{Query: a, Data: b, Metric: m}, Nearest{K: 3})
		if err != nil {
			t.Fatal(err)
		}
		table, err := Collect(context.Background(), CPU{}, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Len() {
			for k, j := range table.List(i) {
				if got, want := r.Distance(uint32(i), j), table.Dists(i)[k]; got != want {
					t.Errorf("%v, rows %d and %d: %v, a join has %v", m, i, j, got, want)
				}
			}
		}
	}
	sky := func(p *Points) *Points { return &Points{n: p.n, cols: p.cols[:2]} }
	r, err := NewRuler(Sky(), sky(a), sky(b))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Distance(0, 0); math.Abs(got-math.Pi/180) > 1e-15 {
		t.Errorf("1° is %v rad", got)
	}
	if _, err := NewRuler(Euclidean(), a, sky(b)); !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), "3 columns of one side but 2") {
		t.Errorf("sides of 3 and 2 columns: %v", err)
	}
	if _, err := NewRuler(Sky(), a, b); err == nil {
		t.Error("three columns on the sky without scales: no error")
	}
	if _, err := NewRuler(Sky(), sky(a), points(t, []float64{0}, []float64{91})); err == nil {
		t.Error("declination 91: no error")
	}
}

func TestMetricParts(t *testing.T) {
	for _, c := range []struct {
		m        Metric
		position int
		side     float64
	}{{Euclidean(), 0, 0}, {Sky(), 2, 0}, {SkyDistance(), 3, 0}, {Periodic(0, 7), 0, 7}} {
		if c.m.PositionColumns() != c.position || c.m.Side(1) != c.side || c.m.Side(2) != 0 {
			t.Errorf("%v: %d position columns, side %v; want %d, %v", c.m, c.m.PositionColumns(), c.m.Side(1), c.position, c.side)
		}
	}
	if x, y, z := UnitVector(90, 0); x != 0 || y != 1 || z != 0 {
		t.Errorf("UnitVector(90, 0) = %v, %v, %v", x, y, z)
	}
}

func points(t *testing.T, cols ...[]float64) *Points {
	t.Helper()
	c := make([]Column, len(cols))
	for i := range cols {
		c[i] = Float64s(cols[i])
	}
	p, err := NewPoints(c...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

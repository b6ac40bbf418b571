package neighbors

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"skyjoin/internal/column"
)

func TestRequestsRefused(t *testing.T) {
	xy := func(n int) *Points {
		cols := make([]Column, n)
		for j := range cols {
			cols[j] = Float64s([]float64{1, 2, 3})
		}
		p, err := NewPoints(cols...)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	within := Within{Radius: 1}
	for name, c := range map[string]struct {
		in   Input
		q    Query
		want error
		text string
	}{
		"no points":         {Input{}, within, ErrRequest, "no query points"},
		"columns":           {Input{Query: xy(2), Data: xy(3)}, within, ErrRequest, "2 query columns but 3"},
		"zero radius":       {Input{Query: xy(2)}, Within{}, ErrRequest, "radius 0"},
		"negative radius":   {Input{Query: xy(2)}, Within{Radius: -1}, ErrRequest, "radius -1"},
		"NaN radius":        {Input{Query: xy(2)}, Within{Radius: math.NaN()}, ErrRequest, "radius NaN"},
		"infinite radius":   {Input{Query: xy(2)}, Within{Radius: math.Inf(1)}, ErrRequest, "radius +Inf"},
		"sky radius":        {Input{Query: xy(2), Metric: Sky()}, Within{Radius: 4}, ErrRequest, "180°"},
		"sky columns":       {Input{Query: xy(1), Metric: Sky()}, within, ErrRequest, "needs 2 columns"},
		"sky scales":        {Input{Query: xy(3), Metric: Sky()}, within, ErrRequest, "needs scales"},
		"number of scales":  {Input{Query: xy(3), Metric: Sky().Scaled(1, 2, 3)}, within, ErrRequest, "3 scales given, 2"},
		"zero scale":        {Input{Query: xy(2), Metric: Euclidean().Scaled(1, 0)}, within, ErrRequest, "scale 1 is 0"},
		"number of sides":   {Input{Query: xy(2), Metric: Periodic(5)}, within, ErrRequest, "1 sides"},
		"negative side":     {Input{Query: xy(2), Metric: Periodic(5, -1)}, within, ErrRequest, "side 1 of the box is -1"},
		"radius over half":  {Input{Query: xy(2), Metric: Periodic(5, 0)}, Within{Radius: 2.6}, ErrRequest, "2.5"},
		"scaled half":       {Input{Query: xy(1), Metric: Periodic(5).Scaled(2)}, Within{Radius: 1.3}, ErrRequest, "1.25"},
		"zero k":            {Input{Query: xy(2)}, Nearest{}, ErrRequest, "k=0"},
		"negative k padded": {Input{Query: xy(2)}, Nearest{K: -2, Pad: true}, ErrRequest, "k=-2"},
		"too large k":       {Input{Query: xy(2)}, Nearest{K: 1 << 62}, ErrRequest, "k=4611686018427387904, which is more than the number of"},
		"vast k padded":     {Input{Query: xy(2)}, Nearest{K: 1 << 62, Pad: true}, ErrRequest, "at most 4294967294"},
		"no query":          {Input{Query: xy(2)}, nil, ErrRequest, "Within or Nearest"},
	} {
		_, err := Prepare(context.Background(), c.in, c.q)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.text)
		}
	}
}

func TestCoordinatesRefused(t *testing.T) {
	good := []float64{0, 1}
	if _, err := NewPoints(); !errors.Is(err, ErrRequest) {
		t.Errorf("no columns: %v", err)
	}
	if _, err := NewPoints(Float64s(good), Float64s(good[:1])); !errors.Is(err, ErrRequest) {
		t.Errorf("unequal columns: %v", err)
	}
	if _, err := NewPoints(Column{Float64: good, Float32: []float32{1, 2}}); !errors.Is(err, ErrRequest) {
		t.Errorf("both widths: %v", err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := NewPoints(Float64s([]float64{0, bad})); !errors.Is(err, ErrCoordinate) || !strings.Contains(err.Error(), "row 1") {
			t.Errorf("%v: %v", bad, err)
		}
		if _, err := NewPoints(Float32s([]float32{0, float32(bad)})); !errors.Is(err, ErrCoordinate) {
			t.Errorf("float32 %v: %v", bad, err)
		}
	}
	dec, err := NewPoints(Float64s(good), Float64s([]float64{0, 90.5}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Prepare(context.Background(), Input{Query: dec, Metric: Sky()}, Within{Radius: 1}); !errors.Is(err, ErrCoordinate) || !strings.Contains(err.Error(), "90.5") {
		t.Errorf("declination: %v", err)
	}
	behind, err := NewPoints(Float64s(good), Float64s(good), Float64s([]float64{0, -2.5}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Prepare(context.Background(), Input{Query: behind, Metric: SkyDistance()}, Within{Radius: 1}); !errors.Is(err, ErrCoordinate) || !strings.Contains(err.Error(), "row 1 has distance -2.5") {
		t.Errorf("distance: %v", err)
	}
	huge, err := NewPoints(Float64s([]float64{0, 1e308}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Prepare(context.Background(), Input{Query: huge, Metric: Euclidean().Scaled(1e-5)}, Within{Radius: 1}); !errors.Is(err, ErrCoordinate) || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("overflow by scaling: %v", err)
	}
}

func TestReduced(t *testing.T) {
	c := reduced(column.Column{Float64: []float64{0, 10, -10, 25, -1, -1e-17, 5e-324, 9.999999999999998, -9.999999999999998}}, 10, 2)
	want := []float64{0, 0, 0, 5, 9, 0, 5e-324, 9.999999999999998, 1.7763568394002505e-15}
	for i, w := range want {
		if got := c.At(i); got != w {
			t.Errorf("value %d is %v, want %v", i, got, w)
		}
	}
}

// Metrics do not change with the slices they were made of.
func TestMetricKeepsItsOwn(t *testing.T) {
	side, scale := []float64{5, 6}, []float64{1, 2}
	m := Periodic(side...).Scaled(scale...)
	side[0], scale[0] = -1, -1
	if err := m.Check(2); err != nil {
		t.Error(err)
	}
}

func TestLowered(t *testing.T) {
	p, err := NewPoints(Float64s([]float64{90}), Float64s([]float64{0}), Float32s([]float32{2}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		m    Metric
		want []float64
	}{
		{Euclidean(), []float64{90, 0, 2}},
		{Euclidean().Scaled(3, 1, 4), []float64{30, 0, .5}},
		{Sky().Scaled(.5, 4), []float64{0, 2, 0, .5}},
		{SkyDistance(), []float64{0, 2, 0}},
		{SkyDistance().Scaled(4), []float64{0, .5, 0}},
		{Periodic(7, 0, 1.5).Scaled(2, 1, 1), []float64{3, 0, .5}},
	} {
		s, err := c.m.lower(p, 3)
		if err != nil {
			t.Fatal(err)
		}
		if s.Dim() != len(c.want) {
			t.Fatalf("%v: %d coordinates, want %d", c.m, s.Dim(), len(c.want))
		}
		for j, w := range c.want {
			if got := s.Columns[j].At(0); got != w {
				t.Errorf("%v: coordinate %d is %v, want %v", c.m, j, got, w)
			}
		}
	}
}

func TestWork(t *testing.T) {
	w := NewWork([]uint32{1, 2, 3, 4, 5, 6}, func(row uint32) int64 { return int64(row) })
	if got := w.Take(3, 0); len(got) != 3 {
		t.Errorf("3 rows: %v", got)
	}
	back := w.Take(5, 9) // 4 + 5
	if len(back) != 2 || back[0] != 4 {
		t.Errorf("cost 9: %v", back)
	}
	w.Put(back)
	if got := w.Take(5, 1); len(got) != 1 || got[0] != 6 {
		t.Errorf("cost 1: %v, want one row however dear", got)
	}
	if got := w.Take(5, 0); len(got) != 2 || got[1] != 5 {
		t.Errorf("put back: %v", got)
	}
	if got := w.Take(5, 0); got != nil {
		t.Errorf("nothing left: %v", got)
	}
}

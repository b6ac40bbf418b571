package figure

import (
	"errors"
	"math"
	"testing"
)

// Mollweide's projection at values worked out by hand: 2θ + sin 2θ = π sin φ.
func TestMollweide(t *testing.T) {
	for lat := -90.0; lat <= 90; lat += 0.25 {
		_, v := mollweide(0, lat*degree)
		theta := math.Asin(max(-1, min(1, v)))
		if got, want := 2*theta+math.Sin(2*theta), math.Pi*math.Sin(lat*degree); math.Abs(got-want) > 1e-7 {
			t.Errorf("latitude %v: 2θ + sin 2θ = %v, want %v", lat, got, want)
		}
	}
	for _, c := range []struct{ lon, lat, u, v float64 }{
		{0, 0, 0, 0}, {180, 0, 2, 0}, {-90, 0, -1, 0}, {0, 90, 0, 1}, {77, -90, 0, -1},
		{90, 30, 0.914771, 0.403973},
	} {
		u, v := mollweide(c.lon*degree, c.lat*degree)
		if math.Abs(u-c.u) > 1e-5 || math.Abs(v-c.v) > 1e-5 {
			t.Errorf("mollweide(%v, %v) = %v, %v, want %v, %v", c.lon, c.lat, u, v, c.u, c.v)
		}
	}
}

// Equal areas on the sky are equal areas on Mollweide's map: the Jacobian is
// the same everywhere.
func TestMollweideKeepsAreas(t *testing.T) {
	const h = 1e-5
	area := func(lon, lat float64) float64 {
		ux, vx := mollweide(lon+h, lat)
		u, v := mollweide(lon, lat)
		uy, vy := mollweide(lon, lat+h)
		return math.Abs((ux-u)*(vy-v)-(uy-u)*(vx-v)) / (h * h * math.Cos(lat))
	}
	want := area(0, 0)
	for _, lat := range []float64{-1.4, -0.9, 0.3, 1.1, 1.45} {
		if got := area(0.7, lat); math.Abs(got/want-1) > 1e-3 {
			t.Errorf("latitude %v: area %v of that at the equator", lat, got/want)
		}
	}
}

// Aitoff's projection: the equator and the middle meridian are true to scale,
// the edge is the ellipse.
func TestAitoff(t *testing.T) {
	for _, c := range []struct{ lon, lat, u, v float64 }{
		{0, 0, 0, 0}, {90, 0, 1, 0}, {180, 0, 2, 0}, {0, 45, 0, 0.5}, {0, -90, 0, -1},
		{180, 60, 2 * math.Cos(math.Pi/3), math.Sin(math.Pi / 3)},
	} {
		u, v := aitoff(c.lon*degree, c.lat*degree)
		if math.Abs(u-c.u) > 1e-9 || math.Abs(v-c.v) > 1e-9 {
			t.Errorf("aitoff(%v, %v) = %v, %v, want %v, %v", c.lon, c.lat, u, v, c.u, c.v)
		}
	}
}

// East is to the left of the middle, and any RA is accepted.
func TestAllSkyDirection(t *testing.T) {
	v, err := allSkyView(ProjectionMollweide, 350)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ ra, u float64 }{{350, 0}, {-10, 0}, {440, -1}, {260, 1}, {20, -1. / 3}} {
		if u, _ := v.project(c.ra, 0); math.Abs(u-c.u) > 1e-9 {
			t.Errorf("RA %v is at %v, want %v", c.ra, u, c.u)
		}
	}
}

func TestUnknownProjection(t *testing.T) {
	m := skyMap(sphere(10))
	m.Projection = "mercator"
	if _, err := m.Figure(); !errors.Is(err, ErrRequest) {
		t.Errorf("error %v, want one that wraps ErrRequest", err)
	}
}

// The whole sky is lower than maps with axes and does not make these lower, whose
// labels would not fit: it lies in the middle beside them.
func TestPanelsBesideTheSky(t *testing.T) {
	lay := func(p ClusterPanels) *Figure {
		t.Helper()
		f, err := p.Figure()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	plain := cluster(1)
	want := lay(plain)
	sky := cluster(1)
	sky.Maps[0].Projection = ProjectionMollweide
	if got := lay(sky); got.height != want.height {
		t.Errorf("panels are %v high with the whole sky, %v with a field", got.height, want.height)
	}
	sky.Maps = sky.Maps[:1]
	if got := lay(sky); got.height >= 0.8*got.width {
		t.Errorf("the sky alone is %v high and %v wide", got.height, got.width)
	}
}

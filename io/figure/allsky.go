package figure

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Projection is how a map shows the sky.
type Projection string

const (
	// ProjectionAuto is ProjectionMollweide for a catalog that goes all the way
	// round and over more than 90° of declination, and plain axes or the
	// tangent plane for a field.
	ProjectionAuto Projection = ""
	// ProjectionMollweide shows equal areas as equal areas.
	ProjectionMollweide Projection = "mollweide"
	// ProjectionAitoff distorts shapes less towards the edge. It is that of
	// Aitoff (1889), not the equal-area one of Hammer that some call so.
	ProjectionAitoff Projection = "aitoff"
)

// Projections are the values of a Projection that have a name.
func Projections() []Projection { return []Projection{ProjectionMollweide, ProjectionAitoff} }

// globes turn longitude, in [-π, π], and latitude into u in [-2, 2] and v in
// [-1, 1], inside the ellipse u²/4 + v² = 1.
var globes = map[Projection]func(lon, lat float64) (u, v float64){
	ProjectionMollweide: mollweide,
	ProjectionAitoff:    aitoff,
}

// mollweide solves 2θ + sin 2θ = π sin φ by Newton's method.
func mollweide(lon, lat float64) (u, v float64) {
	s := math.Pi * math.Sin(lat)
	theta := lat
	if a := math.Abs(lat); a > 1 {
		// Near a pole the derivative vanishes: start from the leading term
		// of the series, π(1 − sin φ) = 4/3 (π/2 − θ)³.
		theta = math.Copysign(math.Pi/2-math.Cbrt(0.75*(math.Pi-math.Abs(s))), lat)
	}
	for range 4 {
		sin, cos := math.Sincos(theta)
		slope := 4 * cos * cos
		if slope < 1e-12 {
			break
		}
		theta -= (2*theta + 2*sin*cos - s) / slope
	}
	sin, cos := math.Sincos(theta)
	return 2 * lon / math.Pi * cos, sin
}

func aitoff(lon, lat float64) (u, v float64) {
	sl, cl := math.Sincos(lon / 2)
	sb, cb := math.Sincos(lat)
	alpha := math.Acos(min(max(cb*cl, -1), 1))
	sinc := 1.0
	if alpha > 1e-9 {
		sinc = math.Sin(alpha) / alpha
	}
	return 2 * cb * sl / sinc / (math.Pi / 2), sb / sinc / (math.Pi / 2)
}

// An allSky is a map of the whole sky in a projection, RA increasing to the
// left of a meridian in its middle.
type allSky struct {
	globe  func(lon, lat float64) (u, v float64)
	centre float64 // RA of the middle
}

// allSkyView returns the view of the whole sky.
func allSkyView(p Projection, centre float64) (view, error) {
	globe := globes[p]
	if globe == nil {
		var names []string
		for _, p := range Projections() {
			names = append(names, string(p))
		}
		return view{}, fmt.Errorf("%w: projection %q, the projections are %s", ErrRequest, p, strings.Join(names, " and "))
	}
	if !(math.Abs(centre) <= 1e6) {
		return view{}, fmt.Errorf("%w: a map about RA %v, it must be an angle in degrees", ErrRequest, centre)
	}
	s := &allSky{globe, centre}
	blank := func(_, _ float64, _ int) ([]plot.Tick, string) { return nil, "" }
	return view{
		project: s.project,
		x:       axis{lo: -2, hi: 2, scale: plot.LinearScale{}, ruler: blank},
		y:       axis{lo: -1, hi: 1, scale: plot.LinearScale{}, ruler: blank},
		stretch: 1,
		sky:     s,
	}, nil
}

func (s *allSky) project(ra, dec float64) (u, v float64) {
	d := math.Mod(ra-s.centre, 360)
	if d > 180 {
		d -= 360
	} else if d <= -180 {
		d += 360
	}
	return s.globe(-d*degree, dec*degree)
}

// Spacing of the graticule in degrees.
const (
	meridians = 30
	parallels = 30
)

// below draws the graticule, which lies under the data.
func (s *allSky) below(c draw.Canvas, p *panel) {
	style := draw.LineStyle{Color: graticuleGrey, Width: thinWidth * 0.6 * p.stroke}
	for dec := -90 + parallels; dec < 90; dec += parallels {
		c.StrokeLines(style, s.line(c, func(t float64) (lon, lat float64) { return (2*t - 1) * 180, float64(dec) }))
	}
	for lon := -180 + meridians; lon < 180; lon += meridians {
		c.StrokeLines(style, s.line(c, func(t float64) (float64, float64) { return float64(lon), (2*t - 1) * 90 }))
	}
}

// line returns a curve of longitude and latitude in degrees over t from 0 to 1.
func (s *allSky) line(c draw.Canvas, at func(t float64) (lon, lat float64)) []vg.Point {
	const segments = 90
	pts := make([]vg.Point, segments+1)
	for i := range pts {
		lon, lat := at(float64(i) / segments)
		pts[i] = s.place(c, lon, lat)
	}
	return pts
}

// place returns where a longitude and latitude in degrees lie on the canvas.
func (s *allSky) place(c draw.Canvas, lon, lat float64) vg.Point {
	u, v := s.globe(lon*degree, lat*degree)
	return vg.Point{X: c.X((u + 2) / 4), Y: c.Y((v + 1) / 2)}
}

// above draws the edge of the sky and the labels of the graticule, which lie
// over the data.
func (s *allSky) above(c draw.Canvas, p *panel) {
	var edge vg.Path
	for i := range 360 {
		sin, cos := math.Sincos(float64(i) * degree)
		pt := vg.Point{X: c.X((cos + 1) / 2), Y: c.Y((sin + 1) / 2)}
		if i == 0 {
			edge.Move(pt)
		} else {
			edge.Line(pt)
		}
	}
	edge.Close()
	c.SetLineStyle(draw.LineStyle{Color: ink, Width: frameWidth * p.stroke})
	c.Stroke(edge)
	for lon := -180 + 2*meridians; lon < 180; lon += 2 * meridians {
		ra := reduced(s.centre - float64(lon))
		at := s.place(c, float64(lon), 0)
		p.haloed(c, angleLabel(ra), p.small, vg.Point{X: at.X, Y: at.Y - 0.9*p.small}, centerMiddle)
	}
	for dec := -90 + parallels; dec < 90; dec += parallels {
		at := s.place(c, -180, float64(dec))
		label := signed(float64(dec), 0) + "°"
		if dec == 0 {
			label = "0°"
		}
		pt := vg.Point{X: at.X - 0.4*p.small, Y: at.Y + vg.Length(float64(dec)/90)*0.6*p.small}
		p.text(c, label, p.small, pt, rightMiddle)
	}
}

// angleLabel writes an angle in degrees with as few decimals as it has, at
// most one.
func angleLabel(deg float64) string {
	return strings.TrimSuffix(fixedPoint(deg, 1), ".0") + "°"
}

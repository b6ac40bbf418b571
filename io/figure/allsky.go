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
		return view{}, fmt.Errorf("%w: projection %q, the projections are %s and %s", ErrRequest, p, ProjectionMollweide, ProjectionAitoff)
	}
	if !(math.Abs(centre) <= 1e6) {
		return view{}, fmt.Errorf("%w: a map about RA %v, it must be an angle in degrees", ErrRequest, centre)
	}
	s := &allSky{globe, centre}
	w := view{project: s.project, x: linearAxis(Axis{}, interval{-2, 2}), y: linearAxis(Axis{}, interval{-1, 1}), stretch: 1, sky: s}
	w.x.ruler = func(_, _ float64, _ int) ([]plot.Tick, string) { return nil, "" }
	w.y.ruler = w.x.ruler
	return w, nil
}

func (s *allSky) project(ra, dec float64) (u, v float64) {
	return s.globe(-turned(ra-s.centre)*degree, dec*degree)
}

// turned returns an angle in degrees in (-180, 180].
func turned(d float64) float64 {
	d = math.Mod(d, 360)
	if d > 180 {
		return d - 360
	} else if d <= -180 {
		return d + 360
	}
	return d
}

// Spacing of the graticule in degrees.
const (
	meridians = 30
	parallels = 30
)

// below draws the graticule, which lies under the data.
func (s *allSky) below(c draw.Canvas, p *panel) {
	style := p.line(graticuleGrey, thinWidth*0.6)
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
	circle := make([]vg.Point, 360)
	for i := range circle {
		sin, cos := math.Sincos(float64(i) * degree)
		circle[i] = vg.Point{X: c.X((cos + 1) / 2), Y: c.Y((sin + 1) / 2)}
	}
	var edge vg.Path
	outlineOf(&edge, circle...)
	c.SetLineStyle(p.line(ink, frameWidth))
	c.Stroke(edge)
	for _, m := range s.longitudes(c, p) {
		p.haloed(c, m.text, p.small, m.at, centerMiddle)
	}
	for _, m := range s.latitudes(c, p) {
		p.text(c, m.text, p.small, m.at, rightMiddle)
	}
}

// A graticuleLabel is the right ascension of a meridian, or the declination of a
// parallel.
type graticuleLabel struct {
	text string
	at   vg.Point
}

// longitudes labels the meridians below the equator: every sixth of the circle,
// or fewer where these have no room.
func (s *allSky) longitudes(c draw.Canvas, p *panel) []graticuleLabel {
	for _, step := range []int{2 * meridians, 4 * meridians, 180} {
		var marks []graticuleLabel
		room := c.Size().X * vg.Length(step) / 360
		fit := true
		for lon := -((180 - 1) / step * step); lon < 180; lon += step {
			at := s.place(c, float64(lon), 0)
			at.Y -= 0.9 * p.small
			m := graticuleLabel{angleLabel(reduced(s.centre - float64(lon))), at}
			half := p.textWidth(m.text, p.small)/2 + haloWidth*p.small
			fit = fit && 2*half+0.7*p.small <= room && s.inside(c, at, half, p.small*(p.capHeight/2+haloWidth))
			marks = append(marks, m)
		}
		if fit {
			return marks
		}
	}
	return nil
}

// inside reports whether a box of half a width and half a height is in the sky.
func (s *allSky) inside(c draw.Canvas, at vg.Point, width, height vg.Length) bool {
	size, mid := c.Size(), c.Center()
	x, y := (math.Abs(float64(at.X-mid.X))+float64(width))/float64(size.X/2), (math.Abs(float64(at.Y-mid.Y))+float64(height))/float64(size.Y/2)
	return float64(x*x)+float64(y*y) < 1
}

// latitudes labels the parallels at the left edge, or fewer of them where they
// have no room.
func (s *allSky) latitudes(c draw.Canvas, p *panel) []graticuleLabel {
	for step := parallels; ; step += parallels {
		var marks []graticuleLabel
		fit := true
		for dec := -((90 - 1) / step * step); dec < 90; dec += step {
			at := s.place(c, -180, float64(dec))
			label := signed(float64(dec), 0) + "°"
			if dec == 0 {
				label = "0°"
			}
			at = vg.Point{X: at.X - 0.4*p.small, Y: at.Y + vg.Length(float64(dec)/90)*0.6*p.small}
			if n := len(marks); n > 0 && at.Y-marks[n-1].at.Y < p.small*(p.capHeight+0.4) {
				fit = false
			}
			marks = append(marks, graticuleLabel{label, at})
		}
		if fit {
			return marks
		}
	}
}

// angleLabel writes an angle in degrees with as few decimals as it has, at
// most one.
func angleLabel(deg float64) string {
	return strings.TrimSuffix(fixedPoint(deg, 1), ".0") + "°"
}

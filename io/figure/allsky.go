package figure

import (
	"fmt"
	"math"
	"strings"

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
	w := view{project: s.project, x: linearAxis(Axis{Name: "RA on the equator"}, interval{-2, 2}), y: linearAxis(Axis{}, interval{-1, 1}), stretch: 1, sky: s}
	w.x.ruler = s.longitudes
	w.y.ruler = func(_, _ float64, _ int) ([]tick, string) { return nil, "" }
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

// above draws the edge of the sky and, outside of it, the labels of the graticule:
// meridians meet at the poles, so theirs are on a line below the sky, each under
// where it crosses the equator.
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
	p.labelTicks(c)
	for _, m := range s.latitudes(c, p) {
		p.text(c, m.text, p.small, m.at, rightMiddle)
	}
}

// longitudes is the ruler of right ascension on the equator: every sixth of the
// circle about the middle, or fewer.
func (s *allSky) longitudes(_, _ float64, n int) (ticks []tick, offset string) {
	for _, step := range []int{2 * meridians, 4 * meridians, 180} {
		ticks = nil
		for lon := -((180 - 1) / step * step); lon < 180; lon += step {
			ticks = append(ticks, tick{value: -float64(lon) / 90, label: angleLabel(reduced(s.centre + float64(lon)))})
		}
		if len(ticks) <= n {
			break
		}
	}
	return ticks, ""
}

// A parallelLabel is the declination of a parallel.
type parallelLabel struct {
	text string
	at   vg.Point
}

// latitudes labels the parallels at the left edge, or fewer of them where they
// have no room.
func (s *allSky) latitudes(c draw.Canvas, p *panel) []parallelLabel {
	for step := parallels; ; step += parallels {
		var marks []parallelLabel
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
			marks = append(marks, parallelLabel{label, at})
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

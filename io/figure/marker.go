package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"skyjoin/internal/each"
)

// palette is the qualitative palette of Okabe and Ito (2008), told apart with
// all common kinds of colour blindness, without its black and its yellow,
// which is too pale on white; wine (Paul Tol) takes its place.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xb2, 255}, // blue
	{0xd5, 0x5e, 0x00, 255}, // vermilion
	{0x00, 0x9e, 0x73, 255}, // bluish green
	{0xcc, 0x79, 0xa7, 255}, // reddish purple
	{0xe6, 0x9f, 0x00, 255}, // orange
	{0x56, 0xb4, 0xe9, 255}, // sky blue
	{0x88, 0x22, 0x55, 255}, // wine
}

// A shape adds the closed outline of a marker to a path. Areas are alike at
// equal r.
type shape func(p *vg.Path, at vg.Point, r vg.Length)

var shapes = []shape{
	circle,
	polygon(4, math.Pi/4, 1.25),    // square
	polygon(3, math.Pi/2, 1.55),    // triangle
	polygon(4, 0, 1.3),             // diamond
	star(4, 0.42, math.Pi/4, 1.6),  // ×
	polygon(3, -math.Pi/2, 1.55),   // triangle down
	star(5, 0.42, math.Pi/2, 1.65), // star
	star(4, 0.42, 0, 1.6),          // +
}

// A marker is how the points of one cluster look.
type marker struct {
	shape shape
	color color.NRGBA
}

// markerOf returns the marker of the cluster with a rank. The numbers of colours and
// shapes have no common divisor, so that all 56 pairs come up before one repeats.
func (s sheet) markerOf(rank int) marker {
	return marker{shapes[rank%len(shapes)], s.colour(rank)}
}

// colour is one of the palette, which begins again where it ends.
func (s sheet) colour(i int) color.NRGBA { return s.palette[i%len(s.palette)] }

// circle is made of four cubic curves, since back ends do not draw arcs alike.
func circle(p *vg.Path, at vg.Point, r vg.Length) {
	const k = 0.5522847498
	pt := func(x, y vg.Length) vg.Point { return vg.Point{X: at.X + x*r, Y: at.Y + y*r} }
	p.Move(pt(1, 0))
	p.CubeTo(pt(1, k), pt(k, 1), pt(0, 1))
	p.CubeTo(pt(-k, 1), pt(-1, k), pt(-1, 0))
	p.CubeTo(pt(-1, -k), pt(-k, -1), pt(0, -1))
	p.CubeTo(pt(k, -1), pt(1, -k), pt(1, 0))
	p.Close()
}

// polygon returns a regular polygon whose first corner is in direction start.
func polygon(corners int, start float64, size vg.Length) shape {
	return spikes(corners, start, func(int) vg.Length { return size })
}

// star returns a star whose inner corners are at inner times the outer radius.
func star(points int, inner vg.Length, start float64, size vg.Length) shape {
	return spikes(2*points, start, func(i int) vg.Length {
		if i%2 == 1 {
			return inner * size
		}
		return size
	})
}

func spikes(corners int, start float64, radius func(i int) vg.Length) shape {
	offsets := make([]vg.Point, corners)
	for i := range offsets {
		sin, cos := math.Sincos(start + 2*math.Pi*float64(i)/float64(corners))
		offsets[i] = vg.Point{X: vg.Length(cos) * radius(i), Y: vg.Length(sin) * radius(i)}
	}
	return func(p *vg.Path, at vg.Point, r vg.Length) {
		corners := each.Of(offsets, func(o vg.Point) vg.Point { return vg.Point{X: at.X + o.X*r, Y: at.Y + o.Y*r} })
		outlineOf(p, corners...)
	}
}

// markersPerPath bounds the length of one path; one path per marker would
// repeat the style in SVG.
const markersPerPath = 500

// draw draws the marker at every point.
func (m marker) draw(c draw.Canvas, r vg.Length, at ...vg.Point) {
	c.SetColor(m.color)
	for len(at) > 0 {
		n := min(len(at), markersPerPath)
		var p vg.Path
		for _, pt := range at[:n] {
			m.shape(&p, pt, r)
		}
		c.Fill(p)
		at = at[n:]
	}
}

// drawHaloed draws the marker with a white rim, so that it stands out anywhere.
func (m marker) drawHaloed(c draw.Canvas, r vg.Length, at vg.Point) {
	marker{m.shape, paper}.draw(c, r*1.45, at)
	m.draw(c, r, at)
}

package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curves show several quantities over one, on logarithmic axes: times by radius.
type Curves struct {
	Curves       []Curve
	XAxis, YAxis Axis
	Title        string
	Style        Style
}

// A Curve is one of Curves. Points of which a coordinate is not positive are left out.
type Curve struct {
	Name string
	X, Y []float64 // X ascending
}

// Figure lays the curves out. The error wraps ErrRequest.
func (s Curves) Figure() (*Figure, error) { return figure(s.panel()) }

func (s Curves) panel() (*panel, error) {
	p, err := newPanel(s.Style, SingleColumn, s.Title, 0.72)
	if err != nil {
		return nil, err
	}
	var xs, ys []float64
	shown := make([]Curve, len(s.Curves))
	for i, c := range s.Curves {
		if len(c.X) != len(c.Y) {
			return nil, fmt.Errorf("%w: curve %q has %d places and %d values", ErrRequest, c.Name, len(c.X), len(c.Y))
		}
		for k, x := range c.X {
			if y := c.Y[k]; x > 0 && y > 0 && drawable(x, y) {
				shown[i].X, shown[i].Y = append(shown[i].X, x), append(shown[i].Y, y)
			}
		}
		xs, ys = append(xs, shown[i].X...), append(ys, shown[i].Y...)
		p.explain(i, c.Name)
	}
	p.x, p.y = newAxis(s.XAxis, xs, true), newAxis(s.YAxis, ys, true)
	p.layout()
	p.layer(func(c draw.Canvas) {
		for i, curve := range shown {
			p.curve(c, i, curve.X, curve.Y)
			for k, x := range curve.X {
				marker{circle, p.colour(i)}.draw(c, 0.7*symbolRadius*p.stroke, p.at(x, curve.Y[k]))
			}
		}
		if len(xs) == 0 {
			p.text(c, "no values", p.label, c.Center(), centerMiddle)
		}
	})
	return p, nil
}

// explain adds the line of a curve to the legend.
func (p *panel) explain(i int, name string) {
	p.legend.head = append(p.legend.head, entry{name, func(c draw.Canvas, at vg.Point, size vg.Length) {
		c.StrokeLine2(p.line(p.colour(i), curveWidth), at.X-size/2, at.Y, at.X+size/2, at.Y)
	}})
	p.legend.total++
}

// curve draws a line through points, broken where y is NaN.
func (p *panel) curve(c draw.Canvas, i int, x, y []float64) {
	colour := p.colour(i)
	var line []vg.Point
	stroke := func() {
		if len(line) == 1 { // a line of one point would not be seen
			marker{circle, colour}.draw(c, p.stroke*symbolRadius, line[0])
		}
		c.StrokeLines(p.line(colour, curveWidth), c.ClipLinesXY(line)...)
	}
	for k, v := range y {
		if math.IsNaN(v) {
			stroke()
			line = nil
			continue
		}
		line = append(line, p.at(x[k], v))
	}
	stroke()
}

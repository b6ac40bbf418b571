package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Points shows measurements with error bars, such as a correlation function,
// on linear or logarithmic axes.
//
// On a logarithmic y axis a negative value is an open symbol at |y|, as the legend
// explains; a value of 0 is not drawn; an error bar that reaches 0 ends at the axis.
// With SymLogY negative values are below 0: the axis is logarithmic on both sides,
// and linear up to the decade of the smallest value or error, or to 10⁻⁴ of the
// largest.
// Points without a position (NaN, infinite, x ≤ 0 on a logarithmic axis) are not
// drawn.
type Points struct {
	X, Y         []float64
	Err          []float64 // half lengths of the error bars of y; nil: none
	Levels       []float64 // dashed lines at these y; they do not stretch a logarithmic axis
	LogX, LogY   bool
	SymLogY      bool // not with LogY
	XAxis, YAxis Axis
	Title        string
	Style        Style
}

// A sample is one drawable point: its place on the axes and the ends of its
// error bar.
type sample struct {
	x, y, lo, hi float64
	negative     bool
}

// Figure lays the figure out. The error wraps ErrRequest.
func (f Points) Figure() (*Figure, error) { return figure(f.panel()) }

func (f Points) panel() (*panel, error) {
	if len(f.Y) != len(f.X) || f.Err != nil && len(f.Err) != len(f.X) {
		return nil, fmt.Errorf("%w: %d x, %d y and %d errors, the numbers must agree", ErrRequest, len(f.X), len(f.Y), len(f.Err))
	}
	p, err := newPanel(f.Style, SingleColumn, f.Title, 0.72)
	if err != nil {
		return nil, err
	}
	samples := f.samples()
	// The lower ends of error bars do not stretch a logarithmic axis: they
	// may come arbitrarily close to 0.
	var xs, ys []float64
	for _, s := range samples {
		xs, ys = append(xs, s.x), append(ys, s.y, s.hi)
		if !f.LogY {
			ys = append(ys, s.lo)
		}
		if s.negative {
			p.legend = legend{tail: []entry{
				{"positive", func(c draw.Canvas, at vg.Point, size vg.Length) {
					drawSymbol(c, p.colour(0), symbolRadius*p.stroke, at, false)
				}},
				{"negative, drawn at |y|", func(c draw.Canvas, at vg.Point, size vg.Length) {
					drawSymbol(c, p.colour(0), symbolRadius*p.stroke, at, true)
				}},
			}}
		}
	}
	if !f.LogY {
		ys = append(ys, f.Levels...)
	}
	p.x, p.y = newAxis(f.XAxis, xs, f.LogX), newAxis(f.YAxis, ys, f.LogY)
	if unit := symLogUnit(samples); f.SymLogY && unit > 0 {
		p.y = symLogAxis(f.YAxis, interval{slices.Min(ys), slices.Max(ys)}, unit)
	}
	p.layout()
	p.layer(func(c draw.Canvas) {
		for _, l := range f.Levels {
			if y := p.at(0, l).Y; y > c.Min.Y && y < c.Max.Y {
				c.StrokeLine2(p.dashed(noiseGrey), c.Min.X, y, c.Max.X, y)
			}
		}
		for _, s := range samples {
			at := p.at(s.x, s.y)
			if s.hi > s.lo {
				drawBar(c, p.line(p.colour(0), thinWidth), symbolRadius*p.stroke, at.X, max(p.at(0, s.lo).Y, c.Min.Y), min(p.at(0, s.hi).Y, c.Max.Y))
			}
			drawSymbol(c, p.colour(0), symbolRadius*p.stroke, at, s.negative)
		}
		if len(samples) == 0 {
			p.text(c, "no points", p.label, c.Center(), centerMiddle)
		}
	})
	return p, nil
}

// symbolRadius is the size of the points.
const symbolRadius = vg.Length(2)

// drawSymbol draws a point, open where it stands for a negative value.
func drawSymbol(c draw.Canvas, col color.NRGBA, radius vg.Length, at vg.Point, negative bool) {
	m := marker{circle, col}
	m.draw(c, radius, at)
	if negative {
		marker{circle, paper}.draw(c, 0.65*radius, at)
	}
}

// drawBar draws an error bar with a cap at each end inside the axes.
func drawBar(c draw.Canvas, style draw.LineStyle, half, x, lo, hi vg.Length) {
	c.StrokeLine2(style, x, lo, x, hi)
	for _, end := range []vg.Length{lo, hi} {
		if end > c.Min.Y && end < c.Max.Y {
			c.StrokeLine2(style, x-half, end, x+half, end)
		}
	}
}

// symLogUnit is up to where an axis with SymLogY is linear, 0 where all values are.
func symLogUnit(samples []sample) float64 {
	least, most := math.Inf(1), 0.0
	for _, s := range samples {
		if size := max(math.Abs(s.y), s.hi-s.y); size > 0 { // what is less than its error is not spread out
			least, most = min(least, size), max(most, size)
		}
	}
	if most == 0 {
		return 0
	}
	return max(math.Pow10(int(math.Floor(math.Log10(least)))), 1e-4*most, smallestLog)
}

// symLogAxis is an asinhAxis that holds values with a margin.
func symLogAxis(a Axis, r interval, unit float64) axis {
	lo, hi := math.Asinh(r.lo/unit), math.Asinh(r.hi/unit)
	margin := max(0.05*(hi-lo), 0.1)
	return asinhAxis(a, interval{unit * math.Sinh(lo-margin), unit * math.Sinh(hi+margin)}, unit)
}

// samples returns the points that can be drawn.
func (f *Points) samples() []sample {
	var samples []sample
	for i, x := range f.X {
		y, e := f.Y[i], 0.
		if f.Err != nil && math.Abs(f.Err[i]) <= 1e300 {
			e = math.Abs(f.Err[i])
		}
		if !drawable(x, y) || f.LogX && x <= 0 || f.LogY && y == 0 {
			continue
		}
		s := sample{x: x, y: y}
		if f.LogY && y < 0 {
			s.y, s.negative = -y, true
		}
		s.lo, s.hi = s.y-e, s.y+e
		samples = append(samples, s)
	}
	return samples
}

// newAxis returns an axis that holds values with a margin.
func newAxis(a Axis, values []float64, log bool) axis {
	if log {
		lo, hi := logRange(values...)
		return logAxis(a, lo, hi)
	}
	r := nothing()
	for _, v := range values {
		r.add(v)
	}
	return linearAxis(a, r.padded(halfOf(r)))
}

package figure

import (
	"fmt"
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
	Name         string    // in the legend, which there is with More
	More         []Series  // over the first, each with a symbol and colour of its own
	Levels       []float64 // dashed lines at these y; they do not stretch a logarithmic axis
	LogX, LogY   bool
	SymLogY      bool // not with LogY
	XAxis, YAxis Axis
	Title        string
	Style        Style
}

// A Series is further measurements in one figure.
type Series struct {
	Name string
	X, Y []float64
	Err  []float64 // or nil
}

// A sample is one drawable point: its place on the axes and the ends of its
// error bar.
type sample struct {
	series       int
	x, y, lo, hi float64
	negative     bool
}

// Figure lays the figure out. The error wraps ErrRequest.
func (f Points) Figure() (*Figure, error) { return figure(f.panel()) }

func (f Points) panel() (*panel, error) {
	series := f.series()
	for _, s := range series {
		if len(s.Y) != len(s.X) || s.Err != nil && len(s.Err) != len(s.X) {
			return nil, fmt.Errorf("%w: %d x, %d y and %d errors, the numbers must agree", ErrRequest, len(s.X), len(s.Y), len(s.Err))
		}
	}
	p, err := newPanel(f.Style, SingleColumn, f.Title, 0.72)
	if err != nil {
		return nil, err
	}
	symbol := func(series int, negative bool) func(c draw.Canvas, at vg.Point, size vg.Length) {
		return func(c draw.Canvas, at vg.Point, _ vg.Length) {
			drawSymbol(c, p.markerOf(series), symbolRadius*p.stroke, at, negative)
		}
	}
	for i, s := range series {
		if len(series) > 1 {
			p.legend.head = append(p.legend.head, entry{s.Name, symbol(i, false)})
			p.legend.total++
		}
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
			p.legend.tail = []entry{{"positive", symbol(0, false)}, {"negative, drawn at |y|", symbol(0, true)}}
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
				drawBar(c, p.line(p.colour(s.series), thinWidth), symbolRadius*p.stroke, at.X, max(p.at(0, s.lo).Y, c.Min.Y), min(p.at(0, s.hi).Y, c.Max.Y))
			}
			symbol(s.series, s.negative)(c, at, 0)
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
func drawSymbol(c draw.Canvas, m marker, radius vg.Length, at vg.Point, negative bool) {
	m.draw(c, radius, at)
	if negative {
		marker{m.shape, paper}.draw(c, 0.65*radius, at)
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
	for k, of := range f.series() {
		for i, x := range of.X {
			y, e := of.Y[i], 0.
			if of.Err != nil && math.Abs(of.Err[i]) <= 1e300 {
				e = math.Abs(of.Err[i])
			}
			if !drawable(x, y) || f.LogX && x <= 0 || f.LogY && y == 0 {
				continue
			}
			s := sample{series: k, x: x, y: y}
			if f.LogY && y < 0 {
				s.y, s.negative = -y, true
			}
			s.lo, s.hi = s.y-e, s.y+e
			samples = append(samples, s)
		}
	}
	return samples
}

// series are all measurements.
func (f *Points) series() []Series {
	return append([]Series{{f.Name, f.X, f.Y, f.Err}}, f.More...)
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

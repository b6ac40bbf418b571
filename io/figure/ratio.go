package figure

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Ratio shows measurements and, in a panel below with the same x axis, their ratio to
// a reference.
type Ratio struct {
	Points
	Reference []float64 // of each point
	Name      string    // of the reference, as in "ratio to Name"
}

// Figure lays both panels out. The error wraps ErrRequest.
func (r Ratio) Figure() (*Figure, error) {
	if len(r.Reference) != len(r.X) {
		return nil, fmt.Errorf("%w: %d values of the reference for %d points", ErrRequest, len(r.Reference), len(r.X))
	}
	upper, err := r.Points.panel()
	if err != nil {
		return nil, err
	}
	below := Points{X: r.X, LogX: r.LogX, XAxis: r.XAxis, YAxis: Axis{Name: "ratio to " + r.Name}, Levels: []float64{1}, Style: r.Style}
	below.Style.Title, below.Style.YLabel, below.Style.YLimits, below.Style.Legend = "", "", Limits{}, LegendNone
	for i, y := range r.Y {
		below.Y = append(below.Y, y/r.Reference[i])
		if r.Err != nil {
			below.Err = append(below.Err, math.Abs(r.Err[i]/r.Reference[i]))
		}
	}
	lower, err := below.panel()
	if err == nil {
		err = errors.Join(upper.err, lower.err)
	}
	if err != nil {
		return nil, err
	}
	lower.aspect = 0.3
	lower.x.lo, lower.x.hi = upper.x.lo, upper.x.hi
	lower.layout()
	// Both begin at the left edge of the panel with the wider labels. The upper
	// panel keeps its own x axis, as the legend is under it.
	left, right := max(upper.data.Min.X, lower.data.Min.X), min(upper.data.Max.X, lower.data.Max.X)
	for _, p := range []*panel{upper, lower} {
		p.data.Min.X, p.data.Max.X = left, right
	}
	shift := lower.height
	return &Figure{Info: Info{Title: upper.title}, width: upper.width, height: upper.height + shift, dpi: upper.dpi, draw: func(c draw.Canvas) {
		lower.draw(c)
		c.Push()
		c.Translate(vg.Point{Y: shift})
		upper.draw(c)
		c.Pop()
	}}, nil
}

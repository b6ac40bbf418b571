package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Timeline shows what workers did when: a row for every worker, a bar for
// every piece of work, in a colour for every group of workers.
type Timeline struct {
	Bars  []Bar
	Title string
	Style Style
}

// A Bar is one piece of work.
type Bar struct {
	Worker     int     // from 0
	Group      string  // named in the legend
	Start, End float64 // seconds
}

// Figure lays the timeline out. The error wraps ErrRequest.
func (t Timeline) Figure() (*Figure, error) {
	sheet, err := t.Style.sheet(SingleColumn)
	if err != nil {
		return nil, err
	}
	p := &panel{sheet: sheet, title: t.Title, aspect: 0.62}
	workers, end := 1, 0.0
	groups := map[string]int{}
	for _, b := range t.Bars {
		if b.Worker < 0 || !(b.Start <= b.End) || math.IsInf(b.End-b.Start, 0) {
			return nil, fmt.Errorf("%w: a bar of worker %d from %v to %v", ErrRequest, b.Worker, b.Start, b.End)
		}
		workers, end = max(workers, b.Worker+1), max(end, b.End)
		if _, seen := groups[b.Group]; !seen {
			groups[b.Group] = len(groups)
			colour := palette[groups[b.Group]%len(palette)]
			p.legend.head = append(p.legend.head, entry{b.Group, func(c draw.Canvas, at vg.Point, size vg.Length) {
				r := size * 0.35
				c.FillPolygon(colour, []vg.Point{{X: at.X - r, Y: at.Y - r}, {X: at.X + r, Y: at.Y - r}, {X: at.X + r, Y: at.Y + r}, {X: at.X - r, Y: at.Y + r}})
			}})
			p.legend.total++
		}
	}
	if end == 0 {
		end = 1
	}
	p.x = axis{name: "time", unit: "s", lo: 0, hi: end, scale: plot.LinearScale{}, ruler: linearRuler}
	p.y = axis{name: "worker", lo: 0, hi: float64(workers), scale: plot.LinearScale{}, ruler: linearRuler}
	p.layout()
	p.layers = []plot.Plotter{layer(func(c draw.Canvas, _ *plot.Plot) {
		at := func(x, y float64) vg.Point {
			return vg.Point{X: c.X(p.x.scale.Normalize(p.x.lo, p.x.hi, x)), Y: c.Y(p.y.scale.Normalize(p.y.lo, p.y.hi, y))}
		}
		for _, b := range t.Bars {
			low, high := float64(b.Worker)+0.1, float64(b.Worker)+0.9
			c.FillPolygon(palette[groups[b.Group]%len(palette)], []vg.Point{at(b.Start, low), at(b.End, low), at(b.End, high), at(b.Start, high)})
		}
		if len(t.Bars) == 0 {
			p.text(c, "no work", p.label, c.Center(), centerMiddle)
		}
	})}
	return p.figure(), nil
}

package figure

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Timeline shows what workers did when: a row for every worker, a bar for every
// task, and a colour for every group of workers.
type Timeline struct {
	Bars  []Bar
	Title string
	Style Style
}

// A Bar is one task.
type Bar struct {
	Worker     int     // from 0
	Group      string  // named in the legend
	Start, End float64 // seconds
}

// Figure lays the timeline out. The error wraps ErrRequest.
func (t Timeline) Figure() (*Figure, error) { return figure(t.panel()) }

func (t Timeline) panel() (*panel, error) {
	p, err := newPanel(t.Style, SingleColumn, t.Title, 0.62)
	if err != nil {
		return nil, err
	}
	workers, end := 1, 0.0
	groups := map[string]int{}
	for _, b := range t.Bars {
		if b.Worker < 0 || !(b.Start <= b.End) || math.IsInf(b.End-b.Start, 0) {
			return nil, fmt.Errorf("%w: a bar of worker %d from %v to %v", ErrRequest, b.Worker, b.Start, b.End)
		}
		workers, end = max(workers, b.Worker+1), max(end, b.End)
		if _, seen := groups[b.Group]; !seen {
			groups[b.Group] = len(groups)
			colour := p.colour(groups[b.Group])
			p.legend.head = append(p.legend.head, entry{b.Group, func(c draw.Canvas, at vg.Point, size vg.Length) {
				r := size * 0.35
				c.FillPolygon(colour, box(rectangle(at.X-r, at.Y-r, at.X+r, at.Y+r)))
			}})
			p.legend.total++
		}
	}
	p.x, p.y = linearAxis(Axis{"time", "s"}, interval{0, cmp.Or(end, 1)}), linearAxis(Axis{Name: "worker"}, interval{0, float64(workers)})
	p.layout()
	p.layer(func(c draw.Canvas) {
		for _, b := range t.Bars {
			bar := vg.Rectangle{Min: p.at(b.Start, float64(b.Worker)+0.1), Max: p.at(b.End, float64(b.Worker)+0.9)}
			c.FillPolygon(p.colour(groups[b.Group]), box(bar))
		}
		if len(t.Bars) == 0 {
			p.text(c, "no work", p.label, c.Center(), centerMiddle)
		}
	})
	return p, nil
}

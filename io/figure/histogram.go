package figure

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"skyjoin/stats2b"
)

// A Histogram shows the pairs in each bin. The axis of distances is logarithmic for
// logarithmic bins, and for others that span more than two decades; a first edge of
// 0 then lies on its lower end. The axis of pairs is logarithmic when the positive
// values span more than two decades; bins without pairs, and negative ones, are then
// empty.
type Histogram struct {
	Bins     stats2b.Bins
	Values   []float64   // of each bin
	Unit     string      // of the edges
	Weighted bool        // values are sums of weights
	What     string      // that is counted; "": pairs
	Name     string      // in the legend, which there is with More
	More     []Histogram // over the first: their bins, values and names
	Title    string
	Style    Style
}

// Figure lays the histogram out. The error wraps ErrRequest.
func (h Histogram) Figure() (*Figure, error) { return figure(h.panel()) }

func (h Histogram) panel() (*panel, error) {
	all := append([]Histogram{h}, h.More...)
	var values []float64
	for _, o := range all {
		if n := o.Bins.Len(); n == 0 || len(o.Values) != n {
			return nil, fmt.Errorf("%w: %d values for %d bins", ErrRequest, len(o.Values), n)
		}
		values = append(values, o.Values...)
	}
	p, err := newPanel(h.Style, SingleColumn, h.Title, 0.72)
	if err != nil {
		return nil, err
	}
	p.x = binAxis(Axis{"distance", h.Unit}, h.Bins)
	for i, o := range h.More {
		if a := binAxis(Axis{}, o.Bins); p.x.lo > a.lo || p.x.hi < a.hi {
			p.x.lo, p.x.hi = min(p.x.lo, a.lo), max(p.x.hi, a.hi)
		}
		if i == 0 {
			for k, o := range all {
				p.legend.head = append(p.legend.head, entry{o.Name, func(c draw.Canvas, at vg.Point, size vg.Length) {
					c.StrokeLine2(p.line(p.colour(k), curveWidth), at.X-size/2, at.Y, at.X+size/2, at.Y)
				}})
				p.legend.total++
			}
		}
	}
	name := cmp.Or(h.What, "pairs") + " per bin"
	if h.Weighted {
		name = "weight of the pairs per bin"
	}
	p.y = heightAxis(Axis{Name: name}, values)
	p.layout()
	p.layer(func(c draw.Canvas) {
		for i, o := range all {
			outline := o.outline(c, p)
			if len(all) == 1 {
				c.FillPolygon(tint(p.colour(5), 0.35), outline)
			}
			c.StrokeLines(p.line(p.colour(i), thinWidth), outline)
		}
	})
	return p, nil
}

// outline is that of the bars.
func (h *Histogram) outline(c draw.Canvas, p *panel) []vg.Point {
	n := h.Bins.Len()
	base := max(p.at(0, 0).Y, c.Min.Y)
	edge := func(i int, top vg.Length) vg.Point { return vg.Point{X: p.at(h.Bins.Edge(i), 0).X, Y: top} }
	outline := []vg.Point{edge(0, base)}
	for i, v := range h.Values {
		top := base
		if drawable(v, v) {
			top = min(max(p.at(0, v).Y, c.Min.Y), c.Max.Y)
		}
		outline = append(outline, edge(i, top), edge(i+1, top))
	}
	return append(outline, edge(n, base))
}

// binAxis returns an axis from the first to the last edge.
func binAxis(a Axis, b stats2b.Bins) axis {
	lo, hi := b.Edge(0), b.Edge(b.Len())
	if log, first := logarithmic(b); log {
		return logAxis(a, first, hi)
	}
	if r := (interval{lo, hi}); r.span() < max(1e-9*hi, narrowest) || hi > 1e300 {
		return linearAxis(a, interval{min(lo, 1e300), min(hi, 1e300)}.padded(1))
	}
	return linearAxis(a, interval{lo, hi})
}

// logarithmic reports whether the axis of the bins is logarithmic, and where it
// begins.
func logarithmic(b stats2b.Bins) (log bool, first float64) {
	first = cmp.Or(b.Edge(0), b.Edge(1)/3)
	hi := b.Edge(b.Len())
	if !(first > smallestLog && hi < largestLog) {
		return false, 0
	}
	// Bins of equal width have a linear axis, even if the first edge is small.
	n := b.Len()
	even := b.Edge(n)-b.Edge(n-1) < 10*(b.Edge(1)-b.Edge(0))
	return b.Log() || !even && hi > 100*first, first
}

// heightAxis returns the axis of the heights of bars, which begin at 0.
func heightAxis(a Axis, values []float64) axis {
	r := interval{0, 0}
	smallest := math.Inf(1)
	for _, v := range values {
		if drawable(v, v) {
			r.add(v)
			if v > 0 {
				smallest = min(smallest, v)
			}
		}
	}
	if r.lo == 0 && r.hi > 100*smallest {
		lo, hi := logRange(smallest, r.hi)
		return logAxis(a, min(lo, smallest*0.7), hi)
	}
	r.lo, r.hi = r.lo*1.06, r.hi*1.06
	if r.span() < narrowest {
		r = interval{0, 1}
	}
	return linearAxis(a, r)
}

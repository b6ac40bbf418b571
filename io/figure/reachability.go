package figure

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Reachability is the reachability plot of OPTICS (Ankerst et al. 1999): how far each
// row is from those before it in the order, in which clusters are valleys. Where there
// are more rows than bars, a bar shows the largest value of its rows, pale above the
// smallest. The axis is logarmithic where positive values span more than two decades.
type Reachability struct {
	Reachability []float64 // in the order; what is not finite reaches to the top
	Labels       []int32   // in the order, negative for noise; nil: no clusters
	Unit         string    // of distances
	Title        string
	Style        Style
}

// reachabilityBars bounds the bars.
const reachabilityBars = 1200

// Figure lays the plot out. The error wraps ErrRequest.
func (r Reachability) Figure() (*Figure, error) { return figure(r.panel()) }

func (r Reachability) panel() (*panel, error) {
	n := len(r.Reachability)
	if r.Labels != nil && len(r.Labels) != n {
		return nil, fmt.Errorf("%w: reachability of %d rows and %d labels, the numbers must agree", ErrRequest, n, len(r.Labels))
	}
	p, err := newPanel(r.Style, DoubleColumn, r.Title, 0.4)
	if err != nil {
		return nil, err
	}
	p.x = linearAxis(Axis{Name: "rows in order"}, interval{0, float64(max(n, 1))})
	p.y = distanceAxis(descending(r.Reachability), 0)
	p.y.Axis = Axis{"reachability", r.Unit}
	p.layout()
	p.layer(func(c draw.Canvas) {
		// No more than there are dots, so that the edges of bars do not pale.
		bars := min(n, reachabilityBars, max(1, int(float64(c.Max.X-c.Min.X)/72*float64(p.dpi))))
		for b := range bars {
			r.bar(c, p, b*n/bars, (b+1)*n/bars)
		}
		if n == 0 {
			p.text(c, "no rows", p.label, c.Center(), centerMiddle)
		}
	})
	return p, nil
}

// bar draws the rows [lo, hi) of the order.
func (r *Reachability) bar(c draw.Canvas, p *panel, lo, hi int) {
	least, most, at := math.Inf(1), 0.0, lo
	for i := lo; i < hi; i++ {
		v := r.Reachability[i]
		if !(v <= p.y.hi) {
			v = p.y.hi
		}
		if v < least {
			least, at = v, i
		}
		most = max(most, v)
	}
	col := p.colour(0)
	if r.Labels != nil {
		col = p.clusterColour(r.Labels[at])
	}
	fillBox(c, p, float64(lo), float64(hi), p.y.lo, most, tint(col, 0.4))
	fillBox(c, p, float64(lo), float64(hi), p.y.lo, least, col)
}

// fillBox fills a box of the data, cut to the axes.
func fillBox(c draw.Canvas, p *panel, x0, x1, y0, y1 float64, col color.Color) {
	y0, y1 = min(max(y0, p.y.lo), p.y.hi), min(max(y1, p.y.lo), p.y.hi)
	if y1 > y0 {
		a, b := p.at(x0, y0), p.at(x1, y1)
		c.FillPolygon(col, []vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}})
	}
}

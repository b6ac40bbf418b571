package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"skyjoin/internal/each"
)

// A Dendrogram shows the last merges of a hierarchical clustering: two branches become
// one at a distance. Branches whose own merges are not shown are triangles, the wider the
// more rows they have; those in one cluster have its colour.
type Dendrogram struct {
	Branches []Branch
	Merges   []BranchMerge // in the order of their distances
	Unit     string        // of distances
	Title    string
	Style    Style
}

// A Branch is a part of a dendrogram that is not taken apart.
type Branch struct {
	Rows  int64
	Label int32 // of the cluster that has all rows; negative: noise, or several
}

// A BranchMerge makes one branch of two. Numbers below that of Branches are these; the
// next ones are what merges make, one after the other.
type BranchMerge struct {
	A, B     int
	Distance float64
	Label    int32 // as of a Branch
}

// Figure lays the dendrogram out. The error wraps ErrRequest.
func (d Dendrogram) Figure() (*Figure, error) { return figure(d.panel()) }

func (d Dendrogram) panel() (*panel, error) {
	n := len(d.Branches)
	used := make([]bool, n+len(d.Merges))
	for i, m := range d.Merges {
		for _, k := range []int{m.A, m.B} {
			if k < 0 || k >= n+i || used[k] {
				return nil, fmt.Errorf("%w: merge %d of a dendrogram is of branch %d, which is not there or has been merged", ErrRequest, i, k)
			}
			used[k] = true
		}
	}
	p, err := newPanel(d.Style, DoubleColumn, d.Title, 0.5)
	if err != nil {
		return nil, err
	}
	p.x = linearAxis(Axis{Name: "branches"}, interval{0, float64(max(n, 1))})
	p.y = distanceAxis(descending(each.Of(d.Merges, func(m BranchMerge) float64 { return m.Distance })), 0)
	p.y.Axis = Axis{"distance", d.Unit}
	p.layout()
	p.layer(func(c draw.Canvas) {
		if len(d.Merges) == 0 {
			p.text(c, "no merges", p.label, c.Center(), centerMiddle)
		}
		d.draw(c, p, d.middles(used))
	})
	return p, nil
}

// middles returns where every branch stands: those that are merged are neighbours.
func (d *Dendrogram) middles(used []bool) []float64 {
	n, x := len(d.Branches), make([]float64, len(used))
	var stack []int
	for k := range used {
		if !used[k] {
			stack = append(stack, k)
		}
	}
	slices.Reverse(stack)
	for next := 0.5; len(stack) > 0; {
		k := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if k < n {
			x[k] = next
			next++
			continue
		}
		stack = append(stack, d.Merges[k-n].B, d.Merges[k-n].A)
	}
	for i, m := range d.Merges {
		x[n+i] = (x[m.A] + x[m.B]) / 2
	}
	return x
}

// draw draws every merge as a bridge over its branches.
func (d *Dendrogram) draw(c draw.Canvas, p *panel, x []float64) {
	n, most := len(d.Branches), int64(1)
	for _, b := range d.Branches {
		most = max(most, b.Rows)
	}
	within := func(v float64) float64 { return min(max(v, p.y.lo), p.y.hi) }
	label := func(k int) int32 {
		if k < n {
			return d.Branches[k].Label
		}
		return d.Merges[k-n].Label
	}
	for _, m := range d.Merges {
		top := within(m.Distance)
		for _, k := range []int{m.A, m.B} {
			style := p.line(p.clusterColour(label(k)), thinWidth)
			if k >= n {
				c.StrokeLines(style, []vg.Point{p.at(x[k], top), p.at(x[k], within(d.Merges[k-n].Distance))})
				continue
			}
			half := 0.45 * math.Sqrt(float64(d.Branches[k].Rows)/float64(most))
			shape := []vg.Point{p.at(x[k], top), p.at(x[k]+half, p.y.lo), p.at(x[k]-half, p.y.lo)}
			c.FillPolygon(tint(p.clusterColour(label(k)), 0.6), shape)
			c.StrokeLines(style, append(shape, shape[0]))
		}
		c.StrokeLines(p.line(p.clusterColour(m.Label), thinWidth), []vg.Point{p.at(x[m.A], top), p.at(x[m.B], top)})
	}
}

package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"skyjoin/internal/each"
)

// A CondensedTree shows the clusters of a condensed tree (Campello et al. 2013) as an
// icicle plot: each reaches from the distance at which it begins down to that at which
// it splits or dissolves, and its width is its number of rows. Selected clusters are
// coloured.
type CondensedTree struct {
	Clusters []TreeCluster // parents before their children, the root first
	Unit     string        // of distances
	Title    string
	Style    Style
}

// A TreeCluster is a cluster of a condensed tree.
type TreeCluster struct {
	Parent       int32
	Birth, Death float64 // distances; the birth of the root is +Inf, 0 is below the axis
	Rows         int64   // at its birth
	Left         int64   // at its death
	Label        int32   // of a selected cluster, else negative
}

// treeClusters is how many clusters are drawn at most: the largest.
const treeClusters = 400

// Figure lays the tree out. The error wraps ErrRequest.
func (t CondensedTree) Figure() (*Figure, error) { return figure(t.panel()) }

func (t CondensedTree) panel() (*panel, error) {
	for id, k := range t.Clusters {
		if (id == 0) != (k.Parent < 0) || int(k.Parent) >= id {
			return nil, fmt.Errorf("%w: cluster %d of a tree has the parent %d, which must come before it", ErrRequest, id, k.Parent)
		}
	}
	p, err := newPanel(t.Style, DoubleColumn, t.Title, 0.6)
	if err != nil {
		return nil, err
	}
	rows := int64(1)
	if len(t.Clusters) > 0 {
		rows = max(rows, t.Clusters[0].Rows)
	}
	p.x = linearAxis(Axis{Name: "rows"}, interval{0, float64(rows)})
	p.y = t.axis()
	p.layout()
	p.layer(func(c draw.Canvas) { t.draw(c, p) })
	return p, nil
}

// axis is that of the distances.
func (t *CondensedTree) axis() axis {
	var ends []float64
	for _, k := range t.Clusters {
		for _, v := range []float64{k.Birth, k.Death} {
			if v > 0 && v <= 1e300 {
				ends = append(ends, v)
			}
		}
	}
	a := Axis{"distance", t.Unit}
	if len(ends) == 0 {
		return linearAxis(a, interval{0, 1})
	}
	lo, hi := logRange(slices.Min(ends)/1.1, slices.Max(ends)*1.3)
	return logAxis(a, lo, hi)
}

// draw draws clusters from the root down: those below one are side by side in
// the middle of what is left of it.
func (t *CondensedTree) draw(c draw.Canvas, p *panel) {
	least := t.least()
	next := make([]float64, len(t.Clusters)) // where the next one below begins
	below := make([]int64, len(t.Clusters))  // rows of all below
	for _, k := range t.Clusters {
		if k.Parent >= 0 {
			below[k.Parent] += k.Rows
		}
	}
	within := func(v float64) float64 { return min(max(v, p.y.lo), p.y.hi) }
	for id, k := range t.Clusters {
		left := 0.0
		if k.Parent >= 0 {
			left = next[k.Parent]
			next[k.Parent] += float64(k.Rows)
		}
		middle := left + float64(k.Rows)/2
		next[id] = middle - float64(below[id])/2
		if k.Rows < least {
			continue
		}
		col := p.clusterColour(k.Label)
		half, end := float64(k.Rows)/2, float64(k.Left)/2
		top, bottom := within(k.Birth), within(k.Death)
		shape := []vg.Point{p.at(middle-half, top), p.at(middle+half, top), p.at(middle+end, bottom), p.at(middle-end, bottom)}
		c.FillPolygon(tint(col, 0.6), shape)
		c.StrokeLines(p.line(col, thinWidth), append(shape, shape[0]))
	}
	if len(t.Clusters) == 0 {
		p.text(c, "no clusters", p.label, c.Center(), centerMiddle)
	}
}

// least is the rows of the smallest cluster that is drawn.
func (t *CondensedTree) least() int64 {
	if len(t.Clusters) <= treeClusters {
		return math.MinInt64
	}
	rows := each.Of(t.Clusters, func(k TreeCluster) int64 { return k.Rows })
	slices.SortFunc(rows, func(a, b int64) int { return cmp.Compare(b, a) })
	return rows[treeClusters-1]
}

package figure

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An EpsilonScan shows what DBSCAN finds over a range of radii: the fraction of the
// rows that are in clusters, the fraction in the largest cluster, and the fraction of
// clustered rows that stay in the same cluster at the next radius. The plateau is
// shaded, and its radius is marked.
type EpsilonScan struct {
	Epsilon   []float64 // ascending and positive
	Clustered []float64 // of each radius
	Largest   []float64
	Stability []float64 // NaN: none
	Clusters  []int

	First, Last, Chosen int // steps of the plateau; all 0: there is none

	MinPoints int
	Unit      string // of the radii
	Title     string
	Style     Style
}

// Figure lays the scan out. The error wraps ErrRequest.
func (s EpsilonScan) Figure() (*Figure, error) { return figure(s.panel()) }

func (s EpsilonScan) panel() (*panel, error) {
	n := len(s.Epsilon)
	if len(s.Clustered) != n || len(s.Largest) != n || len(s.Stability) != n || len(s.Clusters) != n {
		return nil, fmt.Errorf("%w: a scan of %d radii has %d, %d, %d and %d values", ErrRequest, n, len(s.Clustered), len(s.Largest), len(s.Stability), len(s.Clusters))
	}
	if s.First < 0 || s.Last < s.First || s.Last > 0 && (s.Last >= n || s.Chosen < s.First || s.Chosen > s.Last) {
		return nil, fmt.Errorf("%w: a plateau from step %d to %d with %d, of %d", ErrRequest, s.First, s.Last, s.Chosen, n)
	}
	p, err := newPanel(s.Style, SingleColumn, s.Title, 0.72)
	if err != nil {
		return nil, err
	}
	curves := []struct {
		name   string
		values []float64
	}{{"rows in clusters", s.Clustered}, {"rows in the largest", s.Largest}, {"stability", s.Stability}}
	for i, c := range curves {
		p.explain(i, c.name)
	}
	p.x = newAxis(Axis{"ε", s.Unit}, s.Epsilon, true)
	p.y = linearAxis(Axis{Name: "share"}, interval{0, 1.12})
	p.layout()
	p.layer(func(c draw.Canvas) {
		for i, curve := range curves {
			p.curve(c, i, s.Epsilon, curve.values)
		}
		if n == 0 {
			p.text(c, "no radii", p.label, c.Center(), centerMiddle)
		}
	})
	if s.Last > 0 {
		p.annotate(s.plateau(p))
	}
	return p, nil
}

// plateau shades the plateau, and returns what is written about the chosen radius.
func (s EpsilonScan) plateau(p *panel) note {
	chosen := s.Epsilon[s.Chosen]
	p.ground = append(p.ground, func(c draw.Canvas) {
		from, to := p.at(s.Epsilon[s.First], 0).X, p.at(s.Epsilon[s.Last], 0).X
		c.FillPolygon(tint(p.colour(4), 0.3), box(rectangle(from, c.Min.Y, to, c.Max.Y)))
	})
	line := func(c draw.Canvas, x, lo, hi vg.Length) { c.StrokeLine2(p.dashed(p.colour(1)), x, lo, x, hi) }
	p.layer(func(c draw.Canvas) { line(c, p.at(chosen, 0).X, c.Min.Y, c.Max.Y) })
	return note{
		lines: []string{"ε = " + withSuffix(number(chosen), s.Unit), fmt.Sprintf("min-points = %d", s.MinPoints), plural(s.Clusters[s.Chosen], "cluster")},
		x:     chosen, y: 1,
		sample: func(c draw.Canvas, at vg.Point, size vg.Length) { line(c, at.X, at.Y-size/2, at.Y+size/2) },
	}
}

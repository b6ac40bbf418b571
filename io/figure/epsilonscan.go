package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An EpsilonScan shows what DBSCAN finds over a range of radii: the shares of
// all rows that are in clusters and in the largest one, and the share of the
// rows in clusters that keep theirs at the next radius. The plateau is shaded,
// with the radius to take.
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
		p.legend.head = append(p.legend.head, entry{c.name, func(canvas draw.Canvas, at vg.Point, size vg.Length) {
			canvas.StrokeLine2(p.line(palette[i], curveWidth), at.X-size/2, at.Y, at.X+size/2, at.Y)
		}})
		p.legend.total++
	}
	p.x = newAxis(Axis{"ε", s.Unit}, s.Epsilon, true)
	p.y = linearAxis(Axis{Name: "share"}, interval{0, 1.12})
	p.layout()
	p.layer(func(c draw.Canvas) {
		if s.Last > 0 {
			s.drawPlateau(c, p)
		}
		for i, curve := range curves {
			var line []vg.Point
			stroke := func() {
				if len(line) == 1 { // a line of one point would not be seen
					marker{circle, palette[i]}.draw(c, p.stroke*symbolRadius, line[0])
				}
				c.StrokeLines(p.line(palette[i], curveWidth), c.ClipLinesXY(line)...)
			}
			for k, v := range curve.values {
				if math.IsNaN(v) {
					stroke()
					line = nil
					continue
				}
				line = append(line, p.at(s.Epsilon[k], v))
			}
			stroke()
		}
		if n == 0 {
			p.text(c, "no radii", p.label, c.Center(), centerMiddle)
		}
	})
	return p, nil
}

// drawPlateau shades the plateau and says what is found at the chosen radius.
func (s EpsilonScan) drawPlateau(c draw.Canvas, p *panel) {
	from, to, at := p.at(s.Epsilon[s.First], 0).X, p.at(s.Epsilon[s.Last], 0).X, p.at(s.Epsilon[s.Chosen], 0).X
	c.FillPolygon(tint(palette[4], 0.3), box(vg.Rectangle{Min: vg.Point{X: from, Y: c.Min.Y}, Max: vg.Point{X: to, Y: c.Max.Y}}))
	c.StrokeLine2(p.dashed(palette[1]), at, c.Min.Y, at, c.Max.Y)
	what := "clusters"
	if s.Clusters[s.Chosen] == 1 {
		what = "cluster"
	}
	text := fmt.Sprintf("ε = %s, min-points = %d: %s %s", number(s.Epsilon[s.Chosen]), s.MinPoints, count(s.Clusters[s.Chosen]), what)
	text = p.fitText(text, p.small, c.Max.X-c.Min.X-p.small)
	half := p.textWidth(text, p.small) / 2
	x := min(max(at, c.Min.X+half+0.5*p.small), c.Max.X-half-0.5*p.small)
	p.haloed(c, text, p.small, vg.Point{X: x, Y: c.Max.Y - 1.4*p.small}, centerMiddle)
}

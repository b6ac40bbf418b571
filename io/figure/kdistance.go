package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"skyjoin/internal/each"
)

// A KDistance shows the sorted k-distance curve of Ester et al. (1996): the
// distance of every point to its K-th neighbour, in descending order, from
// which ε is read at the knee. The axis of distances is logarithmic when the
// positive ones span more than two decades; zeros then lie on its lower end.
type KDistance struct {
	Distances []float64 // in any order; NaN and infinite ones are not drawn
	K         int       // counts other points: min-points = K + 1; 0: not known
	Plateau   float64   // the ε that is advised first, amid radii that find the same clusters; not positive: none
	Knee      float64   // the distance marked as ε; not positive: none
	Elbow     float64   // a second ε, for clusters with few members in a field; not positive: none
	Unit      string    // of the distances
	Title     string
	Style     Style
}

// curveVertices bounds the vertices of a curve.
const curveVertices = 4000

// Figure lays the curve out. The error wraps ErrRequest.
func (k KDistance) Figure() (*Figure, error) { return figure(k.panel()) }

func (k KDistance) panel() (*panel, error) {
	if k.K < 0 {
		return nil, fmt.Errorf("%w: k-distance curve with k = %d, it must be at least 1, or 0 if it is not known", ErrRequest, k.K)
	}
	p, err := newPanel(k.Style, SingleColumn, k.Title, 0.72)
	if err != nil {
		return nil, err
	}
	d := descending(k.Distances)
	plateau, knee, elbow := markable(k.Plateau), markable(k.Knee), markable(k.Elbow)
	p.x, p.y = linearAxis(Axis{Name: "points in order of distance"}, interval{0, float64(max(len(d), 1))}), distanceAxis(d, max(knee, plateau))
	p.y.Axis = Axis{"distance to " + which(k.K) + " neighbour", k.Unit}
	p.layout()
	vertices := decimate(d, p.y)
	p.layer(func(c draw.Canvas) {
		line := each.Of(vertices, func(v int) vg.Point { return p.at(float64(v)+0.5, d[v]) })
		c.StrokeLines(p.line(p.colour(0), curveWidth), c.ClipLinesXY(line)...)
		switch len(d) {
		case 0:
			p.text(c, "no points", p.label, c.Center(), centerMiddle)
		case 1:
			p.markerOf(0).draw(c, 2*p.stroke, line...)
		}
	})
	var notes []note
	mark := func(name string, eps float64, look int) {
		notes = append(notes, k.mark(p, name, crossing(d, eps, p.y), eps, look))
	}
	if plateau > 0 {
		mark("plateau", plateau, 3)
	}
	if elbow > 0 && elbow != knee {
		mark("elbow", elbow, 2)
	}
	if knee > 0 {
		mark("knee", knee, 1)
	}
	if len(notes) > 1 {
		for i := range notes {
			notes[i].listed = true
			if i > 0 { // the first says for all what follows the radius
				notes[i].lines = notes[i].lines[:1]
			}
		}
	}
	p.annotate(notes...)
	return p, nil
}

// which names the k-th neighbour.
func which(k int) string {
	switch k {
	case 0:
		return "k-th"
	case 1:
		return "nearest"
	}
	return ordinal(k)
}

// crossing returns where on the x axis the drawn curve of d, in descending
// order, comes down to a level.
func crossing(d []float64, level float64, y axis) float64 {
	i := sort.Search(len(d), func(i int) bool { return d[i] <= level })
	if i == 0 || i == len(d) {
		return min(float64(i)+0.5, max(float64(len(d))-0.5, 0.5))
	}
	above, below := y.norm(d[i-1]), y.norm(d[i])
	return float64(i) - 0.5 + (above-y.norm(level))/(above-below)
}

// markable returns a distance that can be marked, 0 for one that cannot.
func markable(d float64) float64 {
	if !(d > 0) || d > 1e300 {
		return 0
	}
	return d
}

// advice is what is written beside a mark.
func (k *KDistance) advice(name string, eps float64) []string {
	radius := name + ": ε = " + withSuffix(number(eps), k.Unit)
	if k.K == 0 {
		return []string{radius}
	}
	return []string{radius, fmt.Sprintf("min-points = %d", k.K+1)}
}

// mark draws the lines that meet at a mark, and returns what is written beside it.
func (k *KDistance) mark(p *panel, name string, x, eps float64, look int) note {
	p.layer(func(c draw.Canvas) {
		at, dashed := p.at(x, eps), p.dashed(p.colour(look))
		c.StrokeLine2(dashed, c.Min.X, at.Y, c.Max.X, at.Y)
		c.StrokeLine2(dashed, at.X, c.Min.Y, at.X, at.Y)
		marker{circle, p.colour(look)}.draw(c, 2*p.stroke, at)
	})
	return note{lines: k.advice(name, eps), x: x, y: eps, sample: func(c draw.Canvas, at vg.Point, size vg.Length) {
		marker{circle, p.colour(look)}.draw(c, 0.3*size, at)
	}}
}

// kneeHeight is how high in the axes the knee may be, to leave room for the
// advice.
const kneeHeight = 0.8

// descending returns the finite distances in descending order, sorting a copy
// unless they are in order.
func descending(d []float64) []float64 {
	unusable := func(v float64) bool { return !(v >= 0 && v <= 1e300) }
	falling := func(a, b float64) int { return cmp.Compare(b, a) }
	if !slices.ContainsFunc(d, unusable) && slices.IsSortedFunc(d, falling) {
		return d
	}
	kept := slices.DeleteFunc(slices.Clone(d), unusable)
	slices.Sort(kept)
	slices.Reverse(kept)
	return kept
}

// distanceAxis returns the vertical axis for distances in descending order.
func distanceAxis(d []float64, knee float64) axis {
	largest, smallest := knee, knee
	if len(d) > 0 {
		largest = max(largest, d[0])
		positive := sort.Search(len(d), func(i int) bool { return !(d[i] > 0) })
		if positive > 0 && (smallest == 0 || d[positive-1] < smallest) {
			smallest = d[positive-1]
		}
	}
	if smallest > 0 && largest/smallest > 100 {
		lo, hi := logRange(smallest, largest)
		if knee > 0 {
			l := math.Log10(lo)
			hi = min(max(hi, math.Pow(10, l+(math.Log10(knee)-l)/kneeHeight)), largestLog)
		}
		return logAxis(Axis{}, lo, hi)
	}
	hi := max(largest*1.06, knee/kneeHeight)
	if hi < narrowest {
		hi = 1
	}
	return linearAxis(Axis{}, interval{0, hi})
}

// decimate returns the indices of at most curveVertices of the values, which
// are in descending order. Between two of them the curve changes by less than
// a thousandth of either axis, or they are neighbours.
func decimate(d []float64, y axis) []int {
	n := len(d)
	var picked []int
	if n <= curveVertices {
		for i := range n {
			picked = append(picked, i)
		}
		return picked
	}
	const steps = curveVertices/3 - 1
	height := func(i int) float64 { return y.norm(d[i]) }
	top, bottom := height(0), height(n-1)
	for s := range steps + 1 {
		picked = append(picked, int(math.Round(float64(n-1)*float64(s)/steps)))
	}
	for s := 1; s < steps; s++ { // the points on both sides of each level
		level := top - (top-bottom)*float64(s)/steps
		below := sort.Search(n-1, func(i int) bool { return height(i) <= level })
		picked = append(picked, max(below-1, 0), below)
	}
	slices.Sort(picked)
	return slices.Compact(picked)
}

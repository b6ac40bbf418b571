package geometry

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/internal/each"
	"skyjoin/internal/exact"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// Scaled returns the metric with its scales, those given by a rule taken from
// the points, and the scales as --scale would be given them.
func (g *Geometry) Scaled(p *neighbors.Points) (neighbors.Metric, string, error) {
	m := g.Unscaled()
	scales, text, err := g.ScaleValues(p)
	if scales == nil {
		return m, text, err
	}
	first := max(g.position()-1, 0) // column of item i > 0 is first+i
	for i, scale := range scales {
		if i == 0 && first > 0 {
			continue // of positions on the sky
		}
		if err := fits(p.Column(first+i), scale, g.names[i]); err != nil {
			return m, "", err
		}
	}
	return m.Scaled(scales...), text, nil
}

// ByRule reports whether some scale is taken from the points.
func (g *Geometry) ByRule() bool {
	return slices.ContainsFunc(g.items, func(i scaleItem) bool { return i.rule != "" })
}

// ScaleValues returns the scales, nil for none, and as --scale would be given
// them. Without scales by rule it needs no points.
func (g *Geometry) ScaleValues(p *neighbors.Points) ([]float64, string, error) {
	if g.items == nil {
		return nil, "none", nil
	}
	scales := make([]float64, len(g.items))
	texts := make([]string, len(g.items))
	first := max(g.position()-1, 0) // column of item i > 0 is first+i
	for i, item := range g.items {
		texts[i] = item.Text
		switch {
		case item.rule != "":
			s, err := ruleScale(item.rule, g.names[i], p.Column(first+i))
			if err != nil {
				return nil, "", err
			}
			scales[i], texts[i] = s, human.FloatText(s)
		case item.Unit != "":
			scales[i] = item.Value * flags.Radians(item.Unit)
		default:
			scales[i] = item.Value
		}
	}
	return scales, strings.Join(texts, ","), nil
}

// A ScaleOverflow is a coordinate that overflows when it is scaled.
type ScaleOverflow struct {
	Point        uint32
	name         string
	value, scale float64
}

func (e *ScaleOverflow) Error() string { return e.At(int64(e.Point)) }

// Unwrap says that the request is wrong.
func (e *ScaleOverflow) Unwrap() error { return catalog.ErrRequest }

// At is the error with the row of the catalog.
func (e *ScaleOverflow) At(row int64) string {
	return fmt.Sprintf("--scale: %s is %v in row %d, which divided by the scale %v is no number; give it a larger scale", e.name, e.value, row, e.scale)
}

// fits reports the first point whose coordinate a scale makes too large.
func fits(c neighbors.Column, scale float64, name string) error {
	if scale >= 1 {
		return nil
	}
	for i := range c.Len() {
		if v := c.At(i); math.IsInf(v/scale, 0) {
			return &ScaleOverflow{uint32(i), name, v, scale}
		}
	}
	return nil
}

// ruleScale is the scale that a rule gives to a column.
func ruleScale(rule, name string, c neighbors.Column) (float64, error) {
	if c.Len() == 0 {
		return 1, nil // of nothing
	}
	s, why := spread(c), "its values are too large"
	switch {
	case s == 0:
		why = "every used row has the value " + human.FloatText(c.At(0))
	case rule == scaleStandard:
		s = deviation(c)
	case rule == scaleRobust:
		if s = quartiles(c); s == 0 {
			why = "half of the used rows have one value"
		}
	}
	if !(s > 0) || math.IsInf(s, 1) {
		return 0, exit.Usagef("--scale %s: %s has no such scale, %s; leave it out or give it a number", rule, name, why)
	}
	return s, nil
}

// spread is the largest value less the smallest.
func spread(c neighbors.Column) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range c.Len() {
		lo, hi = min(lo, c.At(i)), max(hi, c.At(i))
	}
	return hi - lo
}

// quartiles is the interquartile range. A quartile between two values is where it falls
// on the line between them, as numpy.percentile has it.
func quartiles(c neighbors.Column) float64 {
	v := each.To(c.Len(), c.At)
	slices.Sort(v)
	at := func(quarter int) float64 {
		whole, rest := quarter*(len(v)-1)/4, float64(quarter*(len(v)-1)%4)/4
		lo, hi := v[whole], v[min(whole+1, len(v)-1)]
		if rest >= 0.5 {
			return hi - (hi-lo)*(1-rest)
		}
		return lo + (hi-lo)*rest
	}
	return at(3) - at(1)
}

// deviation is the population standard deviation: √(Σ(x-mean)²/n), the sums
// exact to 2⁻⁵² of the largest term and so independent of the order of rows.
func deviation(c neighbors.Column) float64 {
	n := c.Len()
	mean := exactSum(n, c.At) / float64(n)
	return math.Sqrt(exactSum(n, func(i int) float64 {
		d := c.At(i) - mean
		return float64(d * d)
	}) / float64(n))
}

// exactSum adds n terms in fixed point.
func exactSum(n int, term func(i int) float64) float64 {
	largest := 0.0
	for i := range n {
		largest = max(largest, math.Abs(term(i)))
	}
	if largest == 0 || math.IsInf(largest, 1) {
		return largest
	}
	scale := exact.NewScale(largest)
	var sum exact.Sum
	for i := range n {
		sum.Add(scale.Fixed(term(i)))
	}
	return scale.Float(sum)
}

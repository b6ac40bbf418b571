package main

import (
	"math"
	"slices"
	"strings"

	"skyjoin/internal/exact"
	"skyjoin/neighbors"
)

// scaled returns the metric with its scales, those given by a rule taken from
// the points, and the scales as --scale would be given them.
func (g *geometry) scaled(p *neighbors.Points) (neighbors.Metric, string, error) {
	m := g.unscaled()
	scales, text, err := g.scaleValues(p)
	if scales == nil {
		return m, text, err
	}
	return m.Scaled(scales...), text, nil
}

// byRule reports whether some scale is taken from the points.
func (g *geometry) byRule() bool {
	return slices.ContainsFunc(g.items, func(i scaleItem) bool { return i.rule != "" })
}

// scaleValues returns the scales, nil for none, and as --scale would be given
// them. Without scales by rule it needs no points.
func (g *geometry) scaleValues(p *neighbors.Points) ([]float64, string, error) {
	if g.items == nil {
		return nil, "none", nil
	}
	scales := make([]float64, len(g.items))
	texts := make([]string, len(g.items))
	first := max(g.position()-1, 0) // column of item i > 0 is first+i
	for i, item := range g.items {
		texts[i] = item.text
		switch {
		case item.rule != "":
			s, err := ruleScale(item.rule, g.names[i], p.Column(first+i))
			if err != nil {
				return nil, "", err
			}
			scales[i], texts[i] = s, floatText(s)
		case item.unit != "":
			scales[i] = item.value * radians(item.unit)
		default:
			scales[i] = item.value
		}
	}
	return scales, strings.Join(texts, ","), nil
}

// ruleScale is the scale that a rule gives to a column.
func ruleScale(rule, name string, c neighbors.Column) (float64, error) {
	s := spread(c)
	if rule == scaleStandard && s > 0 {
		s = deviation(c)
	}
	if !(s > 0) || math.IsInf(s, 1) {
		why := "its values are too large"
		if s == 0 {
			why = "every used row has the value " + floatText(c.At(0))
		}
		return 0, usagef("--scale %s: %s has no such scale, %s; leave it out or give it a number", rule, name, why)
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

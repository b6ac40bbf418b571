package match

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

// Chance is the number of matches that are expected between unrelated rows.
type Chance struct {
	Matches []int64 // of each trial
	Mean    float64 // of Matches
	Error   float64 // the standard error of Mean, from the scatter of the trials
}

// The length of an offset, in largest distances of a match: above 2, so that no
// row can still meet its own counterpart, and small enough for the second
// catalog to be as dense as before.
const (
	leastOffset = 5
	mostOffset  = 10
)

// ExpectByChance counts the matches of Cross in trials, at least 2, in which b
// is offset: by lengths drawn evenly from 5 to 10 times the largest distance of
// a match, in directions that are evenly spaced around a ring of which the first
// is drawn. Both come from the generator PCG of (seed, 3). See Offset for what a
// direction is. Errors are those of Cross.
func ExpectByChance(ctx context.Context, a, b *neighbors.Points, m neighbors.Metric, o Options, trials int, seed uint64) (*Chance, error) {
	if a == nil || b == nil {
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	if err := o.check(a, b); err != nil {
		return nil, err
	}
	if o.Radius == 0 && !o.hasErrors() {
		return nil, fmt.Errorf("%w: matches by chance of the %d nearest rows at any distance; a radius, or errors, are needed to bound them", neighbors.ErrRequest, o.K)
	}
	if trials < 2 {
		return nil, fmt.Errorf("%w: %d trials, there must be at least 2 for an error", neighbors.ErrRequest, trials)
	}
	reach := o.reach(m)
	if err := offsetFits(m, reach); err != nil {
		return nil, err
	}
	o.Foresee = nil
	rng := rand.New(rand.NewPCG(seed, 3))
	first := rng.Float64()
	c := &Chance{}
	for i := range trials {
		direction := 2 * math.Pi * (float64(i) + first) / float64(trials)
		moved, err := Offset(b, m, reach*(leastOffset+(mostOffset-leastOffset)*rng.Float64()), direction)
		if err != nil {
			return nil, err
		}
		found, err := Cross(ctx, a, moved, m, o)
		if err != nil {
			return nil, err
		}
		c.Matches = append(c.Matches, int64(len(found.Pairs)))
	}
	c.Mean, c.Error = meanOf(c.Matches)
	return c, nil
}

// meanOf returns the mean of numbers and its standard error, √(Σ(n−mean)² / (N(N−1))).
func meanOf(numbers []int64) (mean, standardError float64) {
	n := float64(len(numbers))
	for _, v := range numbers {
		mean += float64(v)
	}
	mean /= n
	squares := 0.0
	for _, v := range numbers {
		squares += float64((float64(v) - mean) * (float64(v) - mean))
	}
	return mean, math.Sqrt(squares / (n * (n - 1)))
}

// offsetFits refuses offsets that would lead around the sky or the box.
func offsetFits(m neighbors.Metric, reach float64) error {
	most := mostOffset * reach
	if m.PositionColumns() == 2 {
		if most *= m.Scale(0); most >= math.Pi/2 {
			return fmt.Errorf("%w: offset trials move rows by up to %d radii, which must be below 90°; the radius of %.3g° can be at most %d°", neighbors.ErrRequest, mostOffset, reach*m.Scale(0)/neighbors.Degree, 90/mostOffset)
		}
		return nil
	}
	for j := range 2 {
		if l := m.Side(j); l > 0 && most*m.Scale(j) > l/2 {
			return fmt.Errorf("%w: offset trials move rows by up to %d radii, %v, which is over half of side %d of the box, %v", neighbors.ErrRequest, mostOffset, most*m.Scale(j), j, l/2)
		}
	}
	return nil
}

// Offset moves points by a length in the unit of distances of the metric. On the sky
// every point goes along the great circle that leaves it with the direction as position
// angle, from north through east, in radians; with distances of rows, by the angle
// under which the length is seen at that of the row, which it keeps. Elsewhere points
// move in the plane of the first two columns, the direction being the angle from the
// first to the second; on a line, up or down by the sign of its cosine.
func Offset(points *neighbors.Points, m neighbors.Metric, length, direction float64) (*neighbors.Points, error) {
	cols := each.To(points.Dim(), points.Column)
	sin, cos := math.Sincos(direction)
	switch {
	case m.PositionColumns() > 0:
		ra, dec := make([]float64, points.Len()), make([]float64, points.Len())
		tan := math.Tan(length * m.Scale(0))
		for i := range ra {
			if m.PositionColumns() == 3 {
				tan = min(length*m.Scale(0)/cols[2].At(i), math.MaxFloat32) // at distance 0 by 90°
			}
			ra[i], dec[i] = shifted(cols[0].At(i), cols[1].At(i), tan*sin, tan*cos)
		}
		cols[0], cols[1] = neighbors.Float64s(ra), neighbors.Float64s(dec)
	case len(cols) == 1:
		cols[0] = plus(cols[0], math.Copysign(length*m.Scale(0), cos))
	default:
		cols[0], cols[1] = plus(cols[0], length*m.Scale(0)*cos), plus(cols[1], length*m.Scale(1)*sin)
	}
	return neighbors.NewPoints(cols...)
}

// plus returns a column with d added.
func plus(c neighbors.Column, d float64) neighbors.Column {
	sum := each.To(c.Len(), func(i int) float64 { return c.At(i) + d })
	return neighbors.Float64s(sum)
}

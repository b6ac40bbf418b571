package cores

import (
	"fmt"

	"skyjoin/internal/exact"
	"skyjoin/neighbors"
)

// balls finds the smallest closed balls that hold some weight. Sums of weights
// are exact, see internal/exact.
type balls struct {
	fixed []int64
	least exact.Sum
	one   exact.Sum // what a weight of 1 is
}

func newBalls(weights []float64, least float64) (*balls, error) {
	scale := ScaleOf(weights)
	b := &balls{fixed: make([]int64, len(weights)), least: scale.Ceil(least), one: scale.Ceil(1)}
	var all exact.Sum
	for i, w := range weights {
		b.fixed[i] = scale.Fixed(w)
		all.Add(b.fixed[i])
	}
	if all.Compare(b.least) < 0 {
		return nil, fmt.Errorf("%w: min-samples %v but all weights add up to %v", neighbors.ErrRequest, least, scale.Float(all))
	}
	return b, nil
}

// ScaleOf returns the scale that sums of weights are exact in.
func ScaleOf(weights []float64) exact.Scale {
	largest := 0.0
	for _, w := range weights {
		largest = max(largest, w)
	}
	return exact.NewScale(largest)
}

// radius returns the radius of the ball around a row whose neighbours, itself
// not among them unless it is None, are listed in order; -1 if it is larger than
// the list reaches.
func (b *balls) radius(row uint32, list []uint32, dist []float64) float64 {
	var sum exact.Sum
	if row != neighbors.None {
		sum.Add(b.fixed[row])
		if sum.Compare(b.least) >= 0 {
			return 0
		}
	}
	return b.fill(sum, list, dist)
}

// fill is radius for a ball that holds something already.
func (b *balls) fill(sum exact.Sum, list []uint32, dist []float64) float64 {
	for i, j := range list {
		if j == neighbors.None {
			break
		}
		sum.Add(b.fixed[j])
		if sum.Compare(b.least) >= 0 {
			return dist[i]
		}
	}
	return -1
}

package dbscan

import (
	"math"

	"skyjoin/internal/exact"
)

// A threshold decides whether a row is core.
type threshold struct {
	minRows int64     // without weights
	fixed   []int64   // the weights in units of their scale; nil without
	minSum  exact.Sum // MinPoints in the same units, rounded up
}

// fixedSum is the number of weights that can be added as int64: each is at
// most 2⁵² units.
const fixedSum = 1024

func newThreshold(o *Options) *threshold {
	if o.Weights == nil {
		// A finite MinPoints beyond any number of rows becomes such a number.
		return &threshold{minRows: int64(min(math.Ceil(o.MinPoints), 1<<62))}
	}
	largest := o.largest
	for _, w := range o.Weights {
		largest = max(largest, math.Abs(w))
	}
	scale := exact.NewScale(largest)
	t := &threshold{fixed: make([]int64, len(o.Weights)), minSum: scale.Ceil(o.MinPoints)}
	for i, w := range o.Weights {
		t.fixed[i] = scale.Fixed(w)
	}
	return t
}

// core reports whether a row with the given neighbours, itself not among
// them, is core.
func (t *threshold) core(row uint32, list []uint32) bool {
	if t.fixed == nil {
		return int64(len(list))+1 >= t.minRows
	}
	var sum exact.Sum
	sum.Add(t.fixed[row])
	for len(list) > 0 {
		part := list[:min(fixedSum, len(list))]
		list = list[len(part):]
		var k int64
		for _, j := range part {
			k += t.fixed[j]
		}
		sum.Add(k)
	}
	return sum.Compare(t.minSum) >= 0
}

// Package squares tells of which coordinates the squares of distances, which are what
// joins compare, are no use in float64.
package squares

import (
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/column"
	"skyjoin/internal/par"
)

// LeastDistance is the root of the least normal float64, about 1.5e-154. The squares
// of lesser distances lose digits, and are 0 from 1.6e-162 down.
const LeastDistance = 0x1p-511

// farApart is the root of the largest float64, about 1.3e154, below which squares of
// distances are finite.
const farApart = 0x1p512

// Vanish says what is wrong with distances below LeastDistance.
const Vanish = "squares of distances below 1.5e-154 vanish in float64"

// A Metric is what is asked of a neighbors.Metric.
type Metric interface {
	PositionColumns() int
	Scale(j int) float64
}

// BadOf names values of a column whose squared distances are of no use: 0, or of few
// digits, although the values differ, or infinite. It is "" if there are none. sides
// returns column j of each catalog.
func BadOf(threads int, m Metric, names []string, sides func(j int) []column.Column) string {
	for j, name := range names {
		scale := m.Scale(j)
		switch position := m.PositionColumns(); {
		case j < 2 && position == 3:
			continue // directions, of whatever length
		case j < 2 && position == 2:
			scale *= 180 / math.Pi
		}
		if text := Bad(threads, name, scale, sides(j)...); text != "" {
			return text
		}
	}
	return ""
}

// Bad is BadOf for one column, which is divided by a scale.
func Bad(threads int, name string, scale float64, sides ...column.Column) string {
	const (
		near = LeastDistance * 0x1p53 // values from here on, and their differences, are large enough
		far  = farApart / 2           // and below this they are small enough
	)
	var small []float64
	zero, large := false, false
	for _, c := range sides {
		if c.Float32 != nil && scale < 1e90 && scale > 1e-90 {
			continue // none is that small or large
		}
		found := make([][]float64, threads)
		zeros := make([]bool, threads)
		larges := make([]bool, threads)
		par.Chunks(threads, c.Len(), func(chunk, lo, hi int) {
			limit, bound := near*scale, far*scale
			for i := lo; i < hi; i++ {
				x := c.At(i)
				switch a := math.Abs(x); {
				case a >= limit && a < bound:
				case a >= bound:
					larges[chunk] = true
				case x == 0:
					zeros[chunk] = true
				default:
					found[chunk] = append(found[chunk], x)
				}
			}
		})
		small = append(small, slices.Concat(found...)...)
		zero = zero || slices.Contains(zeros, true)
		large = large || slices.Contains(larges, true)
	}
	divided := ""
	if scale != 1 && scale != 180/math.Pi {
		divided = fmt.Sprintf(", which is divided by %v,", scale)
	}
	if least, most := bounds(sides, large); most/scale-least/scale >= farApart {
		return fmt.Sprintf("squares of distances from 1.3e154 on are too large for float64: %v and %v of %s%s are taken to be infinitely far apart", least, most, name, divided)
	}
	if len(small) == 0 {
		return ""
	}
	if zero {
		small = append(small, 0)
	}
	slices.Sort(small)
	for i, x := range small[1:] {
		if before := small[i]; before != x && math.Abs(x/scale-before/scale) < LeastDistance {
			return fmt.Sprintf("%s: %v and %v of %s%s are taken for the same or nearly so", Vanish, before, x, name, divided)
		}
	}
	return ""
}

// bounds returns the least and the largest value of the columns, twice 0 unless they
// are wanted.
func bounds(sides []column.Column, wanted bool) (least, most float64) {
	if !wanted {
		return 0, 0
	}
	least, most = math.Inf(1), math.Inf(-1)
	for _, c := range sides {
		for i := range c.Len() {
			least, most = min(least, c.At(i)), max(most, c.At(i))
		}
	}
	return least, most
}

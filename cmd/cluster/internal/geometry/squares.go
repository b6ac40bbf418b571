package geometry

import (
	"fmt"
	"math"
	"slices"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

// leastDistance is the root of the least normal float64, about 1.5e-154. The squares
// of lesser distances, which are what is compared, lose digits, and are 0 from
// 1.6e-162 down.
const leastDistance = 0x1p-511

// farApart is the root of the largest float64, about 1.3e154, below which squares of
// distances are finite.
const farApart = 0x1p512

const vanishes = "squares of distances below 1.5e-154 vanish in float64"

// notTooSmall refuses a radius whose square would vanish. That of duplicates is
// larger.
func notTooSmall(flag string, l flags.Length, radius float64) (float64, error) {
	if radius < leastDistance {
		return 0, exit.Usagef("%s %s: it is too small, as %s; multiply the coordinates, as with --let \"x2 = x * 1e200\"", flag, l.Text, vanishes)
	}
	return radius, nil
}

// edgesNotTooSmall is notTooSmall for the edges of bins.
func edgesNotTooSmall(flag string, bins stats2b.Bins) error {
	for _, e := range bins.Edges() {
		if e > 0 && e < leastDistance {
			return exit.Usagef("%s: an edge is too near 0, as %s; multiply the coordinates, as with --let \"x2 = x * 1e200\"", flag, vanishes)
		}
	}
	return nil
}

// BadSquares says of which values of a column the squares of distances are no use: 0,
// or of few digits, although the values differ, or infinite. It is "" for none. Points
// may be of both sides of a join.
func (g *Geometry) BadSquares(threads int, points ...*neighbors.Points) string {
	position := g.position()
	first := max(position-1, 0) // column of scale i > 0 is first+i
	for j, name := range g.Columns {
		scale := 1.0
		if i := max(j-first, 0); g.scales != nil {
			scale = g.scales[i]
		}
		switch {
		case g.Distance && j < 2:
			continue // directions, of whatever length
		case g.Sky && j < 2:
			scale *= 180 / math.Pi
		}
		var sides []neighbors.Column
		for _, p := range points {
			sides = append(sides, p.Column(j))
		}
		if text := BadSquares(threads, name, scale, sides...); text != "" {
			return text
		}
	}
	return ""
}

// BadSquares is that of a column by itself, which is divided by a scale.
func BadSquares(threads int, name string, scale float64, sides ...neighbors.Column) string {
	const (
		near = leastDistance * 0x1p53 // values from here on, and their differences, are large enough
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
		if before := small[i]; before != x && math.Abs(x/scale-before/scale) < leastDistance {
			return fmt.Sprintf("%s: %v and %v of %s%s are taken for the same or nearly so", vanishes, before, x, name, divided)
		}
	}
	return ""
}

// bounds returns the least and the largest value of the columns, twice 0 unless they
// are wanted.
func bounds(sides []neighbors.Column, wanted bool) (least, most float64) {
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

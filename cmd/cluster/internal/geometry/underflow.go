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

// Underflow says of which values of a column distances are 0, or have few digits,
// although the values differ, "" for none: points may be of both sides of a join.
func (g *Geometry) Underflow(threads int, points ...*neighbors.Points) string {
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
		if text := Underflow(threads, name, scale, sides...); text != "" {
			return text
		}
	}
	return ""
}

// Underflow is that of a column by itself, which is divided by a scale.
func Underflow(threads int, name string, scale float64, sides ...neighbors.Column) string {
	const near = leastDistance * 0x1p53 // values from here on, and their differences, are large enough
	var small []float64
	zero := false
	for _, c := range sides {
		if c.Float32 != nil && scale < 1e90 {
			continue // none is that small
		}
		found := make([][]float64, threads)
		zeros := make([]bool, threads)
		par.Chunks(threads, c.Len(), func(chunk, lo, hi int) {
			limit := near * scale
			for i := lo; i < hi; i++ {
				x := c.At(i)
				if math.Abs(x) >= limit {
					continue
				}
				if x == 0 {
					zeros[chunk] = true
				} else {
					found[chunk] = append(found[chunk], x)
				}
			}
		})
		small = append(small, slices.Concat(found...)...)
		zero = zero || slices.Contains(zeros, true)
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
			divided := ""
			if g := scale; g != 1 && g != 180/math.Pi {
				divided = fmt.Sprintf(", which is divided by %v,", g)
			}
			return fmt.Sprintf("%s: %v and %v of %s%s are taken for the same or nearly so", vanishes, before, x, name, divided)
		}
	}
	return ""
}

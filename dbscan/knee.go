package dbscan

// A Knee is where a sorted k-distance curve turns from the rows of clusters to
// the sparse rest.
type Knee struct {
	Index    int     // position in the curve
	Distance float64 // the curve there: the advice for ε
	Strength float64 // depth below the chord in [0, 1): near 0 there is no real knee
}

// FindKnee returns the knee of a k-distance curve in ascending order, and
// false if the curve has none: fewer than three values, or none below its
// chord.
//
// The method is Kneedle (Satopää, Albrecht, Irwin & Raghavan, ICDCSW 2011) for
// a convex increasing curve that is known whole: positions and distances are
// scaled to [0, 1], and the knee is where the scaled position exceeds the
// scaled distance the most, the lowest such position if there are several.
// Kneedle's smoothing is not needed, as the curve is sorted, nor its
// sensitivity, as only one knee is asked for.
func FindKnee(curve []float64) (Knee, bool) {
	n := len(curve)
	if n < 3 {
		return Knee{}, false
	}
	lo, hi := curve[0], curve[n-1]
	if !(hi > lo) {
		return Knee{}, false
	}
	best := Knee{}
	for i, d := range curve {
		x := float64(i) / float64(n-1)
		y := (d - lo) / (hi - lo)
		if depth := x - y; depth > best.Strength {
			best = Knee{Index: i, Distance: d, Strength: depth}
		}
	}
	return best, best.Strength > 0
}

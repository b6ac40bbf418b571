package dbscan

import (
	"context"
	"fmt"
	"math"

	"skyjoin/neighbors"
)

// A Knee is a bend of a sorted k-distance curve.
type Knee struct {
	Index    int     // position in the curve
	Distance float64 // the curve there: the advice for ε
	Strength float64 // distance from the chord of the scaled curve in [0, 1): near 0 there is no real bend
}

// FindKnee returns the knee of a k-distance curve in ascending order, beyond
// which it rises steeply: the rows there are outliers, the rest are taken for
// clusters. It returns false if the curve has no knee: fewer than three
// values, or none below its chord.
//
// The method is Kneedle (Satopää, Albrecht, Irwin & Raghavan, ICDCSW 2011) for
// a convex increasing curve that is known whole: positions and distances are
// scaled to [0, 1], and the knee is where the scaled position exceeds the
// scaled distance the most, the lowest such position if there are several.
// Kneedle's smoothing is not needed, as the curve is sorted, nor its
// sensitivity, as only one knee is asked for.
func FindKnee(curve []float64) (Knee, bool) {
	return bend(curve, 0, func(d float64) float64 { return d }, 1)
}

// FindElbow returns the elbow of a k-distance curve in ascending order, where
// the steep beginning turns into the plateau of typical distances. Where
// clusters are a minority in a field, as star clusters are among field stars,
// they are the beginning, and the knee, which parts the field from its
// outliers, is far too large an ε. A curve without clusters has an elbow too:
// look at the plot.
//
// The method is that of FindKnee for a concave increasing curve, applied to
// the logarithms of the distances that are not 0.
func FindElbow(curve []float64) (Knee, bool) {
	zeros := 0
	for zeros < len(curve) && curve[zeros] <= 0 {
		zeros++
	}
	return bend(curve, zeros, math.Log, -1)
}

// bend returns where the curve from position first on, its distances
// transformed, is furthest below its chord (sign +1) or above it (-1).
func bend(curve []float64, first int, transform func(float64) float64, sign float64) (Knee, bool) {
	n := len(curve) - first
	if n < 3 {
		return Knee{}, false
	}
	lo := transform(curve[first])
	height := transform(curve[len(curve)-1]) - lo
	if !(height > 0) {
		return Knee{}, false
	}
	best := Knee{}
	for i, d := range curve[first:] {
		x := float64(i) / float64(n-1)
		y := (transform(d) - lo) / height
		if depth := sign * (x - y); depth > best.Strength {
			best = Knee{Index: first + i, Distance: d, Strength: depth}
		}
	}
	return best, best.Strength > 0
}

// KDistances returns the distance of each row to its k-th nearest other row,
// in the unit of the metric. Sorted, it is the curve that Ester et al. read ε
// from, for MinPoints = k + 1: a row is core exactly from that radius on. See
// [FindKnee].
func KDistances(ctx context.Context, points *neighbors.Points, metric neighbors.Metric, k int, join Join) ([]float64, error) {
	if points == nil {
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	dist := make([]float64, points.Len())
	in := neighbors.Input{Query: points, Metric: metric}
	return dist, join.visit(ctx, in, neighbors.Nearest{K: k}, func(_ *neighbors.Plan, b *neighbors.Batch) {
		for i, row := range b.Rows {
			dist[row] = b.Dists(i)[k-1]
		}
	})
}

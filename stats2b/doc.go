// Package stats2b computes 2-body statistics: functions of all pairs of points of
// one catalog or of two.
//
// A statistic is a distance (neighbors.Metric) and an output: a few numbers, or one
// number per row ([Density]); a histogram of the distances of pairs ([Count] and
// what is derived from it, [Correlate], [Radial]); or the pairs themselves, which
// are the joins of package neighbors.
//
// Counts are exact 64-bit integers, and sums of weights are exact too, so that no
// result depends on threads or device.
package stats2b

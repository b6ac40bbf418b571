package dbscan

import "time"

// A Result is a clustering of n rows.
type Result struct {
	Labels []int32 // cluster of each row, counted from 0, or Noise
	Core   []bool  // whether each row is core
	Counts []int64 // rows in the ball of each row, itself included; nil unless wanted

	Sizes []int64 // rows of each cluster, border rows included

	CoreCount   int64 // core rows
	BorderCount int64 // rows of clusters that are not core
	NoiseCount  int64 // rows of no cluster
	Pairs       int64 // unordered pairs of different rows within ε; -1 if not counted, see Options.SkipPairs

	Eps       float64   // radius, in the unit of the metric
	Links     *Links    // what holds the clusters together instead, nil where the radius does
	Algorithm Algorithm // the one that was used, never Auto

	Index   time.Duration // wall time of lowering the metric and building the index
	Join    time.Duration // of streaming the neighbours, including unions
	Cluster time.Duration // of numbering the clusters

	found int64 // ordered pairs of a clustered row with any row
}

// Clusters returns the number of clusters.
func (r *Result) Clusters() int { return len(r.Sizes) }

// Largest returns the size of the largest cluster, 0 if there is none.
func (r *Result) Largest() int64 {
	var largest int64
	for _, n := range r.Sizes {
		largest = max(largest, n)
	}
	return largest
}

// A Cluster describes one cluster. Values per column are in the order and the
// unit of the columns of the points; RA and Dec are in degrees.
type Cluster struct {
	Label int32
	Size  int64 // rows, border rows included
	Core  int64 // core rows

	// Wraps says that the cluster is linked to an image of itself, so that it
	// extends all the way around a periodic box.
	Wraps bool

	// Centre is the mean of each column. On the sky it is the direction of the mean
	// of the unit vectors, RA in [0, 360) and Dec; with a distance column, the mean
	// of the positions in space. In a periodic box it is the mean of the images that
	// are linked to each other, for clusters of any length; for a cluster that wraps
	// around the box all such numbers are NaN.
	Centre []float64

	// Deviation is the standard deviation of each column about the centre
	// (division by Size). On the sky the first two are those of the offsets to
	// the east and to the north in degrees.
	Deviation []float64

	// Extent is the largest distance of a row from the centre, in the unit of
	// the metric: radians on the sky without scales.
	Extent float64

	// Nearest is the cluster with the nearest centre, Noise if no other cluster has
	// one, and Separation the distance between the centres in the unit of the
	// metric, or NaN.
	Nearest    int32
	Separation float64
}

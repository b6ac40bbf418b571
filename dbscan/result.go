package dbscan

import "time"

// A Result is a clustering of n rows.
type Result struct {
	Labels []int32 // cluster of each row, counted from 0, or Noise
	Core   []bool  // whether each row is core
	Counts []int64 // rows in the ball of each row, itself included; nil unless asked for

	Sizes []int64 // rows of each cluster, border rows included

	CoreCount   int64 // core rows
	BorderCount int64 // rows of clusters that are not core
	NoiseCount  int64 // rows of no cluster
	Pairs       int64 // unordered pairs of different rows within ε; -1 if not counted, see Options.SkipPairs

	Algorithm Algorithm // that was taken, never Auto

	Index   time.Duration // wall time of lowering the metric and building the index
	Join    time.Duration // of streaming the neighbours, with the unions made on the way
	Cluster time.Duration // of numbering the clusters

	found int64 // ordered pairs, of rows that are clustered and any others
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

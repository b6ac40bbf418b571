package mock

import (
	"cmp"
	"sort"
)

// truth is the last column of catalogs whose clusters are known.
func truth(name string) Field {
	return Field{Name: name, Type: Int32, UCD: "meta.id.assoc", Description: "true cluster, -1 for none"}
}

// pick chooses among clusters with the given cumulative fractions: -1 with the
// probability that is left.
func pick(r *stream, cumulative []float64) int {
	i := sort.SearchFloat64s(cumulative, r.float())
	if i == len(cumulative) {
		return -1
	}
	return i
}

// fractions sets the fractions of all rows that clusters have, proportional to their
// weights and adding up to total, and returns the running sums.
func fractions(known []Cluster, weights []float64, total float64) []float64 {
	var sum float64
	for _, w := range weights {
		sum += w
	}
	cumulative := make([]float64, len(weights))
	var run, last float64
	for i, w := range weights {
		run += w
		cumulative[i] = float64(total * (run / sum))
		known[i].Fraction = cumulative[i] - last
		last = cumulative[i]
	}
	return cumulative
}

// newClumps makes Gaussian clumps in the cube of side 100: half of the rows, the
// other half is spread evenly. The sizes of the clumps follow a Pareto law of
// index 1.2, their standard deviations are even in [0.2, 2).
func newClumps(opt Options) (source, error) {
	fields := coordinates(opt)
	known := make([]Cluster, cmp.Or(opt.Clusters, 200))
	weights := make([]float64, len(known))
	for k := range weights {
		r := newStream(opt.Seed, ofClusters, uint64(k))
		// Pareto of index 1.2 from 0 on: (1-u)^(-1/1.2) - 1, and a floor.
		weights[k] = exp(r.exponential()/1.2) - 1 + 0.05
		known[k] = Cluster{Label: int32(k), Radius: r.between(0.2, 2)}
		for range fields {
			known[k].Centre = append(known[k].Centre, r.between(0, 100))
		}
	}
	cumulative := fractions(known, weights, 0.5)
	last := len(fields)
	return source{append(fields, truth("true_cluster")), known, perRow(opt.Seed, func(r *stream, _ uint64, block []Column, i int) {
		k := pick(r, cumulative)
		block[last].Int64[i] = int64(k)
		for d, col := range block[:last] {
			if k < 0 {
				col.set(i, r.between(0, 100))
			} else {
				col.set(i, known[k].Centre[d]+float64(known[k].Radius*r.normal()))
			}
		}
	})}, nil
}

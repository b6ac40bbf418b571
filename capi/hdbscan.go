package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"context"
	"unsafe"

	"skyjoin/hdbscan"
	"skyjoin/neighbors"
)

//export skyjoin_hdbscan_start
func skyjoin_hdbscan_start(points C.uint64_t, metric *C.skyjoin_metric, what *C.skyjoin_hdbscan, options *C.skyjoin_options, to *C.uint64_t, e *C.skyjoin_error) C.int32_t {
	r, err := read(points, metric, options, what.size, unsafe.Sizeof(*what), "hdbscan")
	if err != nil {
		return tell(err, e)
	}
	opt := hdbscan.Options{
		MinSamples: float64(what.min_samples),
		Weights:    r.weights(what.weights),
		Alpha:      float64(what.alpha),
		Threads:    r.threads,
		Memory:     r.memory,
	}
	if what.flags&C.SKYJOIN_TIES_SKLEARN != 0 {
		opt.Ties = hdbscan.TiesSklearn
	}
	choice := hdbscan.Selection{
		Epsilon:        float64(what.epsilon),
		MaxClusterSize: float64(what.max_cluster_size),
		SingleCluster:  what.flags&C.SKYJOIN_SINGLE_CLUSTER != 0,
	}
	if what.flags&C.SKYJOIN_LEAF != 0 {
		choice.Method = hdbscan.Leaf
	}
	least := float64(what.min_cluster_size)
	return start(to, e, r.settings, nil, func(j *job) (*result, error) {
		opt.Progress = func(_ hdbscan.Stage, done, total int64) { j.progress(done, total) }
		tree, err := on(r, func(joiner neighbors.Joiner) (*hdbscan.Tree, error) {
			opt.Joiner = joiner
			return hdbscan.Build(j.ctx, r.points, r.metric, opt)
		})
		if err != nil {
			return nil, err
		}
		condensed, err := tree.Condense(least)
		if err != nil {
			return nil, err
		}
		found, err := condensed.Select(choice)
		if err != nil {
			return nil, err
		}
		return &result{
			fields: hierarchy(tree, condensed, found),
			model: predictor(func(ctx context.Context, p *neighbors.Points, s settings, joiner neighbors.Joiner) (map[C.int32_t]field, error) {
				got, err := condensed.Predict(ctx, choice, p, hdbscan.Join{Joiner: joiner, Threads: s.threads, Memory: s.memory})
				if err != nil {
					return nil, err
				}
				return map[C.int32_t]field{
					C.SKYJOIN_LABELS:         values[int64](got.Labels),
					C.SKYJOIN_PROBABILITIES:  values[float64](got.Probabilities),
					C.SKYJOIN_OUTLIER_SCORES: values[float64](got.Outliers),
				}, nil
			}),
		}, nil
	})
}

// hierarchy returns the fields of a tree. What few callers want is computed when
// it is filled.
func hierarchy(tree *hdbscan.Tree, condensed *hdbscan.Condensed, found *hdbscan.Clustering) map[C.int32_t]field {
	persistence := make([]float64, len(found.Nodes))
	for i, node := range found.Nodes {
		persistence[i] = condensed.Clusters[node].Persistence
	}
	n := int64(tree.Len())
	return map[C.int32_t]field{
		C.SKYJOIN_LABELS:         values[int64](found.Labels),
		C.SKYJOIN_PROBABILITIES:  values[float64](found.Probabilities),
		C.SKYJOIN_PERSISTENCE:    values[float64](persistence),
		C.SKYJOIN_CORE_DISTANCES: values[float64](tree.CoreDistances()),
		C.SKYJOIN_OUTLIER_SCORES: late(n, 1, func(to []float64) { copy(to, condensed.Outliers()) }),
		C.SKYJOIN_LINKAGE: late(max(n-1, 0), 4, func(to []float64) {
			for i, m := range tree.Linkage() {
				copy(to[4*i:], []float64{float64(m.A), float64(m.B), m.Height, float64(m.Rows)})
			}
		}),
		C.SKYJOIN_EDGES: late(max(n-1, 0), 3, func(to []float64) {
			for i, m := range tree.Edges() {
				copy(to[3*i:], []float64{float64(m.A), float64(m.B), m.Height})
			}
		}),
	}
}

// late is a field of rows of some columns each that is computed as a whole.
func late(rows, columns int64, compute func(to []float64)) field {
	n := rows * columns
	return field{n, func(to unsafe.Pointer, lo, hi int) {
		if lo == 0 && hi > 0 {
			compute(unsafe.Slice((*float64)(to), int(n)))
		}
	}}
}

package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"math"
	"unsafe"

	"skyjoin/hdbscan/optics"
	"skyjoin/neighbors"
)

//export skyjoin_optics_start
func skyjoin_optics_start(points C.uint64_t, metric *C.skyjoin_metric, what *C.skyjoin_optics, options *C.skyjoin_options, to *C.uint64_t, e *C.skyjoin_error) C.int32_t {
	r, err := read(points, metric, options, what.size, unsafe.Sizeof(*what), "optics")
	if err != nil {
		return tell(err, e)
	}
	opt := optics.Options{MinSamples: float64(what.min_samples), Threads: r.threads, Memory: r.memory}
	if reach := float64(what.max_eps); !math.IsInf(reach, 1) {
		opt.MaxEps = reach
	}
	cut := float64(what.eps)
	xi := optics.Xi{
		Steepness:      float64(what.xi),
		MinClusterSize: int(what.min_cluster_size),
		NoCorrection:   what.flags&C.SKYJOIN_XI_NO_CORRECTION != 0,
	}
	return start(to, e, r.settings, nil, func(j *job) (*result, error) {
		opt.Progress = func(_ string, done, total int64) { j.progress(done, total) }
		o, err := on(r, func(joiner neighbors.Joiner) (*optics.Ordering, error) {
			opt.Joiner = joiner
			return optics.Run(j.ctx, r.points, r.metric, opt)
		})
		if err != nil {
			return nil, err
		}
		fields := map[C.int32_t]field{
			C.SKYJOIN_ORDERING:       values[int64](o.Order),
			C.SKYJOIN_REACHABILITY:   values[float64](o.Reachability),
			C.SKYJOIN_CORE_DISTANCES: values[float64](o.CoreDistance),
			C.SKYJOIN_PREDECESSOR:    values[int64](o.Predecessor),
		}
		var labels []int32
		if !math.IsNaN(cut) {
			labels, err = o.Cut(cut)
		} else {
			var clusters []optics.Cluster
			clusters, labels, err = o.Xi(xi)
			places := make([]int64, 0, 2*len(clusters))
			for _, c := range clusters {
				places = append(places, int64(c.Start), int64(c.End))
			}
			fields[C.SKYJOIN_HIERARCHY] = values[int64](places)
		}
		fields[C.SKYJOIN_LABELS] = values[int64](labels)
		return &result{fields: fields}, err
	})
}

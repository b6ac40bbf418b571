package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"unsafe"

	"skyjoin/hdbscan/outlier"
	"skyjoin/neighbors"
)

//export skyjoin_lof_start
func skyjoin_lof_start(points C.uint64_t, metric *C.skyjoin_metric, what *C.skyjoin_lof, options *C.skyjoin_options, to *C.uint64_t, e *C.skyjoin_error) C.int32_t {
	r, err := read(points, metric, options, what.size, unsafe.Sizeof(*what), "lof")
	if err != nil {
		return tell(err, e)
	}
	k := int(what.k)
	opt := outlier.Options{Ties: what.flags&C.SKYJOIN_LOF_TIES != 0, Threads: r.threads, Memory: r.memory}
	return start(to, e, r.settings, nil, func(j *job) (*result, error) {
		s, err := on(r, func(joiner neighbors.Joiner) (*outlier.Scores, error) {
			opt.Joiner = joiner
			return outlier.LOF(j.ctx, r.points, r.metric, k, opt)
		})
		if err != nil {
			return nil, err
		}
		return &result{fields: map[C.int32_t]field{
			C.SKYJOIN_OUTLIER_SCORES: values[float64](s.LOF),
			C.SKYJOIN_CORE_DISTANCES: values[float64](s.KDistance),
		}}, nil
	})
}

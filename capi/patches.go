package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"fmt"
	"unsafe"

	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

//export skyjoin_patches_start
func skyjoin_patches_start(points C.uint64_t, metric *C.skyjoin_metric, what *C.skyjoin_patches, options *C.skyjoin_options, to *C.uint64_t, e *C.skyjoin_error) C.int32_t {
	r, err := read(points, metric, options, what.size, unsafe.Sizeof(*what), "patches")
	if err == nil && (what.patches < 1 || what.patches > 1<<16) {
		err = fmt.Errorf("%w: %d patches, it must be 1 to %d", neighbors.ErrRequest, what.patches, 1<<16)
	}
	if err != nil {
		return tell(err, e)
	}
	k, seed := int(what.patches), uint64(what.seed)
	centres := doubles(what.centres, what.patches*C.int64_t(r.dim()))
	return start(to, e, r.settings, nil, func(j *job) (*result, error) {
		patching, err := stats2b.Division{Kind: "kmeans", N: k, Centres: centres}.Patching(r.metric)
		if centres == nil {
			patching, err = stats2b.KMeansPatches(k, r.metric, r.points, seed)
		}
		if err != nil {
			return nil, err
		}
		labels, err := patching.Assign(r.points, r.threads)
		if err != nil {
			return nil, err
		}
		return &result{fields: map[C.int32_t]field{
			C.SKYJOIN_LABELS:  values[int64](labels),
			C.SKYJOIN_CENTRES: values[float64](patching.Division().Centres),
		}}, nil
	})
}

// dim is the number of coordinates of a centre: three on the sky, whatever the
// distance.
func (r *request) dim() int {
	if r.metric.PositionColumns() > 0 {
		return 3
	}
	return r.points.Dim()
}

package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"skyjoin/neighbors"
)

// A request is what most verbs are given.
type request struct {
	settings
	points *neighbors.Points
	metric neighbors.Metric
}

func read(points C.uint64_t, metric *C.skyjoin_metric, options *C.skyjoin_options) (r request, err error) {
	if r.points, err = held[*neighbors.Points](uint64(points)); err != nil {
		return r, err
	}
	if r.metric, err = metricOf(metric); err != nil {
		return r, err
	}
	r.settings, err = readOptions(options, r.points.Len())
	return r, err
}

// weights are one number a row of the caller; nil if there are none.
func (r *request) weights(p *C.double) []float64 {
	return doubles(p, C.int64_t(r.points.Len()))
}

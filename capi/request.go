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

// read reads what most verbs are given, and checks the size of the struct of the
// verb's own, as checkSize does.
func read(points C.uint64_t, metric *C.skyjoin_metric, options *C.skyjoin_options, size C.uint32_t, want uintptr, what string) (r request, err error) {
	if r.points, err = held[*neighbors.Points](uint64(points)); err != nil {
		return r, err
	}
	if r.metric, err = metricOf(metric); err != nil {
		return r, err
	}
	if r.settings, err = readOptions(options, r.points.Len()); err != nil {
		return r, err
	}
	return r, checkSize(size, want, what)
}

// on carries out work on the points with the joiner of the device.
func on[T any](r request, work func(neighbors.Joiner) (T, error)) (found T, err error) {
	err = r.on(r.points.Len(), func(joiner neighbors.Joiner) (err error) {
		found, err = work(joiner)
		return err
	})
	return found, err
}

// weights are one number a row of the caller; nil if there are none.
func (r *request) weights(p *C.double) []float64 {
	return doubles(p, C.int64_t(r.points.Len()))
}

package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"skyjoin/knnclass"
	"skyjoin/neighbors"
)

//export skyjoin_vote_start
func skyjoin_vote_start(query C.uint64_t, metric *C.skyjoin_metric, what *C.skyjoin_vote, options *C.skyjoin_options, to *C.uint64_t, e *C.skyjoin_error) C.int32_t {
	r, err := read(query, metric, options, what.size, unsafe.Sizeof(*what), "vote")
	var m *knnclass.Model
	if err == nil {
		m, err = r.voters(what, options)
	}
	if err != nil {
		return tell(err, e)
	}
	opt := knnclass.Options{K: int(what.k), Radius: float64(what.radius), Threads: r.threads, Memory: r.memory, Probabilities: what.labels != nil}
	if what.flags&C.SKYJOIN_BY_DISTANCE != 0 {
		opt.Vote = knnclass.ByDistance
	}
	return start(to, e, r.settings, nil, func(j *job) (*result, error) {
		found, err := on(r, func(joiner neighbors.Joiner) (*knnclass.Prediction, error) {
			j.progress(0, int64(r.points.Len()))
			opt.Joiner, opt.Progress = joiner, func(rows int64) { j.at.Add(rows) }
			return m.Predict(j.ctx, r.points, opt)
		})
		if err != nil {
			return nil, err
		}
		return &result{fields: map[C.int32_t]field{
			C.SKYJOIN_LABELS:        values[int64](found.Class),
			C.SKYJOIN_PROBABILITIES: values[float64](found.Probability),
			C.SKYJOIN_VALUES:        values[float64](found.Value),
		}}, nil
	})
}

// voters makes the model that a struct describes.
func (r *request) voters(what *C.skyjoin_vote, options *C.skyjoin_options) (*knnclass.Model, error) {
	train, err := held[*neighbors.Points](uint64(what.train))
	if err != nil {
		return nil, err
	}
	if r.settings, err = readOptions(options, r.points.Len()+train.Len()); err != nil {
		return nil, err
	}
	if (what.labels == nil) == (what.values == nil) {
		return nil, fmt.Errorf("%w: training rows need labels or values, one of them", neighbors.ErrRequest)
	}
	if what.values != nil {
		return knnclass.NewRegressor(train, r.metric, doubles(what.values, C.int64_t(train.Len())), nil)
	}
	classes := int64(what.classes)
	if classes < 1 || classes > math.MaxInt32 {
		return nil, fmt.Errorf("%w: %d classes, there can be 1 to %d", neighbors.ErrRequest, classes, math.MaxInt32)
	}
	labels := make([]int32, train.Len())
	for i, l := range unsafe.Slice((*int64)(what.labels), train.Len()) {
		if l < 0 || l >= classes {
			return nil, fmt.Errorf("%w: row %d has label %d, labels are 0 to %d", neighbors.ErrRequest, i, l, classes-1)
		}
		labels[i] = int32(l)
	}
	return knnclass.NewClassifier(train, r.metric, labels, int(classes), nil)
}

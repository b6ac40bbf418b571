package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"context"
	"unsafe"

	"skyjoin/dbscan"
	"skyjoin/neighbors"
)

//export skyjoin_dbscan_start
func skyjoin_dbscan_start(points C.uint64_t, metric *C.skyjoin_metric, what *C.skyjoin_dbscan, options *C.skyjoin_options, to *C.uint64_t, e *C.skyjoin_error) C.int32_t {
	r, err := read(points, metric, options, what.size, unsafe.Sizeof(*what), "dbscan")
	if err != nil {
		return tell(err, e)
	}
	eps, border := float64(what.eps), borderOf(what.flags)
	opt := dbscan.Options{
		MinPoints: float64(what.min_points),
		Weights:   r.weights(what.weights),
		Star:      what.flags&C.SKYJOIN_STAR != 0,
		Border:    border,
		Counts:    what.flags&C.SKYJOIN_WANT_COUNTS != 0,
		SkipPairs: true,
		Threads:   r.threads,
		Memory:    r.memory,
	}
	return start(to, e, r.settings, nil, func(j *job) (*result, error) {
		opt.Progress = func(_ dbscan.Stage, done, total int64) { j.progress(done, total) }
		found, err := on(r, func(joiner neighbors.Joiner) (*dbscan.Result, error) {
			opt.Joiner = joiner
			return dbscan.Run(j.ctx, r.points, r.metric, eps, opt)
		})
		if err != nil {
			return nil, err
		}
		res := &result{fields: map[C.int32_t]field{
			C.SKYJOIN_LABELS: values[int64](found.Labels),
			C.SKYJOIN_CORE:   truths(found.Core),
		}}
		if found.Counts != nil {
			res.fields[C.SKYJOIN_COUNTS] = values[int64](found.Counts)
		}
		m, err := found.Model(r.points, r.metric, eps, border)
		res.model = labeller(m)
		return res, err
	})
}

func borderOf(flags C.uint32_t) dbscan.Border {
	if flags&C.SKYJOIN_BORDER_NEAREST != 0 {
		return dbscan.BorderNearest
	}
	return dbscan.BorderFirst
}

// labeller predicts by a model.
func labeller(m *dbscan.Model) predictor {
	return func(ctx context.Context, p *neighbors.Points, s settings, joiner neighbors.Joiner) (map[C.int32_t]field, error) {
		labels, err := m.Predict(ctx, p, dbscan.Join{Joiner: joiner, Threads: s.threads, Memory: s.memory})
		return map[C.int32_t]field{C.SKYJOIN_LABELS: values[int64](labels)}, err
	}
}

//export skyjoin_dbscan_model_start
func skyjoin_dbscan_model_start(core C.uint64_t, metric *C.skyjoin_metric, what *C.skyjoin_dbscan_model, options *C.skyjoin_options, to *C.uint64_t, e *C.skyjoin_error) C.int32_t {
	r, err := read(core, metric, options, what.size, unsafe.Sizeof(*what), "dbscan_model")
	var m *dbscan.Model
	if err == nil {
		labels := make([]int32, r.points.Len())
		for i, l := range unsafe.Slice((*int64)(what.labels), len(labels)) {
			labels[i] = int32(l)
		}
		m, err = dbscan.NewModel(r.points, labels, r.metric, float64(what.eps), borderOf(what.flags))
	}
	r.inline = true
	return start(to, e, r.settings, err, func(*job) (*result, error) {
		return &result{model: labeller(m)}, nil
	})
}

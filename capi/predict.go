package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"context"
	"fmt"

	"skyjoin/neighbors"
)

// A predictor labels new points by what a job found.
type predictor func(ctx context.Context, p *neighbors.Points, s settings, joiner neighbors.Joiner) (map[C.int32_t]field, error)

//export skyjoin_predict_start
func skyjoin_predict_start(model, points C.uint64_t, options *C.skyjoin_options, to *C.uint64_t, e *C.skyjoin_error) C.int32_t {
	r, err := read(points, nil, options, 0, 0, "")
	if err != nil {
		return tell(err, e)
	}
	m, err := ended(model)
	if err != nil {
		return tell(err, e)
	}
	predict, ok := m.result.model.(predictor)
	if !ok {
		err = fmt.Errorf("%w: job %d has no clusters that new rows could belong to", neighbors.ErrRequest, model)
	}
	return start(to, e, r.settings, err, func(j *job) (*result, error) {
		fields, err := on(r, func(joiner neighbors.Joiner) (map[C.int32_t]field, error) {
			return predict(j.ctx, r.points, r.settings, joiner)
		})
		return &result{fields: fields}, err
	})
}

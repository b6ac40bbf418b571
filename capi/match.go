package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"fmt"
	"unsafe"

	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
)

//export skyjoin_match_start
func skyjoin_match_start(a C.uint64_t, metric *C.skyjoin_metric, what *C.skyjoin_match, options *C.skyjoin_options, to *C.uint64_t, e *C.skyjoin_error) C.int32_t {
	r, err := read(a, metric, options, what.size, unsafe.Sizeof(*what), "match")
	var b *neighbors.Points
	if err == nil {
		b, err = held[*neighbors.Points](uint64(what.b))
	}
	if err == nil {
		r.settings, err = readOptions(options, r.points.Len()+b.Len())
	}
	find, join := match.Find(what.find), match.Join(what.join)
	if err == nil && (what.find < 0 || int(what.find) >= len(match.Finds()) || what.join < 0 || int(what.join) >= len(match.Joins())) {
		err = fmt.Errorf("%w: find %d, join %d: they must be of enum skyjoin_find and enum skyjoin_join", neighbors.ErrRequest, what.find, what.join)
	}
	if err != nil {
		return tell(err, e)
	}
	opt := match.Options{Find: find, Radius: float64(what.radius), Min: float64(what.min_radius), Threads: r.threads, Memory: r.memory}
	return start(to, e, r.settings, nil, func(j *job) (*result, error) {
		found, err := on(r, func(joiner neighbors.Joiner) (*match.Result, error) {
			j.progress(0, int64(r.points.Len()))
			opt.Joiner, opt.Progress = joiner, func(rows int64) { j.at.Add(rows) }
			return match.Cross(j.ctx, r.points, b, r.metric, opt)
		})
		if err != nil {
			return nil, err
		}
		rows := make([]match.Row, len(found.Pairs))
		for i, p := range found.Pairs {
			rows[i] = match.Row{A: int64(p.A), B: int64(p.B), Distance: p.Distance}
		}
		rows = match.Combine(join, rows, upTo(r.points.Len()), upTo(b.Len()))
		return &result{fields: map[C.int32_t]field{
			C.SKYJOIN_ROWS_A:    each[int64](rows, func(r *match.Row) int64 { return r.A }),
			C.SKYJOIN_ROWS_B:    each[int64](rows, func(r *match.Row) int64 { return r.B }),
			C.SKYJOIN_DISTANCES: each[float64](rows, func(r *match.Row) float64 { return r.Distance }),
		}}, nil
	})
}

// upTo is the numbers 0 to n-1.
func upTo(n int) func(func(int64) bool) {
	return func(yield func(int64) bool) {
		for i := range int64(n) {
			if !yield(i) {
				return
			}
		}
	}
}

// each is a field of what is told of each element.
func each[To number, E any](v []E, of func(*E) To) field {
	return field{int64(len(v)), func(to unsafe.Pointer, lo, hi int) {
		d := unsafe.Slice((*To)(to), len(v))
		for i := lo; i < hi; i++ {
			d[i] = of(&v[i])
		}
	}}
}

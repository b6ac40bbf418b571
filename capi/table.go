package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"context"
	"errors"
	"iter"
	"unsafe"

	"skyjoin/neighbors"
)

//export skyjoin_table_start
func skyjoin_table_start(query C.uint64_t, metric *C.skyjoin_metric, what *C.skyjoin_table, options *C.skyjoin_options, to *C.uint64_t, e *C.skyjoin_error) C.int32_t {
	r, err := read(query, metric, options, what.size, unsafe.Sizeof(*what), "table")
	in := neighbors.Input{Query: r.points, Metric: r.metric, Threads: r.threads, Memory: r.memory}
	if err == nil && what.data != 0 {
		if in.Data, err = held[*neighbors.Points](uint64(what.data)); err == nil {
			r.settings, err = readOptions(options, r.points.Len()+in.Data.Len())
			in.Threads, in.Memory = r.threads, r.memory
		}
	}
	if err != nil {
		return tell(err, e)
	}
	k, radius, pad := int(what.k), float64(what.radius), what.flags&C.SKYJOIN_PAD != 0
	return start(to, e, r.settings, nil, func(j *job) (*result, error) {
		if k > 0 {
			return nearest(j, in, neighbors.Nearest{K: k, Pad: pad})
		}
		return within(j, in, radius)
	})
}

// nearest prepares lists of K each, which are found as they are filled.
func nearest(j *job, in neighbors.Input, q neighbors.Nearest) (*result, error) {
	p, err := neighbors.Prepare(j.ctx, in, q)
	if err != nil {
		return nil, err
	}
	n := p.Len()
	offset := make([]int64, n+1)
	for i := range offset {
		offset[i] = int64(i) * int64(q.K)
	}
	return lists(j, p, offset, j.on), nil
}

// gathered is up to how many neighbours a table is kept as it is found. Of larger ones
// the lists are counted first, so that only the caller's arrays hold them.
const gathered = 1 << 20

// within finds or counts the neighbours of each row, by which the lists have their
// places.
func within(j *job, in neighbors.Input, radius float64) (*result, error) {
	p, err := neighbors.Prepare(j.ctx, in, neighbors.Within{Radius: radius, Distance: true})
	if err != nil {
		return nil, err
	}
	offset := make([]int64, p.Len()+1)
	var found replay
	err = j.on(p.Len(), func(joiner neighbors.Joiner) error {
		clear(offset)
		if room := int64(32 * (gathered + p.Len())); j.memory == 0 || j.memory >= room {
			batches, err := neighbors.Gather(j.ctx, joiner, p, gathered)
			if err == nil {
				found = batches
				return neighbors.Count(j.ctx, found, p, p.Work(), offset[1:])
			}
			if !errors.Is(err, neighbors.ErrMemory) {
				return err
			}
		}
		return neighbors.Count(j.ctx, joiner, p, p.Work(), offset[1:])
	})
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(offset); i++ {
		offset[i] += offset[i-1]
	}
	if found != nil {
		return lists(j, p, offset, func(_ int, work func(neighbors.Joiner) error) error { return work(found) }), nil
	}
	return lists(j, p, offset, j.on), nil
}

// replay is a joiner of batches that were found before.
type replay []neighbors.Batch

func (r replay) Join(context.Context, *neighbors.Plan, neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	return func(yield func(*neighbors.Batch, error) bool) {
		for i := range r {
			if !yield(&r[i], nil) {
				return
			}
		}
	}
}

// lists is a table whose lists begin at the offsets; on hands them the joiner that
// fills them.
func lists(j *job, p *neighbors.Plan, offset []int64, on func(rows int, work func(neighbors.Joiner) error) error) *result {
	n := offset[len(offset)-1]
	return &result{
		fields: map[C.int32_t]field{
			C.SKYJOIN_OFFSETS:   values[int64](offset),
			C.SKYJOIN_INDICES:   {n: n},
			C.SKYJOIN_DISTANCES: {n: n},
		},
		fill: func(ctx context.Context, array func(C.int32_t) unsafe.Pointer) error {
			var dist []float64
			if d := array(C.SKYJOIN_DISTANCES); d != nil {
				dist = unsafe.Slice((*float64)(d), int(n))
			}
			var index []int64
			if i := array(C.SKYJOIN_INDICES); i != nil {
				index = unsafe.Slice((*int64)(i), int(n))
			} else {
				index = make([]int64, n)
			}
			return on(p.Len(), func(joiner neighbors.Joiner) error {
				work := neighbors.Watch(p.Work(), func(rows int) { j.of.Store(int64(p.Len())); j.at.Add(int64(rows)) })
				return neighbors.Fill(ctx, joiner, p, work, offset, index, dist)
			})
		},
	}
}

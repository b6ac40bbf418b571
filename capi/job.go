package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// A job is work in progress, or its result. One caller at a time uses it.
type job struct {
	settings
	cancel context.CancelFunc
	ctx    context.Context
	done   chan struct{} // closed at the end of the stage that runs
	err    error         // of that stage
	result *result       // of the first stage
	at, of atomic.Int64  // progress
}

// A result is what a job has to give.
type result struct {
	fields map[C.int32_t]field
	// fill, if there is one, computes the fields that have no put, all at once,
	// into the arrays that are not nil.
	fill  func(ctx context.Context, array func(C.int32_t) unsafe.Pointer) error
	model any // for predictions
}

// A field is values that a caller can have.
type field struct {
	n   int64
	put func(to unsafe.Pointer, lo, hi int) // converts values [lo, hi)
}

type number interface {
	~int32 | ~int64 | ~uint32 | ~uint64 | ~float64 | ~uint8
}

// values is a field of what is in memory, converted to the type of the caller.
func values[To, From number](v []From) field {
	return field{int64(len(v)), func(to unsafe.Pointer, lo, hi int) {
		d := unsafe.Slice((*To)(to), len(v))
		for i := lo; i < hi; i++ {
			d[i] = To(v[i])
		}
	}}
}

// truths is a field of 0 and 1.
func truths(v []bool) field {
	return field{int64(len(v)), func(to unsafe.Pointer, lo, hi int) {
		d := unsafe.Slice((*uint8)(to), len(v))
		for i := lo; i < hi; i++ {
			if d[i] = 0; v[i] {
				d[i] = 1
			}
		}
	}}
}

// start begins a job, unless reading the request failed, and tells its handle.
func start(to *C.uint64_t, e *C.skyjoin_error, s settings, err error, work func(*job) (*result, error)) C.int32_t {
	if err != nil {
		return tell(err, e)
	}
	j := &job{settings: s}
	j.ctx, j.cancel = context.WithCancel(context.Background())
	j.stage(func() (err error) {
		j.result, err = work(j)
		return err
	})
	if s.inline && j.err != nil {
		return tell(j.err, e)
	}
	*to = C.uint64_t(keep(j))
	return tell(nil, e)
}

// stage runs a part of the job, beside the caller unless it is small.
func (j *job) stage(work func() error) {
	j.done = make(chan struct{})
	j.at.Store(0)
	j.of.Store(0)
	run := func() {
		defer close(j.done)
		defer guard(&j.err)
		j.err = work()
	}
	if j.inline {
		run()
	} else {
		go run()
	}
}

// progress tells callers how much is done.
func (j *job) progress(done, total int64) {
	j.of.Store(total)
	j.at.Store(done)
}

// ended returns the job of a handle whose stage has ended well.
func ended(h C.uint64_t) (*job, error) {
	j, err := held[*job](uint64(h))
	if err != nil {
		return nil, err
	}
	select {
	case <-j.done:
		return j, j.err
	default:
		return nil, fmt.Errorf("%w: job %d has not ended; skyjoin_job_wait says when it has", neighbors.ErrRequest, h)
	}
}

//export skyjoin_job_wait
func skyjoin_job_wait(h C.uint64_t, ms C.int32_t, e *C.skyjoin_error) C.int32_t {
	j, err := held[*job](uint64(h))
	if err != nil {
		return tell(err, e)
	}
	if ms < 0 {
		<-j.done
		return tell(j.err, e)
	}
	select {
	case <-j.done:
		return tell(j.err, e)
	default:
	}
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-j.done:
		return tell(j.err, e)
	case <-timer.C:
		return C.SKYJOIN_RUNNING
	}
}

//export skyjoin_job_progress
func skyjoin_job_progress(h C.uint64_t, done, total *C.int64_t) C.int32_t {
	j, err := held[*job](uint64(h))
	if err == nil {
		*done, *total = C.int64_t(j.at.Load()), C.int64_t(j.of.Load())
	}
	return tell(err, nil)
}

//export skyjoin_job_cancel
func skyjoin_job_cancel(h C.uint64_t) C.int32_t {
	j, err := held[*job](uint64(h))
	if err == nil {
		j.cancel()
	}
	return tell(err, nil)
}

//export skyjoin_job_free
func skyjoin_job_free(h C.uint64_t) C.int32_t {
	j, err := drop[*job](uint64(h))
	if err == nil {
		j.cancel()
		<-j.done
	}
	return tell(err, nil)
}

//export skyjoin_job_size
func skyjoin_job_size(h C.uint64_t, name C.int32_t, n *C.int64_t, e *C.skyjoin_error) C.int32_t {
	j, err := ended(h)
	if err == nil {
		var f field
		if f, err = j.field(name); err == nil {
			*n = C.int64_t(f.n)
		}
	}
	return tell(err, e)
}

func (j *job) field(name C.int32_t) (field, error) {
	f, ok := j.result.fields[name]
	if !ok {
		return f, fmt.Errorf("%w: this job has no field %d", neighbors.ErrRequest, name)
	}
	return f, nil
}

//export skyjoin_job_fill
func skyjoin_job_fill(h C.uint64_t, names *C.int32_t, arrays *unsafe.Pointer, sizes *C.int64_t, n C.int32_t, e *C.skyjoin_error) C.int32_t {
	j, err := ended(h)
	if err != nil {
		return tell(err, e)
	}
	to := make(map[C.int32_t]unsafe.Pointer, n)
	var puts []func()
	computed := false
	for i, name := range unsafe.Slice(names, int(n)) {
		f, err := j.field(name)
		if err != nil {
			return tell(err, e)
		}
		size, array := int64(unsafe.Slice(sizes, int(n))[i]), unsafe.Slice(arrays, int(n))[i]
		if size != f.n || array == nil && size > 0 {
			return tell(fmt.Errorf("%w: an array of %d values for field %d, it has %d", neighbors.ErrRequest, size, name, f.n), e)
		}
		if f.n == 0 {
			continue
		}
		to[name] = array
		if computed = computed || f.put == nil; f.put != nil {
			puts = append(puts, func() {
				par.Chunks(j.threads, int(f.n), func(_, lo, hi int) { f.put(array, lo, hi) })
			})
		}
	}
	j.stage(func() error {
		for _, put := range puts {
			put()
		}
		if !computed {
			return nil
		}
		return j.result.fill(j.ctx, func(name C.int32_t) unsafe.Pointer { return to[name] })
	})
	return tell(nil, e)
}

//go:build cuda && linux

package gpu

import (
	"sync/atomic"

	"skyjoin/internal/cuda"
)

// usage is what a Joiner keeps count of, over all its joins.
type usage struct {
	transfer atomic.Int64 // nanoseconds
	indexes  atomic.Int64 // built again within a join
}

// A stopwatch times what a stream does between two events. Its methods must run
// on the stream's thread.
type stopwatch struct {
	used     *usage
	from, to *cuda.Event
}

// transfer has the stream do f and waits for it, and adds the time of f to that
// of transfers.
func (w *stopwatch) transfer(q *sequence, f func()) {
	w.begin(q, f)
	if q.sync() == nil {
		q.err = w.end()
	}
}

// begin has the stream do f, which end waits for.
func (w *stopwatch) begin(q *sequence, f func()) {
	for _, e := range []**cuda.Event{&w.from, &w.to} {
		if *e == nil {
			q.do(func() (err error) { *e, err = q.stream.NewEvent(); return err })
		}
	}
	q.do(func() error { return q.stream.Record(w.from) })
	f()
	q.do(func() error { return q.stream.Record(w.to) })
}

// end waits for what has been begun, and adds its time to that of transfers.
func (w *stopwatch) end() error {
	if err := w.to.Sync(); err != nil {
		return err
	}
	seconds, err := w.to.Since(w.from)
	w.used.transfer.Add(int64(seconds * 1e9))
	return err
}

// destroy frees the events.
func (w *stopwatch) destroy() {
	for _, e := range []*cuda.Event{w.from, w.to} {
		if e != nil {
			e.Destroy()
		}
	}
	w.from, w.to = nil, nil
}

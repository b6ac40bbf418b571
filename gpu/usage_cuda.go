//go:build cuda && linux

package gpu

import (
	"sync/atomic"
	"time"

	"skyjoin/internal/cuda"
)

// usage is what a Joiner keeps count of, over all its joins.
type usage struct {
	transfer atomic.Int64 // nanoseconds
	indexes  atomic.Int64 // built again within a join
}

// Transferred returns the seconds that the transfers of coordinates and of
// neighbours took, over all joins and streams. Transfers of several streams at
// the same time count each.
func (j *Joiner) Transferred() float64 { return time.Duration(j.used.transfer.Load()).Seconds() }

// Reindexed returns how many indexes have been built for another radius within
// a join of the nearest.
func (j *Joiner) Reindexed() int { return int(j.used.indexes.Load()) }

// A stopwatch times what a stream does between two places. Its methods must run
// on the stream's thread.
type stopwatch struct {
	used     *usage
	from, to *cuda.Event
}

// transfer has the stream do f and waits for it, and adds the time of f to that
// of transfers.
func (w *stopwatch) transfer(st *cuda.Stream, f func() error) error {
	if err := firstError(w.begin(st, f), st.Sync()); err != nil {
		return err
	}
	return w.end()
}

// begin has the stream do f, which end waits for.
func (w *stopwatch) begin(st *cuda.Stream, f func() error) (err error) {
	if w.from == nil {
		if w.from, err = st.NewEvent(); err != nil {
			return err
		}
	}
	if w.to == nil {
		if w.to, err = st.NewEvent(); err != nil {
			return err
		}
	}
	return firstError(st.Record(w.from), f(), st.Record(w.to))
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

//go:build cuda && linux

package gpu

import (
	"regexp"
	"slices"
	"sync"
	"sync/atomic"

	"skyjoin/internal/cuda"
)

// usage is what a Joiner measures over all its joins.
type usage struct {
	transfer atomic.Int64 // nanoseconds
	indexes  atomic.Int64 // rebuilt within a join

	mu     sync.Mutex
	way    Launched // of published kernels, the last
	rounds []int    // rows of each batch of the search within a growing distance
}

// round records a batch of the search within a growing distance.
func (u *usage) round(rows int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.rounds = append(u.rounds, rows)
}

// launched records how published kernels were launched.
func (u *usage) launched(l Launched) {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.way = l
}

// A stopwatch measures the time of a stream between two events. Its methods must run
// on the stream's thread.
type stopwatch struct {
	used     *usage
	from, to *cuda.Event
}

// transfer runs f on the stream, waits for it, and adds its time to that of
// transfers.
func (w *stopwatch) transfer(q *sequence, f func()) {
	w.begin(q, f)
	if q.sync() == nil {
		q.err = w.end()
	}
}

// begin runs f on the stream; end waits for it.
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

// end waits for what has been started, and adds its time to that of transfers.
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

// compares are the names of kernels that compare points; the others sort, copy
// and look up.
var compares = regexp.MustCompile(`^((?:join|nearest|rank|span_search|cluster_(?:core|counted|unite|label)|pattern_(?:count|pairs)|pairs_(?:naive|both|shm|roc|shuffle)|grid_bins|pair_[0-9a-f]+)(?:_[a-z]+)*)(?:_[0-9])?$`)

// Launched returns which kernels the joiner has launched so far.
func (j *Joiner) Launched() Launched {
	j.used.mu.Lock()
	l := j.used.way
	j.used.mu.Unlock()
	if j.ctx == nil { // closed
		return l
	}
	for _, kernel := range j.ctx.Kernels() {
		if m := compares.FindStringSubmatch(kernel); m != nil {
			l.Kernels = append(l.Kernels, m[1])
		}
	}
	l.Kernels = slices.Compact(l.Kernels)
	if len(l.Kernels) > 0 {
		l.Devices = []int{j.ctx.Device.Index}
	}
	return l
}

// Launched returns which kernels the cards have launched so far.
func (c *Cards) Launched() (l Launched) {
	for _, j := range c.all {
		own := j.Launched()
		kernels, devices := append(l.Kernels, own.Kernels...), append(l.Devices, own.Devices...)
		if own.Pattern != PatternDefault || own.Tiling != TilingDefault {
			l = own
		}
		slices.Sort(kernels)
		slices.Sort(devices)
		l.Kernels, l.Devices = slices.Compact(kernels), devices
	}
	return l
}

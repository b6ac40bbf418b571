package hybrid

import (
	"sync"
	"time"
)

// tracer returns a function that reports a batch to Trace. Its worker started it
// when it ended the one before.
func (j *Joiner) tracer(start time.Time) func(s *side, worker, rows, neighbours int) {
	if j.Trace == nil {
		return func(*side, int, int, int) {}
	}
	var mu sync.Mutex
	last := map[int]float64{}
	return func(s *side, worker, rows, neighbours int) {
		now := time.Since(j.began).Seconds()
		mu.Lock()
		defer mu.Unlock()
		if _, begun := last[worker]; !begun {
			last[worker] = start.Sub(j.began).Seconds()
		}
		j.Trace(Event{Device: s.name(), Worker: worker, Start: last[worker], End: now, Rows: rows, Neighbours: neighbours})
		last[worker] = now
	}
}

// A tracedWork is a sideWork that reports rows as counted: when a side takes rows,
// those that it took before.
type tracedWork struct {
	sideWork
	mu     sync.Mutex
	taken  []int // rows taken each time and not reported yet, less those put back
	report func(rows int)
}

func (w *tracedWork) Take(rows int, cost int64) []uint32 {
	// A side that asks again has counted rows that it took before: a GPU takes rows
	// for all its streams at once, each thread of the CPU for itself.
	most := 1
	if !w.s.gpu {
		most = w.s.workers
	}
	w.mu.Lock()
	if len(w.taken) >= most {
		w.reported(1)
	}
	w.mu.Unlock()
	taken := w.sideWork.Take(rows, cost)
	if len(taken) > 0 {
		w.mu.Lock()
		w.taken = append(w.taken, len(taken))
		w.mu.Unlock()
	}
	return taken
}

func (w *tracedWork) Put(rows []uint32) {
	w.sideWork.Put(rows)
	w.mu.Lock()
	defer w.mu.Unlock()
	left := len(rows)
	for i := len(w.taken) - 1; i >= 0 && left > 0; i-- {
		n := min(left, w.taken[i])
		w.taken[i] -= n
		left -= n
	}
}

// end reports the remaining rows.
func (w *tracedWork) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reported(len(w.taken))
}

func (w *tracedWork) reported(takes int) {
	for _, rows := range w.taken[:takes] {
		if rows > 0 {
			w.report(rows)
		}
	}
	w.taken = w.taken[takes:]
}

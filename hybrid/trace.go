package hybrid

import (
	"sync"
	"time"
)

// tracer returns what tells Trace of a batch: its worker has been at it since
// its last.
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

// A tracedWork is a sideWork that tells of what has been counted: of the rows of
// each take at the side's next.
type tracedWork struct {
	sideWork
	mu    sync.Mutex
	taken []int // rows of the takes that nothing has been told of, less those put back
	tell  func(rows int)
}

func (w *tracedWork) Take(rows int, cost int64) []uint32 {
	// Who asks again is through with a take before: a GPU asks for all its streams
	// at once, and the threads of the CPU have one in hand each.
	most := 1
	if !w.s.gpu {
		most = w.s.workers
	}
	w.mu.Lock()
	if len(w.taken) >= most {
		w.told(1)
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

// end tells of the takes that are left.
func (w *tracedWork) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told(len(w.taken))
}

func (w *tracedWork) told(takes int) {
	for _, rows := range w.taken[:takes] {
		if rows > 0 {
			w.tell(rows)
		}
	}
	w.taken = w.taken[takes:]
}

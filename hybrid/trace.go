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

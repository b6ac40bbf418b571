package dbscan

import (
	"sync"
	"sync/atomic"
)

// A meter counts the rows done of one stage and tells Progress.
type meter struct {
	report Progress
	stage  Stage
	total  int64
	done   atomic.Int64
	mu     sync.Mutex
	told   int64 // guarded by mu
}

func newMeter(report Progress, stage Stage, total int64) *meter {
	return &meter{report: report, stage: stage, total: total}
}

// add counts rows. It reports the newest count, unless another goroutine is
// reporting just now: only the last row waits for its turn.
func (m *meter) add(rows int) {
	if m == nil || m.report == nil {
		return
	}
	done := m.done.Add(int64(rows))
	if done == m.total {
		m.mu.Lock()
	} else if !m.mu.TryLock() {
		return
	}
	defer m.mu.Unlock()
	if now := m.done.Load(); now > m.told {
		m.told = now
		m.report(m.stage, now, m.total)
	}
}

package hdbscan

import (
	"sync"
)

// A meter counts the rows done of one stage and tells Progress.
type meter struct {
	report Progress
	stage  Stage
	total  int64
	mu     sync.Mutex
	done   int64 // guarded by mu
}

func newMeter(report Progress, stage Stage, total int) *meter {
	return &meter{report: report, stage: stage, total: int64(total)}
}

// add counts rows.
func (m *meter) add(rows int) {
	if m.report == nil || rows == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += int64(rows)
	m.report(m.stage, m.done, m.total)
}

// reach sets the rows done, which do not decrease.
func (m *meter) reach(rows int) { m.add(rows - int(m.done)) }

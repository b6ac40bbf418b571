package dbscan

import (
	"sync"
	"sync/atomic"
)

// A Stage is a part of a run that reports progress of its own.
type Stage string

// The stages of Run, in this order. Cells has StageJoin only if pairs or counts are
// wanted; StageCore and StageConnect belong to Cells alone, and StageBorder is left
// out if no border rows are searched for. Device, Predict and KDistances have only
// StageJoin.
const (
	StageJoin    Stage = "neighbours"
	StageCore    Stage = "core points"
	StageConnect Stage = "clusters"
	StageBorder  Stage = "border points"
	StageScan    Stage = "radii" // of ScanRadii
)

// Progress is called as rows are done, of at most total rows in each stage. Calls
// never overlap and done never decreases within a stage.
type Progress func(stage Stage, done, total int64)

// A meter counts the rows done in one stage and reports to Progress.
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

// add counts rows. It reports the latest count, unless another goroutine is
// reporting at the moment: only the last row waits for its turn.
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

package hybrid

import (
	"math"
	"time"
)

// A usageReporter is a joiner that measures, over all its joins, what the queue
// cannot see.
type usageReporter interface {
	// Transferred returns the total seconds of transfers, over all streams.
	Transferred() float64
	// Reindexed returns how many indexes were rebuilt in the middle of a join.
	Reindexed() int
}

// usage is what a usageReporter has measured.
type usage struct {
	seconds float64
	indexes int
}

func usageOf(sides []*side) []usage {
	all := make([]usage, len(sides))
	for i, s := range sides {
		if t, ok := unsplit(s.joiner).(usageReporter); ok {
			all[i] = usage{t.Transferred(), t.Reindexed()}
		}
	}
	return all
}

// add adds the numbers of a run.
func (r *Report) add(sides []*side, elapsed time.Duration, balanced bool) {
	var cpu, gpu time.Duration
	for i, s := range sides {
		t := &r.Sides[i]
		t.Rows += s.stats.Rows
		t.Candidates += s.stats.Candidates
		t.Neighbours += s.stats.Neighbours
		t.Batches += s.stats.Batches
		t.Failed += s.stats.Failed
		t.Reindexed += s.stats.Reindexed
		t.Transfer += s.stats.Transfer
		t.Seconds += s.stats.end.Seconds()
		if s.stats.Lost != "" {
			t.Lost = s.stats.Lost
		}
		r.Failed += s.stats.Failed
		r.Reindexed += s.stats.Reindexed
		r.Transfer += s.stats.Transfer
		if s.gpu {
			gpu = max(gpu, s.stats.end)
		} else {
			cpu = s.stats.end
		}
	}
	// Imbalance is |T_GPU - T_CPU| / T; for several joins, the mean weighted by
	// time.
	apart := r.Imbalance * r.Seconds
	if balanced && cpu > 0 && gpu > 0 {
		apart += math.Abs((gpu - cpu).Seconds())
	}
	r.Joins++
	r.Seconds += elapsed.Seconds()
	r.CPUSeconds += cpu.Seconds()
	r.GPUSeconds += gpu.Seconds()
	if r.Seconds > 0 {
		r.Imbalance = apart / r.Seconds
	}
}

// estimate sets the candidates of a join whose rows have no estimates.
func (s *side) estimate(do job) {
	if do.plan.Within() != nil && do.count == nil {
		s.stats.Candidates = int64(float64(s.stats.Neighbours) * spread.at(querySpace(do.plan).Dim()))
	} else {
		s.stats.Candidates = s.stats.Rows
	}
}

package hybrid

import (
	"math"
	"time"
)

// newPolicy returns the policy of a partition.
func (j *Joiner) newPolicy(nearest bool, sides []*side) policy {
	switch {
	case j.Partition == Dynamic && nearest:
		return newMonolithic(j.Nearest, gpus(sides))
	case j.Partition == Dynamic:
		return onDemand{portions: 2 * j.streams() * max(gpus(sides), 1)}
	case j.Partition.static():
		return fixed{share: j.Share, byRows: j.Partition == ByRows || nearest}
	}
	return adaptive{}
}

// onDemand is HEGJOIN-DYN (§4.2.1, §4.3): GPU batches of equal numbers of neighbours,
// at least twice as many as streams, and CPU batches of 1,024 rows. If the numbers
// are not known, it makes that many batches of equal work.
type onDemand struct{ portions int }

const cpuBatch = 1024

func (d onDemand) early(q *queue, _ *side) int { return max(q.rows/d.portions, 1) }

func (d onDemand) limit(q *queue, s *side, _ time.Duration) (int, int64) {
	if !s.gpu {
		return cpuBatch, 0
	}
	if n := q.next(); n > 0 {
		return n, 0
	}
	return q.rows, max(q.work/int64(d.portions), 1)
}

// fixed is HEGJOIN-SQ and HEGJOIN-SC (§4.2.2, §4.2.3): the GPUs get a share of the
// rows or of the work, in batches of equal numbers of neighbours, or in a part for
// each if these are not known, and the CPU gets the rest. If one kind of device
// fails, the other does everything.
type fixed struct {
	share  float64
	byRows bool
}

func (f fixed) early(q *queue, _ *side) int {
	return q.rows/max(gpus(q.sides), 1) + 1
}

func (f fixed) limit(q *queue, s *side, _ time.Duration) (int, int64) {
	if !q.alive(!s.gpu) || q.deque.Cost() == 0 {
		return f.early(q, s), 0 // only rows that were put back are left
	}
	var rows, work int64
	devices := int64(0)
	for _, o := range q.sides {
		if o.gpu == s.gpu {
			rows += o.taken
			work += o.work
			if !o.out() {
				devices++
			}
		}
	}
	all, done := q.work, work
	if f.byRows {
		all, done = int64(q.rows), rows
	}
	quota := int64(math.Round(f.share * float64(all)))
	if !s.gpu {
		quota = all - quota
	}
	left := quota - done
	switch {
	case left <= 0:
		return 0, 0
	case s.gpu:
		left = min(left, quota/devices+1)
	case f.byRows:
		return int(min(left, cpuBatch)), 0
	default:
		return cpuBatch, left
	}
	rows, work = int64(q.rows), left
	if f.byRows {
		rows, work = left, 0
	}
	if n := q.next(); n > 0 {
		rows = min(rows, int64(n))
	}
	return int(rows), work
}

package hybrid

import (
	"math"
	"time"
)

// monolithic makes the batches of HYBRIDKNN-JOIN: a GPU first gets large ones, each
// at most half as large as the one before and none from the window reserved for the
// CPU, then small ones. When 95 % of the rows are done, small batches are halved.
type monolithic struct {
	large, small, window, cpu float64
}

// nearlyDone is the part of the rows after which small batches are halved.
const nearlyDone = 0.95

func newMonolithic(o NearestOptions, gpus int) monolithic {
	part := func(v, otherwise float64) float64 {
		switch {
		case v == 0:
			return otherwise
		case v < 0:
			return 0
		}
		return v
	}
	return monolithic{
		large: part(o.Large, 0.4) / float64(max(gpus, 1)), small: part(o.Small, 0.005),
		window: part(o.Window, 0.4), cpu: part(o.CPU, 0.005),
	}
}

func (m monolithic) early(q *queue, s *side) int {
	rows, _ := m.limit(q, s, 0)
	return rows
}

func (m monolithic) limit(q *queue, s *side, _ time.Duration) (int, int64) {
	all := float64(q.rows)
	done := 0.0
	for _, o := range q.sides {
		done += float64(o.taken)
	}
	free := 1 - done/all
	size := m.cpu
	if s.gpu {
		large := m.large
		if s.stats.Batches > 0 {
			large = float64(s.rows) / all / 2
		}
		if large = min(large, max(0, free-m.window)); large > m.small && large*all >= 1 {
			return int(math.Round(large * all)), 0
		}
		size = m.small
	}
	if free < 1-nearlyDone {
		size /= 2
	}
	return max(int(size*all), 1), 0
}

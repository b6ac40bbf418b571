package hybrid

import (
	"fmt"
	"time"

	"skyjoin/neighbors"
)

// A side is one joiner of a run and what it has done in it. Its numbers are
// guarded by the queue's mutex.
type side struct {
	joiner  neighbors.Joiner
	gpu     bool
	number  int // of the GPU
	worker  int // its first worker among those of all sides
	workers int

	held    int           // rows taken, neither delivered nor put back
	taken   int64         // rows taken, less those put back
	work    int64         // of the rows taken, less those put back
	doubt   int64         // rows put back since it last took some: failed, unless the joiner fails
	rows    int           // that it took last
	batch   int64         // its work
	since   time.Duration // when its rate was measured last
	done    int64         // work done since then
	reports int           // how often it has reported some since then
	speed   meter
	asked   bool  // it has asked for rows since it began
	tallied bool  // the neighbours of all rows are known to it
	lost    error // why it takes no part any more
	leftOut bool  // it takes no part because others will end sooner without it

	stats Side
}

// out reports whether the side takes no part any more.
func (s *side) out() bool { return s.lost != nil || s.leftOut }

// gpus is the number of GPUs that take part.
func gpus(sides []*side) int {
	n := 0
	for _, s := range sides {
		if s.gpu && !s.out() {
			n++
		}
	}
	return n
}

func (s *side) name() string {
	if s.gpu {
		return fmt.Sprintf("gpu %d", s.number)
	}
	return "cpu"
}

// A meter measures a rate, in work per second, with more weight on what was
// measured last.
type meter struct{ work, seconds float64 }

// fade is what of older measurements is left after another.
const fade = 0.5

func (m *meter) add(work int64, d time.Duration) {
	if work <= 0 || d <= 0 {
		return
	}
	m.work, m.seconds = m.work*fade+float64(work), m.seconds*fade+d.Seconds()
}

// rate returns work per second, 0 if nothing has been measured.
func (m *meter) rate() float64 {
	if m.seconds == 0 {
		return 0
	}
	return m.work / m.seconds
}

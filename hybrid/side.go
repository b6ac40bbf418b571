package hybrid

import (
	"fmt"
	"time"

	"skyjoin/neighbors"
)

// A side is one joiner of a run and what it has done in the run. Its numbers are
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
	batch   int64         // their work
	since   time.Duration // when its rate was last measured
	done    int64         // work done since then
	reports int           // how often it has reported since then
	speed   meter
	asked   bool  // whether it has asked for rows
	tallied bool  // whether it knows the numbers of neighbours of all rows
	lost    error // why it no longer takes part
	leftOut bool  // it does not take part because others will end sooner without it

	stats Side
}

// out reports whether the side does not take part.
func (s *side) out() bool { return s.lost != nil || s.leftOut }

// gpus returns the number of GPUs that take part.
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

// A meter measures a rate, in work per second, giving more weight to recent
// measurements.
type meter struct{ work, seconds float64 }

// fade is the weight of older measurements after another one.
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

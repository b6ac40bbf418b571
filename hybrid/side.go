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

// A sideWork is the queue as the joiner of one side sees it.
type sideWork struct {
	q *queue
	s *side
}

func (w sideWork) Take(rows int, cost int64) []uint32 { return w.q.take(w.s, rows, cost) }

func (w sideWork) Put(rows []uint32) { w.q.put(w.s, rows) }

// Arrange sets the order of the early rows to that of the joiner's own index, in
// which it does them fastest. The first joiner that has one decides.
func (w sideWork) Arrange(rows []uint32) {
	w.q.mu.Lock()
	defer w.q.mu.Unlock()
	w.q.fetchRows()
	for w.q.fetch != nil && w.q.fatal == nil {
		w.q.turn.Wait()
	}
	e := &w.q.early
	if w.q.deque == nil && !e.begun && len(rows) == len(e.left) && !e.arranged {
		e.left, e.arranged = rows, true
	}
	w.s.since = w.q.clock() // its index is there: only now does it begin with rows
}

// Shared tells a joiner that rows it gives back will be done by another.
func (w sideWork) Shared() bool {
	w.q.mu.Lock()
	defer w.q.mu.Unlock()
	return w.s.gpu && w.q.deque != nil && w.q.alive(false)
}

// Tally has the joiner count neighbours together with others. The sum of what it
// returns, one slice or more, is the neighbours of all query rows. It returns nil
// if it is faster that each joiner counts its own rows: where a CPU takes rows too,
// only halves, which count each pair once for both rows, are worth counting for all
// rows. count counts the rows [lo, hi) of an order that all joiners share; collect
// returns what has been counted since it was called last, in the same order, and
// leaves it as it is until the run ends.
func (w sideWork) Tally(halves bool, count func(lo, hi int) error, collect func() ([]uint32, error)) ([][]uint32, error) {
	w.q.mu.Lock()
	apart := w.q.tally == nil || !halves && w.q.alive(false)
	w.q.mu.Unlock()
	if apart {
		return nil, nil
	}
	begin := func(lo, hi int) error {
		defer w.q.beginFetch() // while the joiners count
		return count(lo, hi)
	}
	found, err := w.q.tally.run(w.s, begin, collect)
	w.q.mu.Lock()
	defer w.q.mu.Unlock()
	w.s.since = w.q.clock() // only now does it begin with its rows
	w.s.tallied = found != nil
	return found, err
}

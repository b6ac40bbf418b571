package hybrid

import (
	"slices"
	"sync"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// A tally is the numbers of neighbours of all rows of a self-join, counted by
// several joiners together: each counts the pairs of some parts of the rows,
// once, for both rows of the pair. What a joiner has counted is added to the
// sum when no part is left; parts of one that failed before that are counted
// again by others.
//
// Every GPU by itself would look at a pair from both sides, unless it has all
// rows: two would count no sooner than one.
type tally struct {
	mu    sync.Mutex
	turn  *sync.Cond
	parts int
	left  []int           // parts that nobody has begun
	held  map[*side][]int // parts that have been begun, and are not in the sum
	rows  int
	sum   []uint32
	ended error // of the run, while the tally is not done
}

// tallyParts is how many parts there are for each joiner: enough that all end at
// about the same time, and few, as each takes as long as its slowest row.
const tallyParts = 8

func newTally(rows, joiners int) *tally {
	t := &tally{parts: tallyParts * joiners, held: map[*side][]int{}, rows: rows}
	t.turn = sync.NewCond(&t.mu)
	for i := range t.parts {
		t.left = append(t.left, i)
	}
	slices.Reverse(t.left)
	return t
}

// run has a side do its share and returns the sum when all parts are in it.
// count counts a part; collect returns what has been counted since it was
// called last, by row.
func (t *tally) run(s *side, count func(part, parts int) error, collect func() ([]uint32, error)) ([]uint32, error) {
	for {
		part, more, err := t.next(s)
		switch {
		case err != nil:
			return nil, err
		case part >= 0:
			err = count(part, t.parts)
		case more:
			var own []uint32
			if own, err = collect(); err == nil {
				t.add(s, own)
			}
		default:
			return t.sum, nil
		}
		if err != nil {
			t.lose(s)
			return nil, err
		}
	}
}

// next returns a part to be counted; -1 if there is none, and whether the side
// has counted some that are not in the sum. If it has not, all are.
func (t *tally) next(s *side) (part int, more bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		switch n := len(t.left); {
		case t.ended != nil:
			return -1, false, t.ended
		case n > 0:
			part, t.left = t.left[n-1], t.left[:n-1]
			t.held[s] = append(t.held[s], part)
			return part, true, nil
		case len(t.held[s]) > 0:
			return -1, true, nil
		case len(t.held) == 0:
			return -1, false, nil
		}
		t.turn.Wait()
	}
}

// add adds what a side has counted to the sum.
func (t *tally) add(s *side, own []uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sum == nil {
		t.sum = make([]uint32, t.rows)
	}
	par.Chunks(par.Threads(0), len(own), func(_, lo, hi int) {
		for i, n := range own[lo:hi] {
			t.sum[lo+i] += n
		}
	})
	delete(t.held, s)
	t.turn.Broadcast()
}

// lose gives the parts of a side that failed back.
func (t *tally) lose(s *side) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left = append(t.left, t.held[s]...)
	delete(t.held, s)
	t.turn.Broadcast()
}

// end wakes up who waits for others when the run has failed.
func (t *tally) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = err
	t.turn.Broadcast()
}

// Tally has the joiner count neighbours together with others, and returns those
// of all query rows; nil if each had better count its own. count counts the
// pairs of a part of the rows, each once, for both rows: the parts, in any order
// of the rows that all joiners share, are all of them. collect returns what has
// been counted since it was called last, by row.
func (w sideWork) Tally(count func(part, parts int) error, collect func() ([]uint32, error)) ([]uint32, error) {
	if w.q.tally == nil {
		return nil, nil
	}
	sum, err := w.q.tally.run(w.s, count, collect)
	w.q.mu.Lock()
	defer w.q.mu.Unlock()
	w.s.since = w.q.clock() // it begins with its rows only now
	return sum, err
}

// tally returns what the sides count with together, nil if each had better
// count its own rows.
func (j *Joiner) tally(p *neighbors.Plan, sides []*side, rows int) *tally {
	if p.Within() == nil || !p.Self() || rows < p.Len() || j.partition() != Adaptive && j.CPU != nil {
		return nil
	}
	gpus := 0
	for _, s := range sides {
		if s.gpu && s.lost == nil {
			gpus++
		}
	}
	if gpus == 0 {
		return nil
	}
	if cpu := sides[len(sides)-1]; !cpu.gpu && !j.all {
		// A GPU counts all pairs, but of its own rows only each from both sides.
		if c, g := j.forecasts(p, false, float64(cpu.workers)); g.all > c.all {
			return nil
		}
	}
	return newTally(p.Len(), gpus)
}

package hybrid

import (
	"slices"
	"sync"
)

// A tally is the numbers of neighbours of all rows, counted by several joiners
// together: each counts some parts of the rows, and reports its counts when no part
// is left; parts of a joiner that failed before are counted again by others. The
// result is the sum of all reports, which each joiner adds up itself, where and when
// it needs it.
//
// In a self-join a pair is then counted once, for both of its rows. Every GPU on its
// own would look at it from both sides, unless it has all rows: two GPUs would be no
// faster than one.
type tally struct {
	mu    sync.Mutex
	turn  *sync.Cond
	left  [][2]int           // parts that have not been started, the last first
	held  map[*side][][2]int // parts that have been started and are not in found
	found [][]uint32         // the reports
	ended error              // why the run ended, if the tally is not complete
}

const (
	// tallyParts is the number of parts for each joiner. They become smaller towards
	// the end, so that all joiners end at about the same time.
	tallyParts = 24
	// leastTally is the number of rows that keep a joiner busy: smaller parts take
	// no less time. With few rows, a part is leastOf of those of a joiner.
	leastTally = 1 << 15
	leastOf    = 8
)

func newTally(rows, joiners int) *tally {
	t := &tally{held: map[*side][][2]int{}}
	t.turn = sync.NewCond(&t.mu)
	// The number of rows after the beginning of part i of n is proportional to
	// (n-i)².
	parts := tallyParts * joiners
	begin := func(i int) int {
		left := float64(parts-i) / float64(parts)
		return rows - int(float64(rows)*left*left)
	}
	least, lo := min(leastTally, max(rows/(leastOf*joiners), 1)), 0
	for i := 1; i <= parts; i++ {
		if hi := begin(i); hi-lo >= least || i == parts && lo < hi {
			t.left = append(t.left, [2]int{lo, hi})
			lo = hi
		}
	}
	slices.Reverse(t.left)
	return t
}

// run lets a side do its share and returns the counts of all sides when all parts
// are done. count counts a part; collect returns what has been counted since its
// last call, and must not be changed until the run ends.
func (t *tally) run(s *side, count func(lo, hi int) error, collect func() ([]uint32, error)) ([][]uint32, error) {
	for {
		part, more, err := t.next(s)
		switch {
		case err != nil:
			return nil, err
		case part[0] < part[1]:
			err = count(part[0], part[1])
		case more:
			var own []uint32
			if own, err = collect(); err == nil {
				t.add(s, own)
			}
		default:
			return t.found, nil
		}
		if err != nil {
			t.lose(s)
			return nil, err
		}
	}
}

// next returns a part to count, an empty one if there is none; more says that the
// side has counts that it has not reported. If it is false, all parts are done.
func (t *tally) next(s *side) (part [2]int, more bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		switch n := len(t.left); {
		case t.ended != nil:
			return part, false, t.ended
		case n > 0:
			part, t.left = t.left[n-1], t.left[:n-1]
			t.held[s] = append(t.held[s], part)
			return part, true, nil
		case len(t.held[s]) > 0:
			return part, true, nil
		case len(t.held) == 0:
			return part, false, nil
		}
		t.turn.Wait()
	}
}

// add adds the report of a side.
func (t *tally) add(s *side, own []uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.found = append(t.found, own)
	delete(t.held, s)
	t.turn.Broadcast()
}

// lose puts the parts of a failed side back.
func (t *tally) lose(s *side) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left = append(t.left, t.held[s]...)
	delete(t.held, s)
	t.turn.Broadcast()
}

// end wakes up the sides that wait for others, when the run has failed.
func (t *tally) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = err
	t.turn.Broadcast()
}

package hybrid

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"skyjoin/internal/par"
	"skyjoin/internal/workq"
)

// A queue holds the rows of one run, which its sides take as the policy allows.
//
// A CPU needs the rows in the order of its index, and the deque needs their work.
// Until both exist and open is called, GPUs take early rows, in the order in which
// they were given.
type queue struct {
	mu     sync.Mutex
	turn   *sync.Cond // signals that rows were put back, that a side ended, or that all is done
	start  time.Time
	now    func() time.Time // not time.Now in simulations
	policy policy
	sides  []*side
	counts bool  // rows are counted, not delivered
	rows   int   // of the run
	work   int64 // of all rows, once the queue is open
	fatal  error // ends the run
	held   int   // taken by all sides

	undecided  bool            // who takes part is open: GPUs start, but get no rows yet
	fetch      func() []uint32 // not nil: fetches the rows, without which GPUs can start
	fetching   par.Group       // while they are fetched
	fetchBegun bool
	hurry      func() // not nil: ends what the decision waits for

	// expected is the part of the total rate that the GPUs are expected to
	// contribute; 0: unknown.
	expected float64

	tally *tally // nil: every joiner counts on its own
	early early
	ends  []int                  // of GPU batches of equal results, as places in the deque; nil: unknown
	deque *workq.Deque           // nil until the queue is open
	cost  func(row uint32) int64 // nil: every row costs 1; does not change once rows have been taken
}

// newQueue returns a queue of rows with numbers below n.
func newQueue(sides []*side, rows []uint32, n int, policy policy) *queue {
	q := &queue{start: time.Now(), now: time.Now, policy: policy, sides: sides, rows: len(rows), early: early{left: rows}}
	q.turn = sync.NewCond(&q.mu)
	if q.alive(false) {
		q.early.taken = &marking{rows: newBitmap(n)}
	}
	return q
}

// clock returns the time since the run began.
func (q *queue) clock() time.Duration { return q.now().Sub(q.start) }

// take hands out rows to a side.
func (q *queue) take(s *side, rows int, cost int64) []uint32 {
	q.mu.Lock()
	defer q.mu.Unlock()
	s.asked = true
	q.fetchRows()
	for (q.undecided || q.fetch != nil) && q.fatal == nil && !s.out() {
		q.turn.Wait()
		s.since = q.clock()
	}
	now := q.clock()
	q.settle(s, now)
	most, worth := q.limit(s, now)
	if most == 0 {
		return nil
	}
	if cost > 0 && worth > 0 {
		worth = min(cost, worth)
	} else {
		worth = max(cost, worth)
	}
	var taken []uint32
	var work int64
	if q.deque == nil {
		taken = q.early.take(min(rows, most))
		work = int64(len(taken))
	} else {
		taken, work = q.deque.Take(!s.gpu, min(rows, most), worth)
	}
	q.held += len(taken)
	s.held += len(taken)
	s.taken += int64(len(taken))
	s.work += work
	s.rows, s.batch = len(taken), work
	s.stats.Batches++
	return taken
}

// settle records, when a side takes rows, what it has done since the last time: rows
// that were put back by then have failed, because the joiner continues.
func (q *queue) settle(s *side, now time.Duration) {
	s.stats.Failed += s.doubt
	s.doubt = 0
	if q.counts {
		s.done += s.batch
		s.batch = 0
		s.reports++
	}
	if s.done > 0 && (s.gpu || s.reports >= s.workers && now-s.since > window) {
		s.speed.add(s.done, now-s.since)
		s.done, s.reports, s.since = 0, 0, now
	}
}

// window is the shortest time over which the rate of many small batches is measured.
// Each worker must have reported something by then, or the first to report would
// stand for all.
const window = 2 * time.Millisecond

// limit returns how many rows, and how much of their work, a side may take; 0 rows
// means none.
func (q *queue) limit(s *side, now time.Duration) (rows int, work int64) {
	if q.fatal != nil || s.out() {
		return 0, 0
	}
	if q.deque == nil {
		switch {
		case len(q.early.left) == 0:
			return 0, 0
		case !s.gpu && q.early.own:
			return len(q.early.left), 0
		case !s.gpu:
			return 0, 0
		}
		if s.tallied && !q.alive(false) {
			return q.small(), 0
		}
		return q.policy.early(q, s), 0
	}
	left := q.deque.Len()
	if s.gpu && q.alive(false) {
		// Rows whose neighbours GPUs could not find are reserved for the CPU: a GPU
		// that took them again right after putting them back would leave it none.
		left -= q.deque.Handed()
	}
	if left == 0 {
		return 0, 0
	}
	return q.policy.limit(q, s, now)
}

// put takes rows back.
func (q *queue) put(s *side, rows []uint32) {
	if len(rows) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held -= len(rows)
	s.held -= len(rows)
	s.taken -= int64(len(rows))
	s.doubt += int64(len(rows))
	s.work -= total(rows, q.cost)
	switch {
	case q.deque == nil:
		q.early.put(rows)
	case s.gpu && q.alive(false):
		// What a GPU fails to find is better left to the CPU.
		q.deque.Hand(rows)
	default:
		q.deque.Put(rows)
	}
	q.turn.Broadcast()
}

// deliver records what a worker of a side has delivered.
func (q *queue) deliver(s *side, d *delivery) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if d.rows == 0 {
		return
	}
	q.held -= d.rows
	s.held -= d.rows
	s.done += d.work
	s.reports++
	s.stats.Rows += int64(d.rows)
	s.stats.Candidates += d.work
	s.stats.Neighbours += int64(d.neighbours)
	s.stats.end = q.clock()
	*d = delivery{}
	if q.held == 0 {
		q.turn.Broadcast()
	}
}

// await waits until there are rows for the side, and returns false if there will be
// none.
func (q *queue) await(s *side) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if q.fatal != nil || s.out() || q.fetch == nil && q.empty() && q.held == 0 {
			return false
		}
		now := q.clock()
		if rows, _ := q.limit(s, now); rows > 0 || q.fetch != nil {
			s.since, s.done, s.reports, s.asked = now, 0, 0, false
			return true
		}
		q.turn.Wait()
	}
}

// beginFetch starts to fetch the rows, if GPUs have started without them.
func (q *queue) beginFetch() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fetchRows()
}

// fetchRows is beginFetch with the mutex held.
func (q *queue) fetchRows() {
	if q.fetch == nil || q.fetchBegun {
		return
	}
	q.fetchBegun = true
	fetch := q.fetch
	q.fetching.Go(func() {
		var rows []uint32
		if err := q.fetching.Do(func() error { rows = fetch(); return nil }); err != nil {
			q.fail(err)
			return
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		q.early.left, q.fetch = rows, nil
		q.turn.Broadcast()
	})
}

func (q *queue) empty() bool {
	if q.deque == nil {
		return len(q.early.left) == 0
	}
	return q.deque.Len() == 0
}

// end records that the joiner of a side has returned.
func (q *queue) end(s *side, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.clock()
	q.settle(s, now)
	if err == nil && !s.asked {
		err = errIdle // it would do so again
	}
	if q.counts && s.held > 0 {
		s.stats.Rows += int64(s.held)
		s.stats.end = now
		q.held -= s.held
		s.held = 0
	}
	if q.counts {
		s.stats.Candidates = s.work
	}
	switch {
	case s.held > 0 && q.fatal == nil:
		q.fatal = fmt.Errorf("%s lost %d rows (%w)", s.name(), s.held, cause(err))
	case err != nil && q.fatal == nil:
		s.lost = err
		s.stats.Lost = err.Error()
		if q.deque != nil { // when a joiner fails, others can do the rows that it gives back
			q.deque.Release()
		}
	}
	if q.tally != nil && q.fatal != nil {
		q.tally.end(q.fatal)
	}
	if q.hurry != nil && !q.alive(true) {
		q.hurry()
	}
	q.turn.Broadcast()
}

var (
	errLost = errors.New("it ended without them")
	errIdle = errors.New("it ended without asking for rows")
)

func cause(err error) error {
	if err == nil {
		return errLost
	}
	return err
}

// fail ends the run.
func (q *queue) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.fatal == nil {
		q.fatal = err
	}
	if q.tally != nil {
		q.tally.end(q.fatal)
	}
	q.turn.Broadcast()
}

// cut ends the run when ctx is cancelled.
func (q *queue) cut(ctx context.Context) func() bool {
	return context.AfterFunc(ctx, func() { q.fail(context.Cause(ctx)) })
}

// open puts the remaining rows into the deque of all rows. With costs, no row may
// have been taken yet.
func (q *queue) open(deque *workq.Deque, cost func(row uint32) int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.work = deque.Cost()
	if taken := q.early.gone(); taken != nil {
		deque.Remove(taken.has)
	}
	q.deque, q.cost, q.early = deque, cost, early{}
	q.turn.Broadcast()
}

// leaveToCPU gives the CPU all rows, in the order of its index, if no GPU takes
// part.
func (q *queue) leaveToCPU(rows []uint32) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.alive(true) || q.early.begun {
		return false
	}
	q.early = early{left: rows, arranged: true, own: true}
	q.turn.Broadcast()
	return true
}

// alive reports whether any GPU, or the CPU, takes part.
func (q *queue) alive(gpu bool) bool {
	for _, s := range q.sides {
		if s.gpu == gpu && !s.out() {
			return true
		}
	}
	return false
}

// rest returns the rows that have not been done.
func (q *queue) rest() []uint32 {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.deque == nil {
		return q.early.left
	}
	var rest []uint32
	for rows := q.deque.TakeBack(math.MaxInt, 0); rows != nil; rows = q.deque.TakeBack(math.MaxInt, 0) {
		rest = append(rest, rows...)
	}
	return rest
}

const (
	// Early rows whose neighbours are known have no fixed cost on a GPU: it starts
	// with the next ones before it has ended the last. It takes this part of what is
	// left for each GPU, and at least so many of all rows.
	smallPart  = 4
	leastSmall = 64
)

// small returns how many early rows a GPU takes at once if their neighbours are
// known.
func (q *queue) small() int {
	gpus := max(gpus(q.sides), 1)
	if q.counts {
		return ceilDiv(q.rows, gpus) // they only need to be written
	}
	return max(ceilDiv(len(q.early.left), smallPart*gpus), ceilDiv(q.rows, leastSmall*gpus))
}

// A policy says how much a side may take at once. Its methods are called with the
// queue's mutex held, while rows are left.
type policy interface {
	// early returns how many rows a GPU may take before the queue is open.
	early(q *queue, s *side) int
	// limit returns how many rows a side may take, and how much work (0: any); 0
	// rows means none.
	limit(q *queue, s *side, now time.Duration) (rows int, work int64)
}

package neighbors

import (
	"sync"

	"skyjoin/internal/fresh"
	"skyjoin/internal/par"
)

// Work hands out the query rows of a join, each once. It is safe for concurrent use.
// Rows that could not be delivered are put back with Put and handed out again.
type Work interface {
	// Take removes and returns up to rows query rows whose estimated work
	// (Plan.Cost) adds up to at most cost, but at least one row while any is
	// left. It returns nil when none is left. cost ≤ 0 sets no limit.
	Take(rows int, cost int64) []uint32
	// Put gives rows back.
	Put(rows []uint32)
}

// rowQueue is a Work over a fixed list of rows.
type rowQueue struct {
	mu   sync.Mutex
	plan *Plan // the plan of which these are all rows, until the first is taken; nil: rows
	rows []uint32
	back [][]uint32
	cost func(row uint32) int64
}

// NewWork returns a Work that hands out the rows in the order given. cost
// estimates the work of a row and may be nil.
func NewWork(rows []uint32, cost func(row uint32) int64) Work {
	return &rowQueue{rows: rows, cost: cost}
}

func (q *rowQueue) Take(rows int, cost int64) []uint32 {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.settle(rows, cost)
	if len(q.rows) == 0 && len(q.back) > 0 {
		last := len(q.back) - 1
		q.rows, q.back = q.back[last], q.back[:last]
	}
	n := min(max(rows, 1), len(q.rows))
	if n == 0 {
		return nil
	}
	if cost > 0 && q.cost != nil {
		var sum int64
		for i, r := range q.rows[:n] {
			if sum += q.cost(r); sum > cost && i > 0 {
				n = i
				break
			}
		}
	}
	taken := q.rows[:n:n]
	q.rows = q.rows[n:]
	return taken
}

// Len returns how many rows are left.
func (q *rowQueue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.plan != nil {
		return q.plan.Len()
	}
	n := len(q.rows)
	for _, rows := range q.back {
		n += len(rows)
	}
	return n
}

// settle gives the rows of a plan their order, which depends on what is asked for
// first.
func (q *rowQueue) settle(rows int, cost int64) {
	if q.plan == nil {
		return
	}
	if q.rows = q.plan.builtOrder(); q.rows == nil {
		if rows >= q.plan.Len() && cost <= 0 {
			q.rows = fresh.Make[uint32](par.Threads(0), q.plan.Len())
			par.Chunks(par.Threads(0), len(q.rows), func(_, lo, hi int) {
				for i := lo; i < hi; i++ {
					q.rows[i] = uint32(i)
				}
			})
		} else {
			q.rows = q.plan.order()
		}
	}
	q.plan = nil
}

func (q *rowQueue) Put(rows []uint32) {
	if len(rows) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.back = append(q.back, rows)
}

// whole is a Work from which all rows can be taken at once, in the order of the
// index.
type whole interface {
	Work
	// takeAll takes all rows if these are all rows of the plan and none has
	// been taken before.
	takeAll(p *Plan) bool
	// tell says that so many more of the rows taken with takeAll are started.
	tell(rows int)
	// Len returns how many rows are left.
	Len() int
}

func (q *rowQueue) takeAll(p *Plan) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.plan != p || p.Len() == 0 {
		return false
	}
	q.plan = nil
	return true
}

func (q *rowQueue) tell(int) {}

// Watch returns a Work that calls told with the number of rows that it hands out,
// and with a negative number for rows that are put back.
func Watch(work Work, told func(rows int)) Work {
	w := watched{work, told}
	if all, ok := work.(whole); ok {
		return watchedWhole{w, all}
	}
	return w
}

type watched struct {
	Work
	told func(rows int)
}

func (w watched) Take(rows int, cost int64) []uint32 {
	taken := w.Work.Take(rows, cost)
	w.told(len(taken))
	return taken
}

func (w watched) Put(rows []uint32) {
	w.told(-len(rows))
	w.Work.Put(rows)
}

type watchedWhole struct {
	watched
	all whole
}

func (w watchedWhole) takeAll(p *Plan) bool { return w.all.takeAll(p) }

func (w watchedWhole) tell(rows int) { w.told(rows) }

func (w watchedWhole) Len() int { return w.all.Len() }

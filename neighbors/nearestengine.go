package neighbors

import (
	"context"
	"sync"

	"skyjoin/internal/kernel"
)

// A finder finds the nearest neighbours of queries that are near each other in
// its order. It belongs to one goroutine.
type finder interface {
	// together returns how many of the positions, which ascend, it is good to
	// look for in one call.
	together(positions []uint32) int
	// find calls visit for each of the positions in turn, with its place among
	// them, the rows nearest to it and their d².
	find(positions []uint32, visit func(n int, rows []uint32, d2 []float64))
}

// A nearestIndex is an order of the queries and what finds their nearest
// neighbours.
type nearestIndex struct {
	algorithm Algorithm
	query     *kernel.Points
	position  func() []uint32 // of every query row
	newFinder func() finder
	memory    int64
}

func (p *Plan) newNearestIndex(a Algorithm, query *kernel.Points, memory int64, newFinder func() finder) *nearestIndex {
	n := &nearestIndex{algorithm: a, query: query, memory: memory, newFinder: newFinder}
	n.position = sync.OnceValue(func() []uint32 { return inverse(n.order(), p.threads) })
	return n
}

// order is the query rows in the order of the index.
func (n *nearestIndex) order() []uint32 { return n.query.ID[:n.query.N:n.query.N] }

// A nearestEngine makes batches of what a finder finds.
type nearestEngine struct {
	p      *Plan
	index  *nearestIndex
	finder finder
	room   int

	places     // the queries to do
	sent   int // queries delivered
	batch  *Batch
}

func newNearestEngine(p *Plan, index *nearestIndex, room int) *nearestEngine {
	return &nearestEngine{p: p, index: index, finder: index.newFinder(), room: room, batch: &Batch{}}
}

func (e *nearestEngine) join(ctx context.Context, rows []uint32, flush func(*Batch) (*Batch, error)) ([]uint32, error) {
	e.locate(e.index.order(), e.index.position, rows)
	e.sent = 0
	for done := 0; done < len(e.pos); {
		if err := ctx.Err(); err != nil {
			return e.rows[e.sent:], err
		}
		group := e.pos[done : done+e.finder.together(e.pos[done:])]
		var failed error
		e.finder.find(group, func(n int, index []uint32, d2 []float64) {
			if failed == nil {
				failed = e.add(done+n, index, d2, flush)
			}
		})
		if failed != nil {
			return e.rows[e.sent:], failed
		}
		done += len(group)
	}
	return nil, nil
}

// add appends the list of the i-th query to the batch, and delivers that if it
// is full or the last.
func (e *nearestEngine) add(i int, index []uint32, d2 []float64, flush func(*Batch) (*Batch, error)) error {
	b := e.batch
	if i == e.sent {
		b.Offset = append(b.Offset[:0], 0)
		b.Index, b.Dist = b.Index[:0], b.Dist[:0]
	}
	b.Index = append(b.Index, index...)
	at := len(b.Dist)
	b.Dist = append(b.Dist, d2...)
	e.p.finish(e.rows[i], index, b.Dist[at:])
	e.p.pad(b, e.p.near.K-len(index))
	b.Offset = append(b.Offset, int64(len(b.Index)))
	if len(b.Index) < e.room && i+1 < len(e.pos) {
		return nil
	}
	b.Rows = append(b.Rows[:0], e.rows[e.sent:i+1]...)
	next, err := flush(b)
	if next != nil {
		e.sent, e.batch = i+1, next
	}
	return err
}

// count is not asked of a Nearest plan.
func (e *nearestEngine) count(context.Context, []uint32, []int64) error { return nil }

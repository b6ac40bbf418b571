package neighbors

import (
	"context"
	"math"
	"slices"
	"sync"

	"skyjoin/internal/kdtree"
	"skyjoin/internal/kernel"
)

// A finder finds the nearest neighbours of queries that are near each other in
// its order. It belongs to one goroutine.
type finder interface {
	// together returns how many of the positions, which ascend, should be searched
	// for in one call.
	together(positions []uint32) int
	// find writes the lists of the positions, one after the other: the rows
	// nearest to each and their d². All are of one length, see
	// [Plan.nearestK]; index and d2 have kernel.Slack more.
	find(positions []uint32, index []uint32, d2 []float64)
}

// nearestK returns how many neighbours every query has.
func (p *Plan) nearestK() int {
	have := p.data.Len()
	if p.self {
		have = max(have-1, 0)
	}
	return min(p.near.K, have)
}

// A nearestIndex is an order of the queries and what finds their nearest
// neighbours.
type nearestIndex struct {
	algorithm Algorithm
	query     *kernel.Points
	position  func() []uint32 // of every query row
	newFinder func() finder
	memory    int64
	tree      *kdtree.Tree // of the data points, if it is one of trees
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

	queryRows     // the queries to search for
	sent      int // queries delivered
	batch     *Batch
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
		b := e.batch
		if done == e.sent {
			b.Offset = append(b.Offset[:0], 0)
			b.Index, b.Dist = b.Index[:0], b.Dist[:0]
		}
		group := e.pos[done:]
		group = group[:min(e.finder.together(group), max(1, (e.room-len(b.Index))/e.p.near.K))]
		e.add(group, e.rows[done:])
		done += len(group)
		if len(b.Index)+e.p.near.K <= e.room && done < len(e.pos) {
			continue
		}
		b.Rows = append(b.Rows[:0], e.rows[e.sent:done]...)
		next, err := flush(b)
		if next != nil {
			e.sent, e.batch = done, next
		}
		if err != nil {
			return e.rows[e.sent:], err
		}
	}
	return nil, nil
}

// add appends the lists of positions, which belong to rows, to the batch.
func (e *nearestEngine) add(positions, rows []uint32) {
	b, n, asked := e.batch, len(positions), e.p.near.K
	k := e.p.nearestK()
	at := len(b.Index)
	room := n*asked + kernel.Slack
	b.Index = slices.Grow(b.Index, room)[:at+room]
	b.Dist = slices.Grow(b.Dist, room)[:at+room]
	index, dist := b.Index[at:], b.Dist[at:]
	if k > 0 {
		e.finder.find(positions, index[:n*k+kernel.Slack], dist[:n*k+kernel.Slack])
	}
	e.p.finishAll(rows[:n], k, index[:n*k], dist[:n*k])
	if k < asked {
		spread(index[:n*asked], k, asked, None)
		spread(dist[:n*asked], k, asked, math.Inf(1))
	}
	b.Index, b.Dist = b.Index[:at+n*asked], b.Dist[:at+n*asked]
	for range positions {
		at += asked
		b.Offset = append(b.Offset, int64(at))
	}
}

// spread lengthens consecutive lists to the given length, and fills them up.
func spread[T any](all []T, from, to int, fill T) {
	for i := len(all)/to - 1; i >= 0; i-- {
		list := all[i*to : (i+1)*to]
		copy(list, all[i*from:(i+1)*from])
		for m := from; m < to; m++ {
			list[m] = fill
		}
	}
}

// count is not called for a Nearest plan.
func (e *nearestEngine) count(context.Context, []uint32, []int64) error { return nil }

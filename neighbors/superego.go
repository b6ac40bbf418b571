package neighbors

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"skyjoin/internal/column"
	"skyjoin/internal/each"
	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
	"skyjoin/internal/superego"
)

// superEGO is the index of Super-EGO.
type superEGO struct {
	join     *superego.Join
	position []uint32 // of every query row
}

func (p *Plan) superEGOIndex(ctx context.Context) (*superEGO, error) {
	return p.superEGO.get(func() (*superEGO, error) {
		query, data, err := p.sequences(func(o *superego.Order, c []column.Column) (*superego.Sequence, error) {
			return o.SortPlain(ctx, c)
		})
		if err != nil {
			return nil, err
		}
		return &superEGO{superego.NewJoin(query, data, p.t), inverse(query.Rows(), p.threads)}, nil
	})
}

// superEGOTested returns how many pairs the recursive join tests.
func (p *Plan) superEGOTested(ctx context.Context) (int64, error) {
	index, err := p.superEGOIndex(ctx)
	if err != nil {
		return 0, err
	}
	all := each.Row(p.Len())
	total := int64(0)
	err = index.join.Visit(all, func(lo, hi int, data []kernel.Run) error {
		total += int64(hi-lo) * int64(grid.Points(data))
		return ctx.Err()
	})
	return total, err
}

// A joinEngine carries out the recursive join of Super-EGO for the rows it is
// given.
type joinEngine struct {
	lists
	p     *Plan
	index *superEGO
	pos   []uint32 // positions of the rows
	done  []uint32 // the rows, in the order of the positions
}

func newJoinEngine(ctx context.Context, p *Plan, room, most int) (engine, error) {
	index, err := p.superEGOIndex(ctx)
	if err != nil {
		return nil, err
	}
	return &joinEngine{lists: lists{room: room, most: most}, p: p, index: index}, nil
}

// locate sets pos and done.
func (e *joinEngine) locate(rows []uint32) {
	e.pos, e.done = e.pos[:0], e.done[:0]
	for _, r := range rows {
		e.pos = append(e.pos, e.index.position[r])
	}
	slices.Sort(e.pos)
	for _, i := range e.pos {
		e.done = append(e.done, e.index.join.Query.Points.ID[i])
	}
}

func (e *joinEngine) join(ctx context.Context, rows []uint32, flush func(*Batch) (*Batch, error)) ([]uint32, error) {
	e.locate(rows)
	e.begin(e.done, flush)
	err := e.each(ctx, func(k int, data []kernel.Run) error {
		e.list(e.pos[k], data)
		return e.add()
	})
	return e.undone(), err
}

func (e *joinEngine) count(ctx context.Context, rows []uint32, count []int64) error {
	e.locate(rows)
	return e.each(ctx, func(k int, data []kernel.Run) error {
		n := int64(0)
		at := e.pos[k]
		e.index.join.Within(at, data, func(other uint32, _ float64) {
			if !(e.p.self && other == at) {
				n++
			}
		})
		count[e.done[k]] = n
		return nil
	})
}

// each calls f for every row, given by its index in pos, with the candidates.
func (e *joinEngine) each(ctx context.Context, f func(k int, data []kernel.Run) error) error {
	return e.index.join.Visit(e.pos, func(lo, hi int, data []kernel.Run) error {
		for k := lo; k < hi; k++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f(k, data); err != nil {
				return err
			}
		}
		return nil
	})
}

// list appends the neighbours of the query at a position to the batch.
func (e *joinEngine) list(at uint32, data []kernel.Run) {
	b, join := e.batch, e.index.join
	row := join.Query.Points.ID[at]
	join.Within(at, data, func(i uint32, d2 float64) {
		if e.p.self && i == at {
			return
		}
		other := join.Data.Points.ID[i]
		b.Index = append(b.Index, other)
		if e.p.within.Distance {
			b.Dist = append(b.Dist, e.p.distance(int(row), int(other), d2))
		}
	})
}

// producers returns a queue of sequences, of all rows that work has, that the
// threads of Super-EGO both consume and produce, and a function to call when they
// have ended.
func (p *Plan) producers(ctx context.Context, work Work) (Work, func(), error) {
	index, err := p.superEGOIndex(ctx)
	if err != nil {
		return nil, nil, err
	}
	var all []uint32
	for rows := work.Take(p.Len(), 0); rows != nil; rows = work.Take(p.Len(), 0) {
		all = append(all, rows...)
	}
	slices.SortFunc(all, func(a, b uint32) int { return cmp.Compare(index.position[a], index.position[b]) })
	q := &sequenceQueue{work: work, stack: [][]uint32{all}}
	return q, q.release, nil
}

// A sequenceQueue is the queue of Super-EGO's threads. A thread that takes a
// sequence halves it until it is small enough to join, and puts the other halves
// into the queue.
type sequenceQueue struct {
	work  Work // source of the rows, to which they are put back
	mu    sync.Mutex
	stack [][]uint32 // sequences in epsilon grid order
}

// Take implements Work.
func (q *sequenceQueue) Take(rows int, _ int64) []uint32 {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.stack) == 0 {
		return nil
	}
	last := len(q.stack) - 1
	s := q.stack[last]
	q.stack = q.stack[:last]
	for len(s) > max(rows, 1) {
		mid := len(s) / 2
		q.stack = append(q.stack, s[mid:])
		s = s[:mid]
	}
	if len(s) == 0 {
		return nil
	}
	return s
}

// Put implements Work.
func (q *sequenceQueue) Put(rows []uint32) { q.work.Put(rows) }

// release puts back what has not been taken.
func (q *sequenceQueue) release() {
	for rows := q.Take(1<<31-1, 0); rows != nil; rows = q.Take(1<<31-1, 0) {
		q.work.Put(rows)
	}
}

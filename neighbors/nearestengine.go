package neighbors

import (
	"context"
	"math"
	"slices"

	"skyjoin/internal/kdtree"
)

// A nearestEngine finds nearest neighbours in the trees of the plan. Queries
// that follow each other are near each other, so what they visit is in the
// caches.
type nearestEngine struct {
	p      *Plan
	search *kdtree.Nearest
	room   int
	pos    []uint32
	rows   []uint32
	batch  *Batch
}

func newNearestEngine(p *Plan, room int) *nearestEngine {
	return &nearestEngine{p: p, room: room, batch: &Batch{}, search: kdtree.NewNearest(p.dataTree, p.near.K, p.query.Side)}
}

func (e *nearestEngine) join(ctx context.Context, rows []uint32, flush func(*Batch) (*Batch, error)) ([]uint32, error) {
	e.locate(rows)
	query := e.p.queryTree
	sent := 0
	for i, at := range e.pos {
		b := e.batch
		if i == sent {
			b.Offset = append(b.Offset[:0], 0)
			b.Index, b.Dist = b.Index[:0], b.Dist[:0]
		}
		if i%64 == 0 {
			if err := ctx.Err(); err != nil {
				return e.rows[sent:], err
			}
		}
		skip, leaf := uint32(kdtree.NoRow), 0
		if e.p.self {
			skip, leaf = e.rows[i], query.Leaf(int(at))
		} else {
			leaf = e.search.Leaf(&query.Points, int(at))
		}
		index, d2 := e.search.Find(&query.Points, int(at), skip, leaf)
		b.Index = append(b.Index, index...)
		e.distances(e.rows[i], index, d2)
		e.p.pad(b, e.p.near.K-len(index))
		b.Offset = append(b.Offset, int64(len(b.Index)))
		if len(b.Index) < e.room && i+1 < len(e.pos) {
			continue
		}
		b.Rows = append(b.Rows[:0], e.rows[sent:i+1]...)
		next, err := flush(b)
		if next != nil {
			sent, e.batch = i+1, next
		}
		if err != nil {
			return e.rows[sent:], err
		}
	}
	return nil, nil
}

// distances appends the distances of a list to the batch.
func (e *nearestEngine) distances(row uint32, index []uint32, d2 []float64) {
	b := e.batch
	if e.p.metric.IsAngle() {
		for k, v := range d2 {
			b.Dist = append(b.Dist, e.p.distance(int(row), int(index[k]), v))
		}
		return
	}
	for _, v := range d2 {
		b.Dist = append(b.Dist, math.Sqrt(v))
	}
}

// locate sets pos and rows, in the order of the tree.
func (e *nearestEngine) locate(rows []uint32) {
	e.pos = e.pos[:0]
	position := e.p.position()
	for _, r := range rows {
		e.pos = append(e.pos, position[r])
	}
	if !slices.IsSorted(e.pos) {
		slices.Sort(e.pos)
	}
	e.rows = e.rows[:0]
	order := e.p.order()
	for _, i := range e.pos {
		e.rows = append(e.rows, order[i])
	}
}

// count is not asked of a Nearest plan.
func (e *nearestEngine) count(context.Context, []uint32, []int64) error { return nil }

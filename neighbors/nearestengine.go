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
	var failed error
	for done := 0; done < len(e.pos); {
		if err := ctx.Err(); err != nil {
			return e.rows[sent:], err
		}
		leaf := query.Leaf(int(e.pos[done]))
		end := done + 1
		for end < len(e.pos) && e.pos[end] < query.Start[leaf+1] {
			end++
		}
		e.search.FindAll(query, leaf, e.pos[done:end], e.p.self, func(n int, index []uint32, d2 []float64) {
			if failed != nil {
				return
			}
			i := done + n
			b := e.batch
			if i == sent {
				b.Offset = append(b.Offset[:0], 0)
				b.Index, b.Dist = b.Index[:0], b.Dist[:0]
			}
			b.Index = append(b.Index, index...)
			e.distances(e.rows[i], index, d2)
			e.p.pad(b, e.p.near.K-len(index))
			b.Offset = append(b.Offset, int64(len(b.Index)))
			if len(b.Index) < e.room && i+1 < len(e.pos) {
				return
			}
			b.Rows = append(b.Rows[:0], e.rows[sent:i+1]...)
			next, err := flush(b)
			if next != nil {
				sent, e.batch = i+1, next
			}
			failed = err
		})
		if failed != nil {
			return e.rows[sent:], failed
		}
		done = end
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

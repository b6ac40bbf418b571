package neighbors

import "context"

// A rowEngine joins one row at a time.
type rowEngine struct {
	lists
	find   func(row uint32, b *Batch) // appends the list of a row
	number func(row uint32) int64     // of neighbours
}

// newScanEngine returns brute force as an engine.
func newScanEngine(_ context.Context, p *Plan, room, most int) (engine, error) {
	e := &rowEngine{lists: lists{room: room, most: most}, find: p.bruteWithin, number: p.bruteCount}
	if p.near != nil {
		e.find = p.bruteNearest
	}
	return e, nil
}

func (e *rowEngine) join(ctx context.Context, rows []uint32, flush func(*Batch) (*Batch, error)) ([]uint32, error) {
	e.begin(rows, flush)
	for _, r := range rows {
		if err := ctx.Err(); err != nil {
			return e.undone(), err
		}
		e.find(r, e.batch)
		if err := e.add(); err != nil {
			return e.undone(), err
		}
	}
	return nil, nil
}

func (e *rowEngine) count(ctx context.Context, rows []uint32, count []int64) error {
	for _, r := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		count[r] = e.number(r)
	}
	return nil
}

// bruteCount counts the neighbours of a row.
func (p *Plan) bruteCount(r uint32) int64 {
	n := int64(0)
	for j := range p.data.Len() {
		if (!p.self || j != int(r)) && p.query.SquaredDistance(int(r), p.data, j) <= p.t {
			n++
		}
	}
	return n
}

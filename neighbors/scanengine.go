package neighbors

import "context"

// A scanEngine is brute force as an engine.
type scanEngine struct {
	p     *Plan
	room  int
	batch *Batch
}

func newScanEngine(p *Plan, room int) *scanEngine {
	return &scanEngine{p: p, room: room, batch: &Batch{}}
}

func (e *scanEngine) join(ctx context.Context, rows []uint32, flush func(*Batch) (*Batch, error)) ([]uint32, error) {
	sent := 0
	for i, r := range rows {
		b := e.batch
		if i == sent {
			b.Offset = append(b.Offset[:0], 0)
			b.Index, b.Dist = b.Index[:0], b.Dist[:0]
		}
		if err := ctx.Err(); err != nil {
			return rows[sent:], err
		}
		if e.p.near != nil {
			e.p.bruteNearest(r, b)
		} else {
			e.p.bruteWithin(r, b)
		}
		b.Offset = append(b.Offset, int64(len(b.Index)))
		if len(b.Index) < e.room && i+1 < len(rows) {
			continue
		}
		b.Rows = append(b.Rows[:0], rows[sent:i+1]...)
		next, err := flush(b)
		if next != nil {
			sent, e.batch = i+1, next
		}
		if err != nil {
			return rows[sent:], err
		}
	}
	return nil, nil
}

func (e *scanEngine) count(ctx context.Context, rows []uint32, count []int64) error {
	for _, r := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := int64(0)
		for j := range e.p.data.Len() {
			if (!e.p.self || j != int(r)) && e.p.query.squaredDistance(int(r), e.p.data, j) <= e.p.t {
				n++
			}
		}
		count[r] = n
	}
	return nil
}

package neighbors

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// A rowEngine joins one row at a time.
type rowEngine struct {
	lists
	find   func(row uint32, b *Batch) // appends the list of a row
	number func(row uint32) int64     // of neighbours
}

// newScanEngine returns an engine for brute force.
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

// bruteWithin appends the neighbours of a row to the batch, testing every data row.
func (p *Plan) bruteWithin(r uint32, b *Batch) {
	for j := range p.data.Len() {
		if p.self && j == int(r) {
			continue
		}
		if d2 := p.query.SquaredDistance(int(r), p.data, j); d2 <= p.t {
			b.Index = append(b.Index, uint32(j))
			if p.within.Distance {
				b.Dist = append(b.Dist, p.distance(int(r), j, d2))
			}
		}
	}
}

// bruteNearest is bruteWithin for the nearest.
func (p *Plan) bruteNearest(r uint32, b *Batch) {
	type candidate struct {
		d2  float64
		row uint32
	}
	all := make([]candidate, 0, p.data.Len())
	for j := range p.data.Len() {
		if p.self && j == int(r) {
			continue
		}
		all = append(all, candidate{p.query.SquaredDistance(int(r), p.data, j), uint32(j)})
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.d2, b.d2), cmp.Compare(a.row, b.row))
	})
	for _, c := range all[:min(p.near.K, len(all))] {
		b.Index = append(b.Index, c.row)
		b.Dist = append(b.Dist, p.distance(int(r), int(c.row), c.d2))
	}
	p.pad(b, p.near.K-len(all))
}

// pad appends n entries without a neighbour.
func (p *Plan) pad(b *Batch, n int) {
	for range n {
		b.Index = append(b.Index, None)
		b.Dist = append(b.Dist, math.Inf(1))
	}
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

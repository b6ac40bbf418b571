package neighbors

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// pad appends n places without a neighbour.
func (p *Plan) pad(b *Batch, n int) {
	for range n {
		b.Index = append(b.Index, None)
		b.Dist = append(b.Dist, math.Inf(1))
	}
}

// Collect carries out the whole plan and returns all lists, list i belonging
// to query row i, ordered by neighbour for Within and by (d², row) for
// Nearest. limit, if positive, bounds the number of neighbours held; a result
// beyond it is an error that wraps ErrMemory.
func Collect(ctx context.Context, j Joiner, p *Plan, limit int64) (*Table, error) {
	type list struct {
		index []uint32
		dist  []float64
	}
	lists := make([]list, p.Len())
	var held int64
	withDist := p.near != nil || p.within.Distance
	for b, err := range j.Join(ctx, p, p.Work()) {
		if err != nil {
			return nil, err
		}
		if held += int64(len(b.Index)); limit > 0 && held > limit {
			return nil, fmt.Errorf("%w: more than %d neighbours", ErrMemory, limit)
		}
		for i, r := range b.Rows {
			l := list{index: slices.Clone(b.List(i))}
			if withDist {
				l.dist = slices.Clone(b.Dists(i))
			}
			lists[r] = l
		}
	}
	t := &Table{Offset: make([]int64, 1, p.Len()+1), Index: make([]uint32, 0, held)}
	if withDist {
		t.Dist = make([]float64, 0, held)
	}
	for _, l := range lists {
		if p.within != nil {
			sortList(l.index, l.dist)
		}
		t.Index = append(t.Index, l.index...)
		t.Dist = append(t.Dist, l.dist...)
		t.Offset = append(t.Offset, int64(len(t.Index)))
	}
	return t, nil
}

// sortList orders a list by row, its distances, if any, with it.
func sortList(index []uint32, dist []float64) {
	if dist == nil {
		slices.Sort(index)
		return
	}
	order := make([]int, len(index))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(int64(index[a]) - int64(index[b])) })
	oldIndex, oldDist := slices.Clone(index), slices.Clone(dist)
	for i, o := range order {
		index[i], dist[i] = oldIndex[o], oldDist[o]
	}
}

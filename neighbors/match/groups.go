package match

import (
	"context"
	"fmt"
	"sync"

	"skyjoin/internal/disjoint"
	"skyjoin/neighbors"
)

// Groups are the rows of one set of points that match each other, directly or
// through others.
type Groups struct {
	Of    []int32 // group of each row, -1 for a row that matches none
	Sizes []int64 // rows of each group, at least 2; groups are numbered by their first rows
	Pairs int64   // pairs of rows that meet the criterion
}

// Within groups the rows of points. Options.Find and K are not used; ErrorA
// has the errors of the rows, ErrorB must be nil or the same. Errors wrap
// neighbors.ErrRequest, ErrCoordinate or ErrMemory.
func Within(ctx context.Context, points *neighbors.Points, m neighbors.Metric, o Options) (*Groups, error) {
	if points == nil {
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	o.K, o.Find, o.ErrorB = 0, All, o.ErrorA
	if err := o.check(points, points); err != nil {
		return nil, err
	}
	if points.Len() == 0 {
		return &Groups{}, nil
	}
	plan, err := o.prepare(ctx, points, nil, m)
	if err != nil {
		return nil, err
	}
	sets := disjoint.New[uint32](points.Len())
	var pairs int64
	var mu sync.Mutex
	err = neighbors.Visit(ctx, o.Joiner, plan, plan.Work(), func(_ int, b *neighbors.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		for i, row := range b.Rows {
			dist := b.Dists(i)
			for k, near := range b.List(i) {
				if near > row && o.matches(row, near, dist[k]) {
					pairs++
					sets.Unite(row, near)
				}
			}
		}
		if o.Progress != nil {
			o.Progress(int64(len(b.Rows)))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return groupsOf(sets, pairs), nil
}

// groupsOf returns the sets of at least two rows as groups.
func groupsOf(sets disjoint.Sets[uint32], pairs int64) *Groups {
	g := &Groups{Of: make([]int32, len(sets)), Pairs: pairs}
	size := make([]int64, len(sets))
	for i := range sets {
		size[sets.Root(uint32(i))]++
	}
	for i := range sets { // a root comes before the rows of its set
		switch root := sets.Root(uint32(i)); {
		case size[root] < 2:
			g.Of[i] = -1
		case root == uint32(i):
			g.Of[i] = int32(len(g.Sizes))
			g.Sizes = append(g.Sizes, size[root])
		default:
			g.Of[i] = g.Of[root]
		}
	}
	return g
}

package neighbors

import (
	"context"

	"skyjoin/internal/each"
	"skyjoin/internal/kdtree"
	"skyjoin/internal/kernel"
	"skyjoin/internal/named"
	"skyjoin/internal/rtree"
	"skyjoin/internal/superego"
	"skyjoin/internal/used"
)

// An implementation is an algorithm on the CPU.
type implementation struct {
	name    Algorithm
	cells   func(p *Plan, ctx context.Context) (*cells, error)                  // for a cellEngine
	within  func(ctx context.Context, p *Plan, room, most int) (engine, error)  // where there are no cells
	nearest func(ctx context.Context, p *Plan, room, most int) (engine, error)  // nil: cannot
	tested  func(p *Plan, ctx context.Context) (int64, error)                   // candidates, where there are no cells
	share   func(p *Plan, ctx context.Context, work Work) (Work, func(), error) // nil: threads take rows from the Work itself
	scalar  bool                                                                // computes distances without the kernels
	open    bool                                                                // not for periodic metrics
	extra   func(n, dim int) int64                                              // bytes beyond the plan, for each side of n points; nil: none
}

// implementations are all algorithms.
var implementations = []implementation{
	{name: Grid, cells: (*Plan).gridCells, nearest: nearestIn((*Plan).ringIndex)},
	{name: SuperEGO, within: newJoinEngine, tested: (*Plan).superEGOTested, share: (*Plan).producers, scalar: true, open: true, extra: superego.PredictJoin},
	{name: NewSuperEGO, cells: (*Plan).egoCells, share: inOrder((*Plan).egoCells), open: true, extra: superego.Predict},
	{name: RTree, within: newTreeEngine, tested: (*Plan).rtreeTested, scalar: true, open: true, extra: rtree.Predict},
	{name: KDTree, cells: (*Plan).treeCells, share: inOrder((*Plan).treeCells), nearest: nearestIn((*Plan).treeIndex),
		extra: func(n, dim int) int64 { return kdtree.Predict(n, dim, kdtree.LeafSize(dim)) }},
	{name: Scan, within: newScanEngine, nearest: newScanEngine, tested: func(p *Plan, _ context.Context) (int64, error) {
		return int64(p.Len()) * int64(p.DataLen()), nil
	}},
}

// nearestIn returns a function that makes engines of a nearestIndex.
func nearestIn(index func(*Plan, context.Context) (*nearestIndex, error)) func(context.Context, *Plan, int, int) (engine, error) {
	return func(ctx context.Context, p *Plan, room, _ int) (engine, error) {
		n, err := index(p, ctx)
		if err != nil {
			return nil, err
		}
		return newNearestEngine(p, n, room), nil
	}
}

// note records the algorithm and its kernels.
func (w *implementation) note(ctx context.Context) {
	kernels := kernel.Best().Name
	if w.scalar {
		kernels = "scalar"
	}
	used.Note(ctx, string(w.name), kernels)
}

// names returns the names of the implementations that can selects, separated by
// commas.
func names(can func(w *implementation) bool) string {
	var n []string
	for i := range implementations {
		if can(&implementations[i]) {
			n = append(n, string(implementations[i].name))
		}
	}
	return named.Or(n)
}

// ParseAlgorithm returns the algorithm of that name; "auto" and "" are Auto.
// The error wraps ErrRequest and lists the names.
func ParseAlgorithm(name string) (Algorithm, error) {
	if name == "auto" || name == "" {
		return Auto, nil
	}
	all := each.Of(implementations, func(w implementation) Algorithm { return w.name })
	return named.Value(ErrRequest, "algorithm", all, name)
}

// newEngine returns an engine whose batches have room for about so many neighbours,
// and for at most most of them of a single row.
func (w *implementation) newEngine(ctx context.Context, p *Plan, room, most int) (engine, error) {
	if p.near != nil {
		return w.nearest(ctx, p, room, most)
	}
	if w.cells == nil {
		return w.within(ctx, p, room, most)
	}
	c, err := w.cells(p, ctx)
	if err != nil {
		return nil, err
	}
	return newCellEngine(p, c, room, most), nil
}

// workOf returns the Work from which the threads of a join take their rows, and a
// function to call when they have ended.
func (w *implementation) workOf(ctx context.Context, p *Plan, work Work) (Work, func(), error) {
	if w.share == nil || p.near != nil {
		return work, func() {}, nil
	}
	return w.share(p, ctx, work)
}

// memory returns the bytes of the plan and of what the implementation adds to it.
func (w *implementation) memory(p *Plan) int64 {
	m := p.Memory()
	if w.extra == nil || p.near != nil {
		return m
	}
	m += w.extra(p.Len(), p.query.Dim())
	if !p.self {
		m += w.extra(p.DataLen(), p.query.Dim())
	}
	return m
}

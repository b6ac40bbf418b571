package neighbors

import (
	"context"
	"fmt"
	"sync"

	"skyjoin/internal/grid"
	"skyjoin/internal/kdtree"
)

// nearestIndex returns the index of a Nearest plan: a grid for rings of cells if the
// points are spread evenly in few dimensions, and trees otherwise. The error is that
// of the context.
func (p *Plan) nearestIndex(ctx context.Context) (*nearestIndex, error) {
	return p.nearest.get(func() (*nearestIndex, error) {
		if query, data := p.sources(); p.ringsSuit() == nil && grid.Even(p.threads, query, data) {
			if n, err := p.ringIndex(ctx); err == nil {
				return n, nil
			}
		}
		return p.treeIndex(ctx)
	})
}

// treeIndex returns an index of the trees of both sides.
func (p *Plan) treeIndex(ctx context.Context) (*nearestIndex, error) {
	return p.inTrees.get(func() (*nearestIndex, error) { return p.buildTreeIndex(ctx) })
}

// ringIndex returns an index of grids. The error wraps ErrRequest if rings of
// cells cannot find what the plan asks for.
func (p *Plan) ringIndex(ctx context.Context) (*nearestIndex, error) {
	return p.inRings.get(func() (*nearestIndex, error) { return p.buildRingIndex(ctx) })
}

func (p *Plan) buildTreeIndex(ctx context.Context) (*nearestIndex, error) {
	query, data, err := p.buildTrees(ctx)
	if err != nil {
		return nil, err
	}
	memory := query.Memory()
	if !p.self {
		memory += data.Memory()
	}
	n := p.newNearestIndex(KDTree, &query.Points, memory, func() finder {
		return &treeFinder{query: query, self: p.self, search: kdtree.NewNearest(data, p.nearestK(), p.query.Side)}
	})
	n.tree = data
	return n, nil
}

func (p *Plan) buildRingIndex(ctx context.Context) (*nearestIndex, error) {
	if err := p.ringsSuit(); err != nil {
		return nil, err
	}
	query, data := p.sources()
	g, ok := grid.NewRings(p.threads, pointsPerCell(p.query.Dim(), p.near.K), p.query.Side, query, data)
	if !ok {
		return nil, fmt.Errorf("%w: the points have no extent that a grid could divide; use kdtree or brute", ErrRequest)
	}
	queryGrid, err := g.Build(ctx, query, p.threads)
	if err != nil {
		return nil, err
	}
	dataGrid, memory := queryGrid, queryGrid.Memory()
	if !p.self {
		if dataGrid, err = g.Build(ctx, data, p.threads); err != nil {
			return nil, err
		}
		memory += dataGrid.Memory()
	}
	tree := sync.OnceValue(func() *kdtree.Tree {
		// A background context cannot be cancelled, and nothing else can fail.
		t, _ := kdtree.Build(context.Background(), data.Columns, p.leafSize(), p.threads)
		return t
	})
	return p.newNearestIndex(Grid, &queryGrid.Points, memory, func() finder { return p.newRingFinder(queryGrid, dataGrid, tree) }), nil
}

// ringsSuit returns an error if rings of cells cannot find what the plan asks
// for.
func (p *Plan) ringsSuit() error {
	dim, k := p.query.Dim(), p.near.K
	if dim > ringMaxDim || k > ringMaxK || p.data.Len() < k || p.query.Len() == 0 {
		return fmt.Errorf("%w: the grid finds up to %d nearest neighbours in up to %d dimensions, not %d in %d; use kdtree or brute", ErrRequest, ringMaxK, ringMaxDim, k, dim)
	}
	return nil
}

// leafSize returns how many points the leaves of the plan's trees have at most.
func (p *Plan) leafSize() int {
	if p.near != nil {
		return kdtree.NearLeafSize(p.query.Dim(), p.near.K)
	}
	return kdtree.LeafSize(p.query.Dim())
}

// buildTrees builds the trees of both sides, which are the same in a self-join.
func (p *Plan) buildTrees(ctx context.Context) (query, data *kdtree.Tree, err error) {
	leaf := p.leafSize()
	query, err = kdtree.Build(ctx, p.query.Columns, leaf, p.threads)
	if err != nil || p.self {
		return query, query, err
	}
	data, err = kdtree.Build(ctx, p.data.Columns, leaf, p.threads)
	return query, data, err
}

// A treeFinder finds nearest neighbours in k-d trees: for any dimension, metric, K
// and distribution of the points.
type treeFinder struct {
	query  *kdtree.Tree
	self   bool
	search *kdtree.Nearest
}

func (f *treeFinder) together(positions []uint32) int {
	end := f.query.Start[f.query.Leaf(int(positions[0]))+1]
	n := 1
	for n < len(positions) && positions[n] < end {
		n++
	}
	return n
}

func (f *treeFinder) find(positions []uint32, index []uint32, d2 []float64) {
	f.search.FindAll(f.query, f.query.Leaf(int(positions[0])), positions, f.self, index, d2)
}

// tree returns the k-d tree of the data points of a Nearest plan, and builds it if
// necessary. The error is that of the context.
func (p *Plan) tree(ctx context.Context) (*kdtree.Tree, error) {
	n, err := p.treeIndex(ctx)
	if err != nil {
		return nil, err
	}
	return n.tree, nil
}

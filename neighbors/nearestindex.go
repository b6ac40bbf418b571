package neighbors

import (
	"context"
	"fmt"
	"sync"

	"skyjoin/internal/grid"
	"skyjoin/internal/kdtree"
)

// buildNearest builds the index of a Nearest plan: a grid for rings of cells if
// the points are spread evenly in few dimensions, and else trees.
func (p *Plan) buildNearest(ctx context.Context) (err error) {
	if query, data := p.sources(); p.ringsSuit() == nil && grid.Even(p.threads, query, data) {
		p.nearest, err = p.ringIndex(ctx)
	}
	if p.nearest == nil && ctx.Err() == nil {
		p.nearest, err = p.treeIndex(ctx)
	}
	if err != nil {
		return err
	}
	p.inTree = sync.OnceValues(func() (*nearestIndex, error) {
		if p.nearest.algorithm == KDTree {
			return p.nearest, nil
		}
		return p.treeIndex(context.Background())
	})
	p.inRings = sync.OnceValues(func() (*nearestIndex, error) {
		if p.nearest.algorithm == Grid {
			return p.nearest, nil
		}
		return p.ringIndex(context.Background())
	})
	return ctx.Err()
}

// treeIndex makes an index of the trees of both sides.
func (p *Plan) treeIndex(ctx context.Context) (*nearestIndex, error) {
	query, data, err := p.trees(ctx)
	if err != nil {
		return nil, err
	}
	memory := query.Memory()
	if !p.self {
		memory += data.Memory()
	}
	return p.newNearestIndex(KDTree, &query.Points, memory, func() finder {
		return &treeFinder{query: query, self: p.self, search: kdtree.NewNearest(data, p.nearestK(), p.query.Side)}
	}), nil
}

// ringIndex makes an index of grids. The error wraps ErrRequest if rings of
// cells cannot find what the plan asks for.
func (p *Plan) ringIndex(ctx context.Context) (*nearestIndex, error) {
	if err := p.ringsSuit(); err != nil {
		return nil, err
	}
	query, data := p.sources()
	g, ok := grid.NewRings(p.threads, pointsPerCell(p.query.Dim(), p.near.K), query, data)
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
		// The background cannot be cancelled, and nothing else can fail.
		t, _ := kdtree.Build(context.Background(), data.Columns, p.leafSize(), p.threads)
		return t
	})
	return p.newNearestIndex(Grid, &queryGrid.Points, memory, func() finder { return p.newRingFinder(queryGrid, dataGrid, tree) }), nil
}

// ringsSuit returns an error if rings of cells cannot find what the plan asks
// for.
func (p *Plan) ringsSuit() error {
	dim, k := p.query.Dim(), p.near.K
	if p.query.Side != nil || dim > ringMaxDim || k > ringMaxK || p.data.Len() < k || p.query.Len() == 0 {
		return fmt.Errorf("%w: the grid finds up to %d nearest neighbours in up to %d open dimensions, not %d in %d; use kdtree or brute", ErrRequest, ringMaxK, ringMaxDim, k, dim)
	}
	return nil
}

// leafSize is how many points the leaves of the plan's trees have at most.
func (p *Plan) leafSize() int {
	if p.near != nil {
		return kdtree.NearLeafSize(p.query.Dim(), p.near.K, p.query.Side != nil)
	}
	return kdtree.LeafSize(p.query.Dim())
}

// trees builds the trees of both sides, which are one in a self-join.
func (p *Plan) trees(ctx context.Context) (query, data *kdtree.Tree, err error) {
	leaf := p.leafSize()
	query, err = kdtree.Build(ctx, p.query.columns(), leaf, p.threads)
	if err != nil || p.self {
		return query, query, err
	}
	data, err = kdtree.Build(ctx, p.data.columns(), leaf, p.threads)
	return query, data, err
}

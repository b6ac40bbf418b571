package neighbors

import (
	"context"
	"fmt"
	"sync"

	"skyjoin/internal/column"
	"skyjoin/internal/grid"
	"skyjoin/internal/kdtree"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// An index is what a Plan holds beyond the request. What the plan's own
// algorithm needs is built by Prepare, the rest when it is first asked for.
type index struct {
	threads int

	// Of a Within plan.
	queryGrid *grid.Grid
	dataGrid  *grid.Grid // the same as queryGrid in a self-join
	gridCells *cells
	treeCells func() (*cells, error)

	// Of a Nearest plan.
	nearest *nearestIndex // one of the following
	inTree  func() (*nearestIndex, error)
	inRings func() (*nearestIndex, error)

	position func() []uint32 // of every query row in the order of the index
	costs    func() []int64  // candidates of the queries of each cell

	rivals // for a Within plan carried out by another algorithm
}

// columns returns the columns as the index packages take them.
func (s *Space) columns() []column.Column {
	c := make([]column.Column, len(s.Columns))
	for j := range c {
		c[j] = column.Column(s.Columns[j])
	}
	return c
}

// sources returns both sides as the grid takes them, in a self-join the same.
func (p *Plan) sources() (query, data grid.Source) {
	query = grid.Source{Columns: p.query.columns()}
	if p.self {
		return query, query
	}
	return query, grid.Source{Columns: p.data.columns()}
}

// buildIndex builds the index for the query of the plan.
func (p *Plan) buildIndex(ctx context.Context, in Input) error {
	p.threads = par.Threads(in.Threads)
	dim := p.query.Dim()
	predict := func(n int) int64 { return grid.Predict(n, dim) }
	build := p.buildGrids
	if p.near != nil {
		predict = func(n int) int64 { return kdtree.Predict(n, dim, p.leafSize()) }
		build = p.buildNearest
	}
	need := predict(p.query.Len())
	if !p.self {
		need += predict(p.data.Len())
	}
	if in.Memory > 0 && need > in.Memory {
		return fmt.Errorf("%w: the index needs %d bytes, %d are allowed", ErrMemory, need, in.Memory)
	}
	if err := build(ctx); err != nil {
		return err
	}
	p.position = sync.OnceValue(func() []uint32 { return inverse(p.order(), p.threads) })
	return nil
}

// portablePair is the time of a candidate and dimension in portable kernels, in
// nanoseconds: candidates are dearer than with vectors, so cells are finer.
const portablePair = 0.5

func (p *Plan) buildGrids(ctx context.Context) error {
	query, data := p.sources()
	cfg := grid.Config{Side: p.query.Side, Threads: p.threads, Radius: grid.Reach(p.t)}
	if kernel.Best().Name == kernel.All()[0].Name {
		cfg.Pair = portablePair
	}
	g := grid.NewGeometry(cfg, query, data)
	var err error
	if p.queryGrid, err = g.Build(ctx, query, p.threads); err != nil {
		return err
	}
	p.dataGrid = p.queryGrid
	if !p.self {
		if p.dataGrid, err = g.Build(ctx, data, p.threads); err != nil {
			return err
		}
	}
	p.gridCells = &cells{
		query: &p.queryGrid.Points, data: &p.dataGrid.Points,
		start: p.queryGrid.Start, cell: p.queryGrid.Cell,
		dataStart: p.dataGrid.Start, dataCell: p.dataGrid.Cell,
		position: func() []uint32 { return p.position() },
		finder: func() func(int) found {
			sweep := grid.NewSweep(p.queryGrid, p.dataGrid)
			return func(cell int) found {
				sweep.Visit(cell)
				return found{direct: sweep.Direct, wrap: sweep.Wrapped}
			}
		},
	}
	p.treeCells = sync.OnceValues(p.buildTreeCells)
	p.costs = sync.OnceValue(p.cellCosts)
	return nil
}

// buildTreeCells makes cells of the leaves of trees, for a Within plan.
func (p *Plan) buildTreeCells() (*cells, error) {
	query, data, err := p.trees(context.Background())
	if err != nil {
		return nil, err
	}
	return &cells{
		query: &query.Points, data: &data.Points,
		start: query.Start, cell: query.Leaf,
		dataStart: data.Start, dataCell: data.Leaf,
		position: sync.OnceValue(func() []uint32 { return inverse(query.Rows(), p.threads) }),
		finder: func() func(int) found {
			ranger := kdtree.NewRanger(query, data, p.query.Side, p.t)
			return func(leaf int) found {
				ranger.Visit(leaf)
				if p.query.Side != nil {
					return found{wrap: ranger.Runs, whole: ranger.Whole}
				}
				return found{direct: ranger.Runs, whole: ranger.Whole}
			}
		},
	}, nil
}

// inverse returns the place of every row in an order of all rows.
func inverse(order []uint32, threads int) []uint32 {
	place := make([]uint32, len(order))
	par.Chunks(threads, len(order), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			place[order[i]] = uint32(i)
		}
	})
	return place
}

// order is the query rows in the order of the index.
func (p *Plan) order() []uint32 {
	if p.near != nil {
		return p.nearest.query.ID[:p.Len():p.Len()]
	}
	return p.queryGrid.Rows()
}

// Grid returns the grid of the query points of a Within plan, which is also
// that of the data points in a self-join; nil for a Nearest plan. Positions in
// it are the order in which Work hands out rows.
func (p *Plan) Grid() *grid.Grid { return p.queryGrid }

// DataGrid returns the grid of the data points of a Within plan, of the same
// geometry as Grid.
func (p *Plan) DataGrid() *grid.Grid { return p.dataGrid }

// Memory returns the bytes that the plan's index takes.
func (p *Plan) Memory() int64 {
	if p.near != nil {
		return p.nearest.memory
	}
	m := p.queryGrid.Memory()
	if !p.self {
		m += p.dataGrid.Memory()
	}
	return m
}

// Cost estimates the work of a query row: for Within the number of points in
// its own and the adjacent cells, all of which have to be looked at. For
// Nearest all rows cost the same.
func (p *Plan) Cost(row uint32) int64 {
	if p.near != nil {
		return int64(p.leafSize() + p.near.K)
	}
	return p.costs()[p.queryGrid.Cell(int(p.position()[row]))]
}

// cellCosts counts the candidates of every cell of the query grid.
func (p *Plan) cellCosts() []int64 {
	costs := make([]int64, p.queryGrid.Cells())
	par.Chunks(p.threads, len(costs), func(_, lo, hi int) {
		find := p.gridCells.finder()
		for cell := lo; cell < hi; cell++ {
			f := find(cell)
			costs[cell] = int64(grid.Points(f.direct) + grid.Points(f.wrap))
		}
	})
	return costs
}

package neighbors

import (
	"context"
	"fmt"
	"sync"

	"skyjoin/internal/grid"
	"skyjoin/internal/kdtree"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
	"skyjoin/internal/size"
)

// An index is what a Plan holds beyond the request. Each part is built when it is
// first needed: a joiner with an index of its own needs none.
type index struct {
	threads int
	predict int64 // bytes that the plan's own index may take

	// Of a Within plan.
	grids lazy[grids]
	trees lazy[cells] // cells of the leaves

	// Of a Nearest plan.
	nearest lazy[nearestIndex] // set to one of the following
	inTrees lazy[nearestIndex]
	inRings lazy[nearestIndex]

	otherIndexes // for Within plans that another algorithm carries out
}

// grids is the index of a Within plan.
type grids struct {
	query    *grid.Grid
	data     *grid.Grid // the same as query in a self-join
	cells    cells
	position func() []uint32 // of every query row in the order of the index
	costs    func() []int64  // candidates of the queries of each cell
}

// sources returns both sides in the form that grids take; they are the same in a
// self-join.
func (p *Plan) sources() (query, data grid.Source) {
	query = grid.Source{Columns: p.query.Columns}
	if p.self {
		return query, query
	}
	return query, grid.Source{Columns: p.data.Columns}
}

// planIndex predicts the memory of the index, and returns an error if it exceeds the
// limit.
func (p *Plan) planIndex(in Input) error {
	p.threads = par.Threads(in.Threads)
	dim := p.query.Dim()
	predict := func(n int) int64 { return grid.Predict(n, dim) }
	if p.near != nil {
		predict = func(n int) int64 { return kdtree.Predict(n, dim, p.leafSize()) }
	}
	p.predict = predict(p.query.Len())
	if !p.self {
		p.predict += predict(p.data.Len())
	}
	if in.Memory > 0 && p.predict > in.Memory {
		need, allowed := size.Texts(p.predict, in.Memory)
		return fmt.Errorf("%w: the index needs %s, %s are allowed", ErrMemory, need, allowed)
	}
	return nil
}

// ownIndex builds the index that the plan chooses. The error is that of the context.
func (p *Plan) ownIndex(ctx context.Context) (err error) {
	if p.near != nil {
		_, err = p.nearestIndex(ctx)
	} else {
		_, err = p.inGrids(ctx)
	}
	return err
}

// built returns a part of the index whose construction cannot fail except by
// cancellation.
func built[T any](part func(context.Context) (*T, error)) *T {
	v, err := part(context.Background())
	if err != nil {
		panic("neighbors: " + err.Error())
	}
	return v
}

// portablePair is the time per candidate and dimension in portable kernels, in
// nanoseconds: candidates cost more than with vector instructions, so that cells are
// finer.
const portablePair = 0.2

// inGrids returns the index of a Within plan. The error is that of the context.
func (p *Plan) inGrids(ctx context.Context) (*grids, error) {
	return p.grids.get(func() (*grids, error) { return p.buildGrids(ctx) })
}

func (p *Plan) buildGrids(ctx context.Context) (*grids, error) {
	query, data := p.sources()
	cfg := grid.Config{Side: p.query.Side, Threads: p.threads, Radius: grid.Reach(p.t)}
	if kernel.Best().Name == kernel.All()[0].Name {
		cfg.Pair = portablePair
	}
	g := grid.NewGeometry(cfg, query, data)
	q, err := g.Build(ctx, query, p.threads)
	if err != nil {
		return nil, err
	}
	d := q
	if !p.self {
		if d, err = g.Build(ctx, data, p.threads); err != nil {
			return nil, err
		}
	}
	both := &grids{query: q, data: d}
	both.position = sync.OnceValue(func() []uint32 { return inverse(q.Rows(), p.threads) })
	both.costs = sync.OnceValue(func() []int64 { return both.cellCosts(p.threads) })
	both.cells = cells{
		query: &q.Points, data: &d.Points,
		start: q.Start, cell: q.Cell,
		dataStart: d.Start, dataCell: d.Cell,
		position: both.position,
		finder: func() func(int) found {
			sweep := grid.NewSweep(q, d)
			return func(cell int) found {
				sweep.Visit(cell)
				return found{direct: sweep.Direct, wrap: sweep.Wrapped}
			}
		},
	}
	return both, nil
}

// treeCells makes cells of the leaves of trees, for a Within plan.
func (p *Plan) treeCells(ctx context.Context) (*cells, error) {
	return p.trees.get(func() (*cells, error) { return p.buildTreeCells(ctx) })
}

func (p *Plan) buildTreeCells(ctx context.Context) (*cells, error) {
	query, data, err := p.buildTrees(ctx)
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

// inverse returns the position of every row in an order of all rows.
func inverse(order []uint32, threads int) []uint32 {
	place := make([]uint32, len(order))
	par.Chunks(threads, len(order), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			place[order[i]] = uint32(i)
		}
	})
	return place
}

// order returns the query rows in the order of the index, which it builds.
func (p *Plan) order() []uint32 {
	if p.near != nil {
		return built(p.nearestIndex).order()
	}
	return built(p.inGrids).query.Rows()
}

// Algorithm returns the algorithm that the plan chooses for the CPU, which is what
// Auto stands for: Grid within a radius; for the nearest Grid where the points are
// spread evenly in few dimensions, and KDTree otherwise. It is Auto for the
// nearest until the index has been built, by a join or [Index]: only then are the
// points looked at.
func (p *Plan) Algorithm() Algorithm {
	if p.within != nil {
		return Grid
	}
	if n := p.nearest.built(); n != nil {
		return n.algorithm
	}
	return Auto
}

// builtOrder returns the query rows in the order of the index, nil if it has not
// been built.
func (p *Plan) builtOrder() []uint32 {
	if n := p.nearest.built(); n != nil {
		return n.order()
	}
	if g := p.grids.built(); g != nil {
		return g.query.Rows()
	}
	return nil
}

// queryGrid returns the grid of the query points of a Within plan, which is also
// that of the data points in a self-join. Positions in it are the order in which
// Work hands out rows.
func (p *Plan) queryGrid() *grid.Grid { return built(p.inGrids).query }

// dataGrid returns the grid of the data points of a Within plan, of the same
// geometry as queryGrid.
func (p *Plan) dataGrid() *grid.Grid { return built(p.inGrids).data }

// Memory returns the bytes that the plan's index takes, or is predicted to take
// while it has not been built.
func (p *Plan) Memory() int64 {
	if n := p.nearest.built(); n != nil {
		return n.memory
	}
	if g := p.grids.built(); g != nil {
		return g.memory()
	}
	return p.predict
}

func (g *grids) memory() int64 {
	if g.query == g.data {
		return g.query.Memory()
	}
	return g.query.Memory() + g.data.Memory()
}

// Cost estimates the work of a query row: for Within the number of points in its own
// and the adjacent cells, all of which have to be considered. For Nearest all rows
// cost the same.
func (p *Plan) Cost(row uint32) int64 {
	if p.near != nil {
		return int64(p.leafSize() + p.near.K)
	}
	g := built(p.inGrids)
	return g.costs()[g.query.Cell(int(g.position()[row]))]
}

// cellCosts counts the candidates of every cell of the query grid.
func (g *grids) cellCosts(threads int) []int64 {
	costs := make([]int64, g.query.Cells())
	par.Chunks(threads, len(costs), func(_, lo, hi int) {
		find := g.cells.finder()
		for cell := lo; cell < hi; cell++ {
			f := find(cell)
			costs[cell] = int64(grid.Points(f.direct) + grid.Points(f.wrap))
		}
	})
	return costs
}

// gridCells returns the cells of the plan's own grid.
func (p *Plan) gridCells(ctx context.Context) (*cells, error) {
	g, err := p.inGrids(ctx)
	if err != nil {
		return nil, err
	}
	return &g.cells, nil
}

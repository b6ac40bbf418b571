package neighbors

import (
	"context"
	"sync"

	"skyjoin/internal/column"
	"skyjoin/internal/grid"
	"skyjoin/internal/rtree"
	"skyjoin/internal/superego"
)

// otherIndexes are the indexes of algorithms other than the plan's own, built when first
// needed.
type otherIndexes struct {
	ego      lazy[cells]
	superEGO lazy[superEGO]
	rtree    lazy[rtree.Tree]
}

// sequences puts both sides of the plan into an epsilon grid order; they are the
// same in a self-join.
func (p *Plan) sequences(sort func(*superego.Order, []column.Column) (*superego.Sequence, error)) (query, data *superego.Sequence, err error) {
	q, d := p.query.Columns, []column.Column(nil)
	if !p.self {
		d = p.data.Columns
	}
	order, err := superego.NewOrder(grid.Reach(p.t), q, d)
	if err != nil {
		return nil, nil, err
	}
	query, err = sort(order, q)
	if err != nil || p.self {
		return query, query, err
	}
	data, err = sort(order, d)
	return query, data, err
}

// egoCells makes cells of the leaves of an epsilon grid order.
func (p *Plan) egoCells(ctx context.Context) (*cells, error) {
	return p.ego.get(func() (*cells, error) {
		query, data, err := p.sequences(func(o *superego.Order, c []column.Column) (*superego.Sequence, error) {
			return o.Sort(ctx, c, p.threads)
		})
		if err != nil {
			return nil, err
		}
		leaves := superego.NewLeaves(query, data)
		return &cells{
			query: &query.Points, data: &data.Points,
			start: leaves.Start, cell: leaves.Leaf,
			position:  sync.OnceValue(func() []uint32 { return inverse(query.Rows(), p.threads) }),
			dataStart: data.Start, dataCell: data.Cell,
			finder: func() func(int) found {
				f := superego.NewFinder(leaves, data)
				return func(leaf int) found {
					f.Visit(leaf)
					return found{direct: f.Runs}
				}
			},
		}, nil
	})
}

// inOrder returns a function that replaces the Work of all rows of a plan by Work in
// the order of an algorithm's cells. The plan's own index is then not built; in its
// order, cells would come in pieces and their candidates be searched for repeatedly.
// Any other Work is left as it is.
func inOrder(of func(*Plan, context.Context) (*cells, error)) func(*Plan, context.Context, Work) (Work, func(), error) {
	return func(p *Plan, ctx context.Context, work Work) (Work, func(), error) {
		c, err := of(p, ctx)
		if err != nil {
			return nil, nil, err
		}
		plain, ok := work.(whole)
		if !ok || !plain.takeAll(p) {
			return work, func() {}, nil
		}
		ordered := Watch(NewWork(c.query.ID[:c.query.N:c.query.N], p.Cost), plain.tell)
		return ordered, func() {
			for rows := ordered.Take(p.Len(), 0); rows != nil; rows = ordered.Take(p.Len(), 0) {
				plain.Put(rows)
			}
		}, nil
	}
}

// An rtreeSearch searches the R-tree of a plan.
type rtreeSearch struct {
	p      *Plan
	search *rtree.Search
	point  []float64
}

func (p *Plan) newRTreeSearch(ctx context.Context) (*rtreeSearch, error) {
	tree, err := p.rtree.get(func() (*rtree.Tree, error) { return rtree.Build(ctx, p.data.Columns) })
	if err != nil {
		return nil, err
	}
	return &rtreeSearch{p, tree.NewSearch(), make([]float64, p.query.Dim())}, nil
}

// within finds the data rows within the radius of a query row, including the row
// itself.
func (s *rtreeSearch) within(row uint32) {
	for j, c := range s.p.query.Columns {
		s.point[j] = c.At(int(row))
	}
	s.search.Within(s.point, s.p.t)
}

// list appends the neighbours of a row to the batch.
func (s *rtreeSearch) list(row uint32, b *Batch) {
	s.within(row)
	for k, other := range s.search.Rows {
		if s.p.self && other == row {
			continue
		}
		b.Index = append(b.Index, other)
		if s.p.within.Distance {
			b.Dist = append(b.Dist, s.p.distance(int(row), int(other), s.search.D2[k]))
		}
	}
}

// number counts the neighbours of a row.
func (s *rtreeSearch) number(row uint32) int64 {
	s.within(row)
	n := int64(len(s.search.Rows))
	if s.p.self {
		n--
	}
	return n
}

// newTreeEngine returns an engine that searches an R-tree.
func newTreeEngine(ctx context.Context, p *Plan, room, most int) (engine, error) {
	s, err := p.newRTreeSearch(ctx)
	if err != nil {
		return nil, err
	}
	return &rowEngine{lists: lists{room: room, most: most}, find: s.list, number: s.number}, nil
}

// rtreeTested returns how many points all searches test.
func (p *Plan) rtreeTested(ctx context.Context) (int64, error) {
	s, err := p.newRTreeSearch(ctx)
	if err != nil {
		return 0, err
	}
	for i := range p.Len() {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		s.within(uint32(i))
	}
	return s.search.Tested, nil
}

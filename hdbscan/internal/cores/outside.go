package cores

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"skyjoin/internal/fresh"
	"skyjoin/internal/kdtree"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// An Outside is what a row that is not of the graph reaches first.
type Outside struct {
	Position uint32  // of the row of the least (reachability, row)
	Height   float64 // its reachability; 0 for a row at the same place
}

// Reach returns what each of some points reaches first in the graph, which r has
// built. Their core distances are those to rows of the graph and themselves, each
// of which counts once.
func (r *Request) Reach(ctx context.Context, g *Graph, points *neighbors.Points) ([]Outside, error) {
	if points == nil {
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	n, out := r.Points.Len(), make([]Outside, points.Len())
	if n == 0 {
		return nil, fmt.Errorf("%w: the tree has no rows", neighbors.ErrRequest)
	}
	core := make([]float64, points.Len())
	limit := make([]float64, points.Len())
	place := g.place()
	k, others := 1, 0
	var b *balls
	if r.Weights != nil {
		var err error
		if b, err = newBalls(r.Weights, r.MinSamples); err != nil {
			return nil, err
		}
		k = min(leastListed, n)
	} else {
		others = int(r.MinSamples) - 1
		k = max(others, 1)
	}
	for ; ; k = min(4*k, n) {
		plan, err := neighbors.Prepare(ctx, neighbors.Input{Query: points, Data: r.Points, Metric: r.Metric, Threads: r.Threads, Memory: r.Memory}, neighbors.Nearest{K: k})
		if err != nil {
			return nil, err
		}
		var short atomic.Bool
		err = neighbors.Visit(ctx, r.joiner(), plan, plan.Work(), func(_ int, batch *neighbors.Batch) error {
			for i, row := range batch.Rows {
				list, dist := batch.List(i), batch.Dists(i)
				switch {
				case b != nil:
					if core[row] = b.outside(list, dist); core[row] < 0 {
						short.Store(true)
					}
				case others > 0:
					core[row] = dist[others-1]
				}
				limit[row] = math.Inf(1)
				out[row] = Outside{Position: place[list[0]]}
				if dist[0] == 0 {
					limit[row] = 0
					continue
				}
				for j, q := range list {
					limit[row] = min(limit[row], max(core[row], g.From[place[q]], dist[j]/r.Alpha*moreRounding))
				}
			}
			if r.Progress != nil {
				r.Progress(len(batch.Rows))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if !short.Load() || k == n {
			return out, r.search(ctx, g, plan, core, limit, out)
		}
	}
}

// moreRounding is more than what rounding takes from a height.
const moreRounding = 1 + 0x1p-48

// outside is radius for a point of weight 1 that is none of the rows.
func (b *balls) outside(list []uint32, dist []float64) float64 {
	sum := b.one
	if sum.Compare(b.least) >= 0 {
		return 0
	}
	return b.fill(sum, list, dist)
}

// search finds the rows reached first by points that are not where a row is.
func (r *Request) search(ctx context.Context, g *Graph, plan *neighbors.Plan, core, limit []float64, out []Outside) error {
	s := spaceOf(plan)
	n := s.Len()
	q := &kernel.Points{Data: fresh.Make[float64](g.Threads, s.Dim()*n), Stride: n, N: n, Dim: s.Dim()}
	for c, col := range s.Columns {
		for i := range n {
			q.Data[c*n+i] = col.At(i)
		}
	}
	reach := kdtree.NewReach(g.Tree, g.Measure, g.Side, g.From, nil, g.Threads)
	portions := par.NewPortions(g.Threads, n, 256)
	par.Chunks(g.Threads, g.Threads, func(worker, _, _ int) {
		search := kdtree.NewClosest(reach)
		for ctx.Err() == nil {
			lo, hi, ok := portions.Next(worker)
			if !ok {
				return
			}
			for i := lo; i < hi; i++ {
				if limit[i] == 0 {
					continue // at the place of a row
				}
				f := search.Find(q, i, core[i], 0, search.Leaf(q, i), limit[i])
				out[i] = Outside{f.Position, f.Reach}
			}
		}
	})
	return ctx.Err()
}

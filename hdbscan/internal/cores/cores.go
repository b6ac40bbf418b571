// Package cores computes core distances and the graph of reachability that the
// algorithms of density are about: the nearest neighbours of every row come from
// a joiner, the rest of the graph is left to a k-d tree.
package cores

import (
	"context"
	"fmt"
	"math"

	"skyjoin/internal/each"
	"skyjoin/internal/hook"
	"skyjoin/internal/kdtree"
	"skyjoin/internal/mst"
	"skyjoin/internal/par"
	"skyjoin/internal/size"
	"skyjoin/internal/space"
	"skyjoin/neighbors"
)

// What plans keep out of their public API.
var (
	treeOf  = hook.Get[func(*neighbors.Plan, context.Context) (*kdtree.Tree, error)]("neighbors.KDTree")
	spaceOf = hook.Get[func(*neighbors.Plan) *space.Space]("neighbors.QuerySpace")
)

// A Request says which graph is wanted.
type Request struct {
	Points *neighbors.Points
	Metric neighbors.Metric

	// MinSamples is the rows, or with weights the weight, that the ball of the
	// core distance holds, the row itself included.
	MinSamples float64
	Weights    []float64
	Alpha      float64 // that distances are divided by, 1 for none

	Joiner   neighbors.Joiner // nil: the CPU
	Threads  int
	Memory   int64
	Progress func(rows int) // may be called by several goroutines at once
}

// A Graph is a graph of reachability whose From are the core distances, which
// have not been divided by Alpha.
type Graph struct {
	*mst.Graph
	plan *neighbors.Plan // of the nearest neighbours, until these are there
}

const (
	leastListed = 8       // neighbours that are listed at least
	spareListed = 4       // and beyond those that the core distance needs
	mostListed  = 1 << 15 // and at most
)

// listed returns how many neighbours are listed of each of n rows for core
// distances that need so many others.
func listed(others, n int) int {
	return max(0, min(max(leastListed, others+max(spareListed, others/3)), n-1))
}

// Check validates MinSamples, Weights and Alpha.
func (r *Request) Check() error {
	if r.Points == nil {
		return fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	n, m := r.Points.Len(), r.MinSamples
	if !(r.Alpha >= 1e-100 && r.Alpha <= 1e100) {
		return fmt.Errorf("%w: alpha %v, it must be positive, at least 1e-100 and at most 1e100", neighbors.ErrRequest, r.Alpha)
	}
	if r.Weights == nil {
		switch {
		case !(m >= 1) || m != math.Trunc(m):
			return fmt.Errorf("%w: min-samples %v, it must be a whole number of at least 1: a row counts itself", neighbors.ErrRequest, m)
		case m > float64(n) && n > 0:
			return fmt.Errorf("%w: min-samples %v, which is more than the number of rows, %d", neighbors.ErrRequest, m, n)
		}
		return nil
	}
	if !(m > 0) || math.IsInf(m, 1) {
		return fmt.Errorf("%w: min-samples %v, a sum of weights must be positive and finite", neighbors.ErrRequest, m)
	}
	return CheckWeights(r.Weights, n)
}

// CheckWeights returns an error unless there is a finite weight for each of n
// rows, none of them negative.
func CheckWeights(weights []float64, n int) error {
	if len(weights) != n {
		return fmt.Errorf("%w: %d weights for %d rows", neighbors.ErrRequest, len(weights), n)
	}
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("%w: the weight of row %d is %v, it must be finite and not negative", neighbors.ErrRequest, i, w)
		}
	}
	return nil
}

// Plan returns the plan of the nearest neighbours, and to how many others core distances
// are; 0 with weights.
func (r *Request) Plan(ctx context.Context) (plan *neighbors.Plan, others int, err error) {
	if err := r.Check(); err != nil {
		return nil, 0, err
	}
	if r.Weights == nil {
		others = int(r.MinSamples) - 1
	}
	plan, err = neighbors.Prepare(ctx, neighbors.Input{Query: r.Points, Metric: r.Metric, Threads: par.Threads(r.Threads), Memory: r.Memory},
		neighbors.Nearest{K: max(listed(others, r.Points.Len()), others, 1), Pad: true})
	return plan, others, err
}

// Plant returns a graph without lists, given the core distances of all rows.
func (r *Request) Plant(ctx context.Context, core []float64) (*Graph, error) {
	plan, _, err := r.Plan(ctx)
	if err != nil {
		return nil, err
	}
	tree, err := treeOf(plan, ctx)
	if err != nil {
		return nil, err
	}
	g := r.graph(plan, tree)
	for p, row := range tree.Rows() {
		g.From[p] = core[row]
	}
	return g, nil
}

// graph returns a graph of a plan without lists, and all core distances 0.
func (r *Request) graph(plan *neighbors.Plan, tree *kdtree.Tree) *Graph {
	g := &Graph{Graph: &mst.Graph{
		Tree: tree, Measure: newMeasure(plan.IsAngle(), r.Alpha), Side: spaceOf(plan).Side, Threads: par.Threads(r.Threads),
		From: make([]float64, plan.Len()),
	}}
	g.To = g.From
	return g
}

// Build returns the graph: core distances and lists, not sorted yet. To is the
// same as From.
func (r *Request) Build(ctx context.Context) (*Graph, error) {
	plan, others, err := r.Plan(ctx)
	if err != nil {
		return nil, err
	}
	n := plan.Len()
	k := listed(others, n)
	if err := r.Fits(plan, k); err != nil {
		return nil, err
	}
	tree, err := treeOf(plan, ctx)
	if err != nil {
		return nil, err
	}
	g := r.graph(plan, tree)
	g.plan, g.K, g.Beyond = plan, min(k, mostListed), make([]float32, n)
	g.Near = make([]uint32, n*g.K)
	if r.Weights == nil && !plan.IsAngle() && r.Alpha >= 1 {
		g.Covered = others
	}
	err = r.fill(ctx, g, others)
	g.plan = nil
	return g, err
}

// ownBytes is what a row takes beyond its list and the tree.
const ownBytes = 64

// Fits returns an error if a graph with so many neighbours listed takes more memory than
// is allowed.
func (r *Request) Fits(plan *neighbors.Plan, listed int) error {
	need := plan.Memory() + int64(plan.Len())*int64(4*listed+ownBytes)
	if r.Memory > 0 && need > r.Memory {
		need, allowed := size.Texts(need, r.Memory)
		return fmt.Errorf("%w: the tree needs %s, %s are allowed", neighbors.ErrMemory, need, allowed)
	}
	return nil
}

func (r *Request) joiner() neighbors.Joiner {
	switch j := r.Joiner.(type) {
	case nil:
		return neighbors.CPU{Threads: r.Threads, Memory: r.Memory, Algorithm: neighbors.KDTree}
	case neighbors.CPU:
		if j.Algorithm == neighbors.Auto {
			j.Algorithm = neighbors.KDTree // which is needed anyway
		}
		return j
	}
	return r.Joiner
}

// fill sets core distances, lists and the bounds of what is not listed.
func (r *Request) fill(ctx context.Context, g *Graph, others int) error {
	n := r.Points.Len()
	var balls *balls
	if r.Weights != nil {
		var err error
		if balls, err = newBalls(r.Weights, r.MinSamples); err != nil {
			return err
		}
	}
	if n < 2 {
		return nil
	}
	place := g.place()
	whole := g.K == n-1
	err := neighbors.Visit(ctx, r.joiner(), g.plan, g.plan.Work(), func(_ int, b *neighbors.Batch) error {
		for i, row := range b.Rows {
			p := place[row]
			list, dist := b.List(i), b.Dists(i)
			switch {
			case balls != nil:
				g.From[p] = balls.radius(row, list, dist)
			case others > 0:
				g.From[p] = dist[others-1]
			}
			near := g.Near[int(p)*g.K : (int(p)+1)*g.K]
			for j := range near {
				near[j] = place[list[j]]
			}
			if whole {
				g.Beyond[p] = float32(math.Inf(1))
			} else if last := dist[g.K-1]; last > 0 {
				g.Beyond[p] = mst.Down(max(g.From[p], last/r.Alpha*lessRounding))
			}
		}
		if r.Progress != nil {
			r.Progress(len(b.Rows))
		}
		return nil
	})
	if err != nil || balls == nil {
		return err
	}
	return r.widen(ctx, g, balls, place)
}

// widen finds the core distances of the rows whose lists are too short for
// them, in longer and longer ones.
func (r *Request) widen(ctx context.Context, g *Graph, b *balls, place []uint32) error {
	left := each.Which(len(place), func(row int) bool { return g.From[place[row]] < 0 })
	for k := 4 * g.K; len(left) > 0; k *= 4 {
		plan, err := neighbors.Prepare(ctx, neighbors.Input{Query: r.Points.Subset(left), Data: r.Points, Metric: r.Metric, Threads: r.Threads, Memory: r.Memory},
			neighbors.Nearest{K: min(k, len(place))})
		if err != nil {
			return err
		}
		err = neighbors.Visit(ctx, r.joiner(), plan, plan.Work(), func(_ int, batch *neighbors.Batch) error {
			for i, q := range batch.Rows {
				p := place[left[q]]
				g.From[p] = b.radius(neighbors.None, batch.List(i), batch.Dists(i))
				g.Beyond[p] = max(g.Beyond[p], mst.Down(g.From[p]))
			}
			return nil
		})
		if err != nil {
			return err
		}
		still := left[:0]
		for _, row := range left {
			if g.From[place[row]] < 0 {
				still = append(still, row)
			}
		}
		left = still
	}
	return nil
}

// place returns the position of every row.
func (g *Graph) place() []uint32 {
	place := make([]uint32, g.Tree.Points.N)
	rows := g.Tree.Rows()
	par.Chunks(g.Threads, len(rows), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			place[rows[i]] = uint32(i)
		}
	})
	return place
}

// lessRounding is less than what rounding adds to a height: those of larger
// squares may be smaller by as much.
const lessRounding = 1 - 0x1p-48

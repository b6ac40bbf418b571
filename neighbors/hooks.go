package neighbors

import (
	"context"

	"skyjoin/internal/grid"
	"skyjoin/internal/hook"
	"skyjoin/internal/par"
	"skyjoin/internal/space"
)

// What only other packages of this module may do with a plan or a metric.
func init() {
	// The points as the metric lowered them; in a self-join both are the same.
	hook.Provide("neighbors.QuerySpace", func(p *Plan) *space.Space { return p.query })
	hook.Provide("neighbors.DataSpace", func(p *Plan) *space.Space { return p.data })
	hook.Provide("neighbors.WithoutBox", func(m Metric) Metric { return Metric{scale: m.scale} })
	hook.Provide("neighbors.Place", func(m Metric) func(a, b, c float64) (x, y, z float64) { return m.Kind().place })
	hook.Provide("neighbors.Lower", func(m Metric, p *Points) (*space.Space, error) { return m.lower(p, par.Threads(0)) })
	// The index of a Within plan, built when it is first needed.
	hook.Provide("neighbors.Grids", func(p *Plan) (query, data *grid.Grid) { return p.queryGrid(), p.dataGrid() })
	// A join within a radius that may exceed half of the sides of a box. Its pairs
	// are those of the nearest images.
	hook.Provide("neighbors.PrepareFar", func(ctx context.Context, in Input, radius float64) (*Plan, error) {
		return Prepare(ctx, in, Within{Radius: radius, far: true})
	})
	// The k-d tree of the data points of a Nearest plan.
	hook.Provide("neighbors.KDTree", (*Plan).tree)
	hook.Provide("neighbors.IndexOrder", (*Plan).order)
	hook.Provide("neighbors.Deque", (*Plan).deque)
	hook.Provide("neighbors.Part", (*Plan).part)
}

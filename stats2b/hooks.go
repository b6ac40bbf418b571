package stats2b

import (
	"context"

	"skyjoin/internal/grid"
	"skyjoin/internal/hook"
	"skyjoin/internal/space"
	"skyjoin/neighbors"
)

// What package neighbors keeps out of its public API.
var (
	querySpace = hook.Get[func(*neighbors.Plan) *space.Space]("neighbors.QuerySpace")
	dataSpace  = hook.Get[func(*neighbors.Plan) *space.Space]("neighbors.DataSpace")
	prepareFar = hook.Get[func(ctx context.Context, in neighbors.Input, radius float64) (*neighbors.Plan, error)]("neighbors.PrepareFar")
	grids      = hook.Get[func(*neighbors.Plan) (query, data *grid.Grid)]("neighbors.Grids")
)

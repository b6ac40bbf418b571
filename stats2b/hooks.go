package stats2b

import (
	"skyjoin/internal/grid"
	"skyjoin/internal/hook"
	"skyjoin/internal/space"
	"skyjoin/neighbors"
)

// What package neighbors keeps out of its public API.
var (
	querySpace = hook.Get[func(*neighbors.Plan) *space.Space]("neighbors.QuerySpace")
	dataSpace  = hook.Get[func(*neighbors.Plan) *space.Space]("neighbors.DataSpace")
	grids      = hook.Get[func(*neighbors.Plan) (query, data *grid.Grid)]("neighbors.Grids")
)

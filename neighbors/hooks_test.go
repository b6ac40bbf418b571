package neighbors_test

import (
	"skyjoin/internal/grid"
	"skyjoin/internal/hook"
	"skyjoin/internal/workq"
	"skyjoin/neighbors"
)

// What package neighbors keeps out of its public API.
var (
	grids      = hook.Get[func(*neighbors.Plan) (query, data *grid.Grid)]("neighbors.Grids")
	indexOrder = hook.Get[func(*neighbors.Plan) []uint32]("neighbors.IndexOrder")
	dequeOf    = hook.Get[func(p *neighbors.Plan, rows []uint32, exact bool) *workq.Deque]("neighbors.Deque")
)

package dbscan

import (
	"skyjoin/internal/grid"
	"skyjoin/internal/hook"
	"skyjoin/neighbors"
)

// What package neighbors keeps out of its public API.
var grids = hook.Get[func(*neighbors.Plan) (query, data *grid.Grid)]("neighbors.Grids")

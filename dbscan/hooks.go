package dbscan

import (
	"skyjoin/internal/grid"
	"skyjoin/internal/hook"
	"skyjoin/neighbors"
)

// The clustering of one tile is for package tiles, not part of the public API.
func init() { hook.Provide("dbscan.RunPart", runPart) }

// What package neighbors keeps out of its public API.
var grids = hook.Get[func(*neighbors.Plan) (query, data *grid.Grid)]("neighbors.Grids")

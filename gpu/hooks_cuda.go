//go:build cuda && linux

package gpu

import (
	"skyjoin/internal/hook"
	"skyjoin/internal/space"
	"skyjoin/neighbors"
)

// What package neighbors keeps out of its public API.
var (
	querySpace = hook.Get[func(*neighbors.Plan) *space.Space]("neighbors.QuerySpace")
	dataSpace  = hook.Get[func(*neighbors.Plan) *space.Space]("neighbors.DataSpace")
	lower      = hook.Get[func(neighbors.Metric, *neighbors.Points) (*space.Space, error)]("neighbors.Lower")
)

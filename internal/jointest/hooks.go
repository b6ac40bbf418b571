package jointest

import (
	"skyjoin/internal/hook"
	"skyjoin/internal/space"
	"skyjoin/internal/workq"
	"skyjoin/neighbors"
)

// Functions that package neighbors keeps out of its public API.
var (
	querySpace = hook.Get[func(*neighbors.Plan) *space.Space]("neighbors.QuerySpace")
	indexOrder = hook.Get[func(*neighbors.Plan) []uint32]("neighbors.IndexOrder")
	dequeOf    = hook.Get[func(p *neighbors.Plan, rows []uint32, exact bool) *workq.Deque]("neighbors.Deque")
	partOf     = hook.Get[func(p *neighbors.Plan, query, data []uint32) (*neighbors.Plan, error)]("neighbors.Part")
)

package stats2b

import (
	"skyjoin/internal/grid"
	"skyjoin/internal/hook"
	"skyjoin/internal/space"
	"skyjoin/neighbors"
)

// What other packages of the module may do, and no others: count the pairs of
// one tile, and save a tally.
func init() {
	hook.Provide("stats2b.CountPiece", countPiece)
	hook.Provide("stats2b.CountCrossPiece", countCrossPiece)
	hook.Provide("stats2b.TallyOf", tallyOf)
	hook.Provide("stats2b.Entries", (*Tally).entries)
	hook.Provide("stats2b.Restore", restore)
	hook.Provide("stats2b.Digest", (*Sample).digest)
}

// What package neighbors keeps out of its public API.
var (
	querySpace = hook.Get[func(*neighbors.Plan) *space.Space]("neighbors.QuerySpace")
	dataSpace  = hook.Get[func(*neighbors.Plan) *space.Space]("neighbors.DataSpace")
	grids      = hook.Get[func(*neighbors.Plan) (query, data *grid.Grid)]("neighbors.Grids")
)

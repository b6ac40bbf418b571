//go:build cuda && linux

package gpu

import "skyjoin/neighbors"

// Room returns how many points of a plan, of both sides together, fit the
// memory that is free on the card, with the index and a part of it left for
// results.
func (j *Joiner) Room(p *neighbors.Plan) int {
	free, _, err := j.ctx.Free()
	if err != nil {
		return 0
	}
	dim := int64(p.QuerySpace().Dim())
	// Coordinates as they are given and sorted; keys and rows twice while they
	// are sorted; cells, counts and offsets.
	each := 2*8*dim + 2*12 + 40
	const results = 4 // a part in so many
	return int(max((free-free/results)/each, 1))
}

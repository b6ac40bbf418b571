//go:build cuda && linux

package gpu

import "skyjoin/neighbors"

// forResults is the part of the free memory, one in so many, that is left for
// results.
const forResults = 4

// Room returns how many points of a plan, of both sides together, fit the
// memory that is free on the card, with the index and a part of it left for
// results.
func (j *Joiner) Room(p *neighbors.Plan) int {
	free, _, err := j.ctx.Free()
	if err != nil {
		return 0
	}
	return int(max((free-free/forResults)/j.pointBytes(p), 1))
}

// pointBytes predicts what a point of a plan takes on the card, with its index.
func (j *Joiner) pointBytes(p *neighbors.Plan) int64 {
	if p.Nearest() != nil && !j.cfg.Linear {
		return treeBytes(p)
	}
	return gridBytes(p)
}

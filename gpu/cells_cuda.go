//go:build cuda && linux

package gpu

import (
	"math"

	"skyjoin/internal/cuda"
	"skyjoin/internal/grid"
	"skyjoin/internal/space"
	"skyjoin/neighbors"
)

// A gridLayout chooses the cells of a plan, given the coordinates on the device and
// their extents.
type gridLayout func(q *sequence, p *neighbors.Plan, e []extent, sides [][]cuda.Buffer[float64]) layout

// gridLayoutOf returns how joins within a radius choose their cells. The published
// kernels use cells as wide as the radius, and brute force uses a single cell, in
// which no point may occur twice.
func gridLayoutOf(p Pattern) gridLayout {
	switch p {
	case PatternDefault:
		return fine
	case PatternBrute:
		return func(*sequence, *neighbors.Plan, []extent, [][]cuda.Buffer[float64]) layout { return layout{reach: 1} }
	}
	return wide
}

// wide uses cells as wide as the radius.
var wide = divided(1)

// divided uses cells whose width is the given fraction of the radius.
func divided(reach int) gridLayout {
	return func(_ *sequence, p *neighbors.Plan, e []extent, _ [][]cuda.Buffer[float64]) layout {
		return newLayout(e, grid.Reach(p.SquaredRadius())*slack/float64(reach), reach, querySpace(p).Side, coordinate(spaces(p)...))
	}
}

// fine divides the radius into cells according to the density of the points.
func fine(q *sequence, p *neighbors.Plan, e []extent, sides [][]cuda.Buffer[float64]) layout {
	reach := 1
	if finer[len(e)][0] > 0 {
		reach = fineReach(len(e), crowding(q, p.SquaredRadius(), sides, p.Self()))
	}
	return divided(reach)(q, p, e, sides)
}

const maxTightDim = 3 // in more dimensions there are too many cells around one

// layTight uses cells such that no two points of a cell are further apart than the
// radius, if the layout says that it is tight.
func layTight(q *sequence, p *neighbors.Plan, e []extent, sides [][]cuda.Buffer[float64]) layout {
	radius := math.Sqrt(p.SquaredRadius())
	if len(e) > maxTightDim || querySpace(p).Side != nil || radius < 0x1p-460 {
		l := wide(q, p, e, sides)
		l.tight = false
		return l
	}
	return newLayout(e, radius/math.Sqrt(float64(len(e)))*(1-0x1p-17), 2, nil, coordinate(spaces(p)...))
}

// spaces returns the sides of a plan; one for a self-join.
func spaces(p *neighbors.Plan) []*space.Space {
	if p.Self() {
		return []*space.Space{querySpace(p)}
	}
	return []*space.Space{querySpace(p), dataSpace(p)}
}

// coordinate returns a function that copies a coordinate of the points of all sides.
func coordinate(sides ...*space.Space) func(dim int) []float64 {
	return func(dim int) []float64 {
		var v []float64
		for _, s := range sides {
			for i := range s.Len() {
				v = append(v, s.Columns[dim].At(i))
			}
		}
		return v
	}
}

const (
	crowdThreads = 256
	crowdPerRun  = 4       // queries per block
	crowdQueries = 1 << 10 // queries of the estimate
	crowdSamples = 1 << 14 // rows that they are compared with
)

// crowding estimates the mean number of neighbours of a point from a sample of
// pairs. Distances across the edge of a periodic box are ignored.
func crowding(q *sequence, t float64, sides [][]cuda.Buffer[float64], self bool) float64 {
	query, data := sides[0], sides[len(sides)-1]
	n, rows := query[0].N, data[0].N
	p := crowdParams{X: addresses(query), Y: addresses(data), T: t,
		Queries: uint32(min(n, crowdQueries)), Samples: uint32(min(rows, crowdSamples)), Dim: int32(len(query)), Self: number(self)}
	if p.Queries == 0 || p.Samples == 0 {
		return 0
	}
	p.Step, p.Stride = uint32(n)/p.Queries, uint32(rows)/p.Samples
	found := zeros[uint64](q, 1)
	p.Found = found.Ptr
	launch(q, "crowd", ceilDiv(int(p.Queries), crowdPerRun), crowdThreads, 0, &p)
	return float64(first(q, found)) / float64(p.Queries) * (float64(rows) / float64(p.Samples))
}

// finer are the mean numbers of neighbours from which cells of a half and of a third
// of the radius are faster than whole ones, by dimension: they leave fewer points to
// compare, as long as each cell has enough to keep the lanes of a warp busy.
// Measured on an H100.
var finer = [maxDim + 1][2]float64{
	1: {150, 400},
	2: {150, 400},
	3: {200},
}

// fineReach returns how many cells the radius is divided into for points with that
// many neighbours.
func fineReach(dim int, neighbours float64) int {
	reach := 1
	for i, from := range finer[dim] {
		if from > 0 && neighbours >= from {
			reach = i + 2
		}
	}
	return reach
}

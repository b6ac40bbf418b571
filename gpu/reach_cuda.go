//go:build cuda && linux

package gpu

import (
	"skyjoin/internal/cuda"
	"skyjoin/internal/grid"
	"skyjoin/neighbors"
)

const (
	crowdThreads = 256
	crowdPerRun  = 4       // queries that a block takes
	crowdQueries = 1 << 10 // queries of the estimate
	crowdSamples = 1 << 14 // rows that they are compared with
)

// crowding estimates how many neighbours a point has on average, from a sample of
// pairs. Ways around a periodic box are left out.
func crowding(m *memory, t float64, sides [][]cuda.Buffer[float64], self bool) (float64, error) {
	query, data := sides[0], sides[len(sides)-1]
	n, rows := query[0].N, data[0].N
	p := crowdParams{T: t, Queries: uint32(min(n, crowdQueries)), Samples: uint32(min(rows, crowdSamples)), Dim: int32(len(query))}
	if p.Queries == 0 || p.Samples == 0 {
		return 0, nil
	}
	p.Step, p.Stride = uint32(n)/p.Queries, uint32(rows)/p.Samples
	for j := range query {
		p.X[j], p.Y[j] = query[j].Ptr, data[j].Ptr
	}
	if self {
		p.Self = 1
	}
	var found cuda.Buffer[uint64]
	var sum [1]uint64
	err := firstError(into(&found, m, 1), cuda.Clear(m.stream, found, 0))
	if err != nil {
		return 0, err
	}
	p.Found = found.Ptr
	err = firstError(cuda.Launch(m.stream, "crowd", ceilDiv(int(p.Queries), crowdPerRun), crowdThreads, 0, &p),
		cuda.Download(m.stream, sum[:], found), m.stream.Sync())
	return float64(sum[0]) / float64(p.Queries) * (float64(rows) / float64(p.Samples)), err
}

// finer are the mean numbers of neighbours from which on cells of a half and a
// third of the radius are faster than such of the whole, by dimension: they
// leave fewer points to be compared, as long as each has enough to keep the
// lanes of a warp busy. Measured on an H100.
var finer = [maxDim + 1][2]float64{
	1: {150, 400},
	2: {150, 400},
	3: {200},
}

// fineReach returns into how many cells the radius is divided for points of
// that many neighbours.
func fineReach(dim int, neighbours float64) int {
	reach := 1
	for i, from := range finer[dim] {
		if from > 0 && neighbours >= from {
			reach = i + 2
		}
	}
	return reach
}

// fine cells divide the radius as the density of the points makes it good.
func fine(m *memory, p *neighbors.Plan, e []extent, sides [][]cuda.Buffer[float64]) (layout, error) {
	reach := 1
	if finer[len(e)][0] > 0 {
		neighbours, err := crowding(m, p.SquaredRadius(), sides, p.Self())
		if err != nil {
			return layout{}, err
		}
		reach = fineReach(len(e), neighbours)
	}
	return divided(reach)(m, p, e, sides)
}

// divided cells are the given fraction of the radius wide.
func divided(reach int) laying {
	return func(_ *memory, p *neighbors.Plan, e []extent, _ [][]cuda.Buffer[float64]) (layout, error) {
		return newLayout(e, grid.Reach(p.SquaredRadius())*slack/float64(reach), reach, querySpace(p).Side, values(p)), nil
	}
}

// none is no cells: brute force needs none, and wants no point to stand twice.
func none(*memory, *neighbors.Plan, []extent, [][]cuda.Buffer[float64]) (layout, error) {
	return layout{reach: 1}, nil
}

// laying returns the layout of joins within a radius. The published kernels
// are for cells as wide as that.
func (c *Config) laying() laying {
	switch c.Pattern {
	case PatternDefault:
		return fine
	case PatternBrute:
		return none
	}
	return wide
}

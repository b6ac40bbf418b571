package tiles

import (
	"cmp"
	"math"
	"slices"
)

// A boxPoint is a row of a sample, in the coordinates of Metric.lower.
type boxPoint struct {
	x      []float64
	weight float64 // rows that it stands for, later their work
	rows   float64
}

// cutBox divides the space into a k-d tree of tiles with about the same work.
func cutBox(sample []boxPoint, tiles int, reach float64) []boxNode {
	b := &boxCutter{}
	work := slices.Clone(sample)
	b.weigh(work, reach)
	b.cut(work, tiles)
	return b.nodes
}

type boxCutter struct {
	nodes []boxNode
	tile  int
}

// weigh replaces the weights of points by estimates of their work, from the local
// density: that of the smallest box that repeated halving finds around them.
func (c *boxCutter) weigh(p []boxPoint, reach float64) {
	if len(p) > 2*denseSample {
		axis, spread := widest(p)
		if spread > 0 {
			byAxis(p, axis)
			c.weigh(p[:len(p)/2], reach)
			c.weigh(p[len(p)/2:], reach)
			return
		}
	}
	rows, share := 0.0, 1.0
	for i := range p {
		rows += p[i].weight
	}
	if len(p) > 0 {
		for j := range p[0].x {
			lo, hi := extent(p, j)
			// A box of about the volume of the ball, 2 reach wide at most.
			share *= min(1, 1.7*reach/max(hi-lo, math.SmallestNonzeroFloat64))
		}
	}
	for i := range p {
		p[i].weight *= rowWork + rows*share
	}
}

// cut makes the tree for the tiles of some points, whose weight is their work.
func (c *boxCutter) cut(p []boxPoint, tiles int) (node int) {
	node = len(c.nodes)
	c.nodes = append(c.nodes, boxNode{Axis: -1, Left: c.tile})
	if tiles == 1 {
		c.tile++
		return node
	}
	n := boxNode{}
	at := 0
	if len(p) > 0 {
		n.Axis, _ = widest(p)
		byAxis(p, n.Axis)
		total, sum := 0.0, 0.0
		for i := range p {
			total += p[i].weight
		}
		for sum < total*float64(tiles/2)/float64(tiles) && at < len(p)-1 {
			sum += p[at].weight
			at++
		}
		n.Cut = p[at].x[n.Axis]
		for at > 0 && p[at-1].x[n.Axis] == n.Cut { // equal coordinates are on one side
			at--
		}
	}
	n.Left = c.cut(p[:at], tiles/2)
	n.Right = c.cut(p[at:], tiles-tiles/2)
	c.nodes[node] = n
	return node
}

// widest returns the coordinate with the largest spread.
func widest(p []boxPoint) (axis int, spread float64) {
	for j := range p[0].x {
		if lo, hi := extent(p, j); hi-lo > spread {
			axis, spread = j, hi-lo
		}
	}
	return axis, spread
}

func extent(p []boxPoint, axis int) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := range p {
		lo, hi = min(lo, p[i].x[axis]), max(hi, p[i].x[axis])
	}
	return lo, hi
}

func byAxis(p []boxPoint, axis int) {
	slices.SortFunc(p, func(a, b boxPoint) int { return cmp.Compare(a.x[axis], b.x[axis]) })
}

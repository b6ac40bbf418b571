package tiles

import (
	"math"

	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// A boxDivision gives each tile one leaf of a k-d tree. The tree is built over the
// coordinates in which distances are measured: divided by the scales, reduced to the
// box, or positions in space.
type boxDivision struct {
	lowering
	nodes  []boxNode
	leaves int
	reach  float64
}

// A boxNode splits space: below the cut in coordinate Axis is the node Left, above
// it the node Right. A leaf has Axis -1 and is tile Left.
type boxNode struct {
	Axis  int     `json:"axis"`
	Cut   float64 `json:"cut"`
	Left  int     `json:"left"`
	Right int     `json:"right"`
}

func newBoxDivision(m Metric, nodes []boxNode, reach float64) *boxDivision {
	d := &boxDivision{lowering: m.lowering(), nodes: nodes, reach: reach * (1 + 1e-9)}
	for _, n := range nodes {
		if n.Axis < 0 {
			d.leaves++
		}
	}
	return d
}

func (d *boxDivision) tiles() int { return d.leaves }

func (d *boxDivision) complete() {}

func (d *boxDivision) place(p *neighbors.Points, row int, s *scratch) (owner int32, near []int32) {
	s.x = d.row(s.x[:0], p, row)
	return d.at(s)
}

// at is place for the coordinates s.x.
func (d *boxDivision) at(s *scratch) (owner int32, near []int32) {
	node := 0
	for d.nodes[node].Axis >= 0 {
		n := &d.nodes[node]
		if node = n.Right; s.x[n.Axis] < n.Cut {
			node = n.Left
		}
	}
	s.lo, s.hi = append(s.lo[:0], s.x...), append(s.hi[:0], s.x...)
	s.near = s.near[:0]
	d.images(0, s)
	return int32(d.nodes[node].Left), s.near
}

// images collects the tiles within reach of the box [lo, hi] and, along the axes
// from axis on, of its periodic images.
func (d *boxDivision) images(axis int, s *scratch) {
	for ; axis < len(s.lo); axis++ {
		side := d.period(axis)
		if side == 0 {
			continue
		}
		lo, hi := s.lo[axis], s.hi[axis]
		for _, shift := range [...]float64{-side, side} {
			if lo+shift-d.reach <= side && hi+shift+d.reach >= 0 {
				s.lo[axis], s.hi[axis] = lo+shift, hi+shift
				d.images(axis+1, s)
			}
		}
		s.lo[axis], s.hi[axis] = lo, hi
	}
	d.collect(0, s)
}

// collect adds the tiles below a node that are within reach of the box.
func (d *boxDivision) collect(node int, s *scratch) {
	for {
		n := &d.nodes[node]
		if n.Axis < 0 {
			for _, t := range s.near {
				if t == int32(n.Left) {
					return
				}
			}
			s.near = append(s.near, int32(n.Left))
			return
		}
		// Coordinates are rounded, and so are their differences.
		slack := d.reach + 1e-14*(math.Abs(n.Cut)+d.reach)
		left, right := s.lo[n.Axis] < n.Cut+slack, s.hi[n.Axis] >= n.Cut-slack
		if left && right {
			d.collect(n.Left, s)
		}
		if node = n.Right; !right {
			node = n.Left
		}
	}
}

func (d *boxDivision) touch(b []catalog.Interval, tiles map[int32]bool) {
	s := &scratch{}
	for j, v := range b {
		if v.Lo > v.Hi {
			return
		}
		lo, hi := d.bounds(j, v)
		s.lo, s.hi = append(s.lo, lo), append(s.hi, hi)
	}
	d.images(0, s)
	for _, t := range s.near {
		tiles[t] = true
	}
}

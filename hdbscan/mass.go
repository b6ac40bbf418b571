package hdbscan

import (
	"fmt"
	"math"

	"skyjoin/hdbscan/internal/cores"
	"skyjoin/internal/exact"
	"skyjoin/internal/linkage"
	"skyjoin/neighbors"
)

// rowScale is the scale in which every row weighs one unit.
var rowScale = exact.NewScale(1 << 51)

// weigh sets the weights of rows and nodes.
func (t *Tree) weigh(weights []float64) {
	t.scale = rowScale
	if weights == nil {
		return
	}
	t.scale = cores.ScaleOf(weights)
	t.fixed = make([]int64, len(weights))
	t.mass = make([]exact.Sum, len(t.link.Height))
	for p, row := range t.rows {
		t.fixed[p] = t.scale.Fixed(weights[row])
		if above := t.link.Above[p]; above != linkage.None {
			t.mass[above].Add(t.fixed[p])
		}
	}
	for node, parent := range t.link.Parent {
		if parent != linkage.None {
			t.mass[parent].AddSum(t.mass[node])
		}
	}
}

// massOf returns the weight of a node, in units of the scale.
func (t *Tree) massOf(node int) (m exact.Sum) {
	if t.mass != nil {
		return t.mass[node]
	}
	m.Add(int64(t.link.Size[node]))
	return m
}

// rowMass returns the weight of the row at a position.
func (t *Tree) rowMass(p int) (m exact.Sum) {
	if t.fixed == nil {
		m.Add(1)
	} else {
		m.Add(t.fixed[p])
	}
	return m
}

// allMass returns the weight of all rows.
func (t *Tree) allMass() exact.Sum {
	switch n := t.Len(); {
	case n > 1:
		return t.massOf(len(t.link.Height) - 1)
	case n == 1:
		return t.rowMass(0)
	}
	return exact.Sum{}
}

// minMass returns the smallest weight in units that is at least size. what names size
// in errors.
func (t *Tree) minMass(what string, size, least float64) (exact.Sum, error) {
	if math.IsNaN(size) || math.IsInf(size, 0) {
		return exact.Sum{}, fmt.Errorf("%w: %s %v, it must be finite", neighbors.ErrRequest, what, size)
	}
	if t.fixed == nil && (size < least || size != math.Trunc(size)) {
		return exact.Sum{}, fmt.Errorf("%w: %s %v, it must be a whole number of at least %v", neighbors.ErrRequest, what, size, least)
	}
	if size <= 0 {
		return exact.Sum{}, fmt.Errorf("%w: %s %v, a sum of weights must be positive", neighbors.ErrRequest, what, size)
	}
	return t.scale.Ceil(size), nil
}

// heavy reports whether the row at a position has enough weight alone.
func (t *Tree) heavy(p int, least exact.Sum) bool {
	return t.fixed != nil && t.rowMass(p).Compare(least) >= 0
}

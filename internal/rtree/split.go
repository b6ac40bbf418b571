package rtree

import (
	"cmp"
	"math"
	"slices"
)

// splitIfOver splits a node that has too many entries in two, and returns the
// second. Entries are sorted along one dimension and cut where the boxes of
// both parts have the smallest sides together: of all dimensions and cuts, the
// best.
//
// Source: Beckmann et al., The R*-tree (SIGMOD 1990), §4.2, with the sum of the
// sides alone to decide.
func (t *Tree) splitIfOver(n *node) *node {
	count := n.count()
	if count <= most {
		return nil
	}
	order, best := make([]int, count), make([]int, count)
	bestCut, bestSize := count/2, math.Inf(1)
	for j := range t.dim {
		for k := range order {
			order[k] = k
		}
		slices.SortFunc(order, func(a, b int) int {
			aLo, aHi := t.entry(n, a)
			bLo, bHi := t.entry(n, b)
			return cmp.Or(cmp.Compare(aLo[j], bLo[j]), cmp.Compare(aHi[j], bHi[j]), cmp.Compare(a, b))
		})
		if j == 0 {
			copy(best, order)
		}
		ahead, behind := t.sizes(n, order, false), t.sizes(n, order, true)
		for cut := least; cut <= count-least; cut++ {
			if size := ahead[cut-1] + behind[cut]; size < bestSize {
				bestCut, bestSize = cut, size
				copy(best, order)
			}
		}
	}
	first, second := t.part(n, best[:bestCut]), t.part(n, best[bestCut:])
	*n = *first
	return second
}

// sizes returns, for every place in an order of entries, the sum of the sides
// of the box of all entries up to it, or from it on if reverse.
func (t *Tree) sizes(n *node, order []int, reverse bool) []float64 {
	sizes := make([]float64, len(order))
	box := make([]float64, 2*t.dim)
	for j := range t.dim {
		box[j], box[t.dim+j] = math.Inf(1), math.Inf(-1)
	}
	for i := range order {
		if reverse {
			i = len(order) - 1 - i
		}
		lo, hi := t.entry(n, order[i])
		for j := range t.dim {
			box[j] = min(box[j], lo[j])
			box[t.dim+j] = max(box[t.dim+j], hi[j])
			sizes[i] += (box[t.dim+j] - box[j]) / t.extent[j]
		}
	}
	return sizes
}

// part returns a node of some of the entries of n.
func (t *Tree) part(n *node, entries []int) *node {
	wide := 2 * t.dim
	if n.isLeaf() {
		wide = t.dim
	}
	p := &node{box: make([]float64, 0, wide*(most+1))}
	for _, k := range entries {
		p.box = append(p.box, n.box[wide*k:wide*(k+1)]...)
		if n.isLeaf() {
			p.rows = append(p.rows, n.rows[k])
		} else {
			p.children = append(p.children, n.children[k])
		}
	}
	return p
}

package kdtree

// Levels returns how many times the points have been halved: nodes are
// numbered level by level, the children of node i are 2i+1 and 2i+2, and leaf
// k is node 2^Levels - 1 + k.
func (t *Tree) Levels() int { return t.levels }

// Span returns the points of a node, [lo, hi) in the order of the leaves.
func (t *Tree) Span(node int) (lo, hi uint32) { return t.span(node) }

// Box returns the least and the largest coordinates of the points of a node.
// They must not be changed.
func (t *Tree) Box(node int) (least, most []float64) {
	d := t.Points.Dim
	box := t.box[2*d*node : 2*d*(node+1) : 2*d*(node+1)]
	return box[:d:d], box[d:]
}

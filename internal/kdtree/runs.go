package kdtree

import "skyjoin/internal/kernel"

// A Ranger finds, for the leaves of one tree, the runs of points of another
// that can be within a threshold of a point of the leaf. It belongs to one
// goroutine.
type Ranger struct {
	// Runs are the candidates of the leaf last visited, in ascending order,
	// and Whole those of which every point is within the threshold of every
	// point of the leaf.
	Runs, Whole []kernel.Run

	query, data *Tree
	side        []float64
	t           float64
	stack       []int
}

// NewRanger returns a Ranger for d² ≤ t. side is nil or has the periods.
func NewRanger(query, data *Tree, side []float64, t float64) *Ranger {
	return &Ranger{query: query, data: data, side: side, t: t}
}

// Visit sets Runs and Whole for a leaf of the query tree.
func (r *Ranger) Visit(leaf int) {
	r.Runs, r.Whole = r.Runs[:0], r.Whole[:0]
	query, firstLeaf := r.query.Leaves()-1+leaf, r.data.Leaves()-1
	r.stack = append(r.stack[:0], 0)
	for len(r.stack) > 0 {
		node := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		least, most := r.bounds(query, node)
		switch {
		case least > r.t:
		case most <= r.t:
			r.Whole = r.add(r.Whole, node)
		case node < firstLeaf:
			r.stack = append(r.stack, 2*node+2, 2*node+1)
		default:
			r.Runs = r.add(r.Runs, node)
		}
	}
}

// add appends the points of a node to runs.
func (r *Ranger) add(runs []kernel.Run, node int) []kernel.Run {
	lo, hi := r.data.span(node)
	if n := len(runs); n > 0 && runs[n-1].Hi == lo {
		runs[n-1].Hi = hi
		return runs
	}
	return append(runs, kernel.Run{Lo: lo, Hi: hi})
}

// bounds returns a lower and an upper bound of d² of the points of two nodes,
// see [Nearest.bound].
func (r *Ranger) bounds(query, data int) (least, most float64) {
	dim := r.data.Points.Dim
	a := r.query.box[2*dim*query : 2*dim*(query+1)]
	b := r.data.box[2*dim*data : 2*dim*(data+1)]
	for c := range dim {
		near := max(a[c]-b[dim+c], b[c]-a[dim+c], 0)
		far := max(a[dim+c]-b[c], b[dim+c]-a[c])
		if r.side != nil && r.side[c] > 0 {
			near = wrapBound(near, far, r.side[c])
		}
		least += float64(near * near)
		most += float64(far * far)
	}
	return least, most
}

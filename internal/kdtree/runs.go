package kdtree

import (
	"math"

	"skyjoin/internal/kernel"
)

// A Ranger finds, for the leaves of one tree, the runs of points of another
// that can be within a threshold of a point of the leaf. It belongs to one
// goroutine.
type Ranger struct {
	// Runs are the candidates of the leaf last visited, in ascending order.
	Runs []kernel.Run

	query, data *Tree
	side        []float64
	t           float64
	stack       []int
}

// NewRanger returns a Ranger for d² ≤ t. side is nil or has the periods.
func NewRanger(query, data *Tree, side []float64, t float64) *Ranger {
	return &Ranger{query: query, data: data, side: side, t: t}
}

// Visit sets Runs for a leaf of the query tree.
func (r *Ranger) Visit(leaf int) {
	r.Runs = r.Runs[:0]
	firstQuery, firstLeaf := r.query.Leaves()-1, r.data.Leaves()-1
	r.stack = append(r.stack[:0], 0)
	for len(r.stack) > 0 {
		node := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		if r.bound(firstQuery+leaf, node) > r.t {
			continue
		}
		if node < firstLeaf {
			r.stack = append(r.stack, 2*node+2, 2*node+1)
			continue
		}
		run := kernel.Run{Lo: r.data.Start[node-firstLeaf], Hi: r.data.Start[node-firstLeaf+1]}
		if n := len(r.Runs); n > 0 && r.Runs[n-1].Hi == run.Lo {
			r.Runs[n-1].Hi = run.Hi
		} else if run.Lo < run.Hi {
			r.Runs = append(r.Runs, run)
		}
	}
}

// bound returns a lower bound of d² of the points of two nodes, see
// [Nearest.bound].
func (r *Ranger) bound(query, data int) float64 {
	dim := r.data.Points.Dim
	a := r.query.box[2*dim*query : 2*dim*(query+1)]
	b := r.data.box[2*dim*data : 2*dim*(data+1)]
	var sum float64
	for c := range dim {
		d := max(a[c]-b[dim+c], b[c]-a[dim+c], 0)
		if r.side != nil && r.side[c] > 0 {
			d = wrapBound(d, max(math.Abs(a[c]-b[dim+c]), math.Abs(a[dim+c]-b[c])), r.side[c])
		}
		sum += float64(d * d)
	}
	return sum
}

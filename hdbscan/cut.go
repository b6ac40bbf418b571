package hdbscan

import (
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/exact"
	"skyjoin/neighbors"
)

// Cut returns the labels of DBSCAN* at eps: rows whose core distances are at most
// eps, connected where their mutual reachability distance is. Clusters that have,
// or with weights weigh, less than minSize are noise; 0 keeps all. They are
// numbered by their lowest rows, as by dbscan.Run with Star. eps is a height, at
// which all that is closer, or exactly as close, is in one cluster. Errors wrap
// neighbors.ErrRequest.
func (t *Tree) Cut(eps, minSize float64) ([]int32, error) {
	if !(eps >= 0) {
		return nil, fmt.Errorf("%w: eps %v, it must be positive", neighbors.ErrRequest, eps)
	}
	var least exact.Sum
	if minSize != 0 {
		var err error
		if least, err = t.minMass("min-cluster-size", minSize, 1); err != nil {
			return nil, err
		}
	}
	top := t.tops(eps)
	// Components by their lowest row.
	labels := make([]int32, t.Len())
	place := make([]uint32, t.Len())
	for p, row := range t.rows {
		place[row] = uint32(p)
	}
	label := make(map[uint32]int32) // of a node
	next := int32(0)
	for row, p := range place {
		labels[row] = Noise
		switch node := top[p]; {
		case t.graph.From[p] > eps:
		case node == alone:
			if t.rowMass(int(p)).Compare(least) >= 0 {
				labels[row] = next
				next++
			}
		case t.massOf(int(node)).Compare(least) >= 0:
			l, ok := label[node]
			if !ok {
				l = next
				label[node] = l
				next++
			}
			labels[row] = l
		}
	}
	return labels, nil
}

// alone is the node of a row that is not connected to any.
const alone uint32 = math.MaxUint32

// tops returns the highest node at eps or below of every position.
func (t *Tree) tops(eps float64) []uint32 {
	n, _ := slices.BinarySearchFunc(t.link.Height, eps, func(h, eps float64) int {
		if h <= eps {
			return -1
		}
		return 1
	})
	up := make([]uint32, n) // of the nodes there
	for node := n - 1; node >= 0; node-- {
		up[node] = uint32(node)
		if p := t.link.Parent[node]; int(p) < n {
			up[node] = up[p]
		}
	}
	top := make([]uint32, t.Len())
	for p, above := range t.link.Above {
		top[p] = alone
		if int(above) < n {
			top[p] = up[above]
		}
	}
	return top
}

// A Level is the clusters of DBSCAN* at one eps, without labels.
type Level struct {
	Eps      float64
	Clusters int64
	Noise    int64 // rows of none
}

// Sweep returns how many clusters DBSCAN* has at each eps, single rows whose core
// distances are small enough among them, and how many rows are noise.
func (t *Tree) Sweep(eps []float64) []Level {
	cores := slices.Clone(t.graph.From)
	slices.Sort(cores)
	upTo := func(v []float64, eps float64) int64 {
		n, _ := slices.BinarySearchFunc(v, eps, func(x, eps float64) int {
			if x <= eps {
				return -1
			}
			return 1
		})
		return int64(n)
	}
	heights := make([]float64, len(t.edges))
	for i, e := range t.edges {
		heights[i] = e.Height
	}
	levels := make([]Level, len(eps))
	for i, e := range eps {
		core := upTo(cores, e)
		levels[i] = Level{e, core - upTo(heights, e), int64(t.Len()) - core}
	}
	return levels
}

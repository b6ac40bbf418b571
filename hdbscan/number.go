package hdbscan

import (
	"cmp"
	"math"
	"slices"

	"skyjoin/internal/exact"
)

// number numbers the clusters as scikit-learn does: those of one split follow
// each other, splits by how deep they are in the dendrogram, then from left to
// right.
//
// The depth of a split is the number of nodes above it in a dendrogram of
// branches of two: the children dropped on the way there, and the splits. Its
// left child is that which is reached first from row 0, the others follow by
// their lowest rows.
func (c *Condensed) number(d *descent) {
	n := len(d.found)
	kids := make([][]int32, n)
	for id := 1; id < n; id++ {
		p := d.found[id].parent
		kids[p] = append(kids[p], int32(id))
	}
	if n > 1 {
		c.arrange(d, kids)
	}
	depth := make([]int64, n) // of the split of a cluster
	depth[0] = d.found[0].dropped
	var splits []int32 // from left to right
	stack := []int32{0}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if len(kids[id]) == 0 {
			continue
		}
		splits = append(splits, id)
		for i := len(kids[id]) - 1; i >= 0; i-- {
			k := kids[id][i]
			depth[k] = depth[id] + 1 + d.found[k].dropped
			stack = append(stack, k)
		}
	}
	slices.SortStableFunc(splits, func(a, b int32) int { return cmp.Compare(depth[a], depth[b]) })
	to := make([]int32, n) // new number
	next := int32(1)
	for _, s := range splits {
		for _, k := range kids[s] {
			to[k] = next
			next++
		}
	}
	c.renumber(d, to, kids)
}

// arrange brings the children of all splits in order.
func (c *Condensed) arrange(d *descent, kids [][]int32) {
	n := len(d.found)
	first := make([]uint32, n) // least visit of the rows of a cluster
	low := make([]uint32, n)   // and lowest row
	gone := make([]uint32, n)  // least visit of the rows that leave at its split
	for id := range first {
		first[id], low[id], gone[id] = math.MaxUint32, math.MaxUint32, math.MaxUint32
	}
	for p, id := range c.cluster {
		first[id], low[id] = min(first[id], d.visit[p]), min(low[id], d.rows[p])
		if c.height[p] == d.found[id].death {
			gone[id] = min(gone[id], d.visit[p])
		}
	}
	for id := n - 1; id > 0; id-- { // rows that are clusters alone have no children
		p := d.found[id].parent
		first[p], low[p] = min(first[p], first[id]), min(low[p], low[id])
	}
	for id, k := range kids {
		if len(k) == 0 {
			continue
		}
		entry := slices.MinFunc(k, func(a, b int32) int { return cmp.Compare(first[a], first[b]) })
		if d.options.Ties == TiesTogether && first[entry] > gone[id] {
			entry = -1 // what is reached first is in none of them
		}
		slices.SortFunc(k, func(a, b int32) int {
			switch entry {
			case a:
				return -1
			case b:
				return 1
			}
			return cmp.Compare(low[a], low[b])
		})
	}
}

// renumber gives clusters and rows their numbers.
func (c *Condensed) renumber(d *descent, to []int32, kids [][]int32) {
	n := len(to)
	c.Clusters, c.children, c.worth, c.mass = make([]Cluster, n), make([][]int32, n), make([]stability, n), make([]exact.Sum, n)
	for id, b := range d.found {
		parent := b.parent
		if parent >= 0 {
			parent = to[parent]
		}
		c.Clusters[to[id]] = Cluster{Parent: parent, Birth: b.birth, Death: b.death, Rows: b.rows, Weight: d.scale.Float(b.mass)}
		c.worth[to[id]], c.mass[to[id]] = b.worth, b.mass
		for i, k := range kids[id] {
			kids[id][i] = to[k]
		}
		c.children[to[id]] = kids[id]
	}
	for p, id := range c.cluster {
		c.cluster[p] = to[id]
	}
}

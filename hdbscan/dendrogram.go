package hdbscan

// A Merge is a row of a linkage matrix as SciPy has it: clusters A < B become one
// at a height. Ids below the number of rows n are rows; n+i is what merge i makes.
type Merge struct {
	A, B   int64
	Height float64
	Rows   int64 // of the new cluster
}

// Linkage returns the dendrogram in the layout of SciPy: branches of two, heights
// ascending. Edges of one height are merged in their order: that of Edges, or
// with TiesSklearn that in which scikit-learn merges.
func (t *Tree) Linkage() []Merge {
	edges := t.edges
	if t.options.Ties == TiesSklearn {
		edges = t.order
	}
	n := t.Len()
	merges := make([]Merge, 0, len(edges))
	set := make([]uint32, n)
	id := make([]int64, n) // of the root of a set
	for p := range set {
		set[p], id[p] = uint32(p), int64(t.rows[p])
	}
	rows := func(id int64) int64 {
		if id < int64(n) {
			return 1
		}
		return merges[id-int64(n)].Rows
	}
	for i, e := range edges {
		a, b := root(set, e.A), root(set, e.B)
		m := Merge{min(id[a], id[b]), max(id[a], id[b]), e.Height, rows(id[a]) + rows(id[b])}
		if rows(id[a]) < rows(id[b]) {
			a, b = b, a
		}
		set[b] = a
		id[a] = int64(n + i)
		merges = append(merges, m)
	}
	return merges
}

func root(set []uint32, p uint32) uint32 {
	for set[p] != p {
		set[p] = set[set[p]]
		p = set[p]
	}
	return p
}

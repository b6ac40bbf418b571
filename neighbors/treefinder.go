package neighbors

import "skyjoin/internal/kdtree"

// A treeFinder finds nearest neighbours in k-d trees: any dimension, metric, K
// and spread of the points.
type treeFinder struct {
	query  *kdtree.Tree
	self   bool
	search *kdtree.Nearest
}

func (f *treeFinder) together(positions []uint32) int {
	end := f.query.Start[f.query.Leaf(int(positions[0]))+1]
	n := 1
	for n < len(positions) && positions[n] < end {
		n++
	}
	return n
}

func (f *treeFinder) find(positions []uint32, index []uint32, d2 []float64) {
	f.search.FindAll(f.query, f.query.Leaf(int(positions[0])), positions, f.self, index, d2)
}

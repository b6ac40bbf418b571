package neighbors

// A Query says which neighbours are asked for: [Within] or [Nearest].
type Query interface{ isQuery() }

// Within asks for all rows within Radius. The unit of Radius is that of the
// coordinates; with the sky metric without scales it is radians, and with
// scales it is a pure number.
type Within struct {
	Radius   float64 // positive and finite; on the sky at most π
	Distance bool    // fill Table.Dist

	// The radius may be over half of the sides of a box: pairs are still those
	// of the nearest images.
	far bool
}

// Nearest asks for the K nearest rows, ordered by (d², row). Distances are
// always filled. K larger than the rows there are (without the row itself in
// a self-join) is an error, unless Pad fills the missing places with
// neighbour [None] and distance +Inf.
type Nearest struct {
	K   int
	Pad bool
}

func (Within) isQuery()  {}
func (Nearest) isQuery() {}

// An Algorithm carries out plans on the CPU. All give the same answer.
type Algorithm string

const (
	Auto        Algorithm = ""            // chosen by the plan
	Grid        Algorithm = "grid"        // sparse grid of cells; for Nearest up to K 3072 in 3 dimensions
	SuperEGO    Algorithm = "superego"    // epsilon grid order, recursive join, producers and consumers
	NewSuperEGO Algorithm = "newsuperego" // epsilon grid order, work queue, vector kernels
	RTree       Algorithm = "rtree"       // R-tree by insertion
	KDTree      Algorithm = "kdtree"      // flat k-d tree
	Scan        Algorithm = "brute"       // every pair
)

package rtree

// A Search finds points in a tree. It belongs to one goroutine.
type Search struct {
	// Rows and D2 are the rows found last, in any order, and their d².
	Rows []uint32
	D2   []float64
	// Tested counts the points that have been looked at, in all searches.
	Tested int64

	t     *Tree
	stack []*node
}

// NewSearch returns a Search in the tree.
func (t *Tree) NewSearch() *Search { return &Search{t: t} }

// Within finds all rows with d² ≤ t from a point, d² being summed in the order
// of the coordinates.
func (s *Search) Within(point []float64, t float64) {
	dim := s.t.dim
	s.Rows, s.D2 = s.Rows[:0], s.D2[:0]
	s.stack = append(s.stack[:0], s.t.root)
	for len(s.stack) > 0 {
		n := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if !n.isLeaf() {
			for k, child := range n.children {
				if boxSquare(point, n.box[2*dim*k:2*dim*(k+1)]) <= t {
					s.stack = append(s.stack, child)
				}
			}
			continue
		}
		s.Tested += int64(len(n.rows))
		for k, row := range n.rows {
			var d2 float64
			for j, y := range n.box[dim*k : dim*(k+1)] {
				x := point[j] - y
				d2 += float64(x * x)
			}
			if d2 <= t {
				s.Rows = append(s.Rows, row)
				s.D2 = append(s.D2, d2)
			}
		}
	}
}

// boxSquare is a lower bound of the computed d² of a point and any point in a
// box: every difference is rounded, squared and added in the same order, and
// rounding keeps order.
func boxSquare(point, box []float64) float64 {
	var sum float64
	for j, x := range point {
		d := max(box[j]-x, x-box[len(point)+j], 0)
		sum += float64(d * d)
	}
	return sum
}

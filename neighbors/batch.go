package neighbors

import "math"

// None is written in place of a neighbour where Nearest.Pad fills up a list.
const None uint32 = math.MaxUint32

// A Table holds lists of neighbours in compressed sparse row form: the list of
// the i-th row is Index[Offset[i]:Offset[i+1]].
type Table struct {
	Offset []int64   // one more than there are rows, Offset[0] = 0
	Index  []uint32  // row numbers in the data set
	Dist   []float64 // distances, parallel to Index; nil unless asked for
}

// Len returns the number of lists.
func (t *Table) Len() int { return max(len(t.Offset)-1, 0) }

// List returns the neighbours of the i-th row of the table.
func (t *Table) List(i int) []uint32 { return t.Index[t.Offset[i]:t.Offset[i+1]] }

// Dists returns the distances that belong to List(i), nil if there are none.
func (t *Table) Dists(i int) []float64 {
	if t.Dist == nil {
		return nil
	}
	return t.Dist[t.Offset[i]:t.Offset[i+1]]
}

// A Batch is the complete neighbour lists of some query rows: List(i) belongs
// to query row Rows[i]. It is valid until the next step of the stream it came
// from.
type Batch struct {
	Rows []uint32
	Table
}

package superego

import "skyjoin/internal/kernel"

// leafPoints is the number of points at which sequences are not halved any
// further.
const leafPoints = 8

// A Join is Super-EGO: the recursive join of a sequence of queries with one of
// data. It is immutable and may be used by any number of goroutines.
type Join struct {
	Query, Data *Sequence

	query, data side
	t, far      float64
}

// A side is what a join holds of a sequence: by position, the cells, and the
// coordinates by row, in the order of the dimensions.
type side struct {
	cell  []uint32
	point []float64
}

// NewJoin returns the join of two sequences of the same order, which may be
// one and the same, for d² ≤ t.
func NewJoin(query, data *Sequence, t float64) *Join {
	j := &Join{Query: query, Data: data, query: query.side(), t: t}
	j.data = j.query
	if data != query {
		j.data = data.side()
	}
	// Sums in another order are off by less than Dim roundings each.
	j.far = t * (1 + float64(query.Points.Dim+1)*0x1p-51)
	return j
}

func (s *Sequence) side() side {
	n, dim := s.Points.N, s.Points.Dim
	v := side{make([]uint32, n), make([]float64, n*dim)}
	for c := range s.Cells() {
		for i := s.Start[c]; i < s.Start[c+1]; i++ {
			v.cell[i] = uint32(c)
		}
	}
	for k, j := range s.order.dims {
		for i, x := range s.Points.Data[j*s.Points.Stride : j*s.Points.Stride+n] {
			v.point[i*dim+k] = x
		}
	}
	return v
}

// Visit joins the queries at the given positions, which ascend, with the whole
// data sequence. It calls leaf for consecutive stretches [lo, hi) of the
// queries with the runs of data they must be compared with, until that returns
// an error.
func (j *Join) Visit(positions []uint32, leaf func(lo, hi int, data []kernel.Run) error) error {
	if len(positions) == 0 {
		return nil
	}
	v := visit{Join: j, positions: positions, leaf: leaf}
	all := kernel.Run{Lo: 0, Hi: uint32(j.Data.Points.N)}
	return v.join(0, len(positions), 0, []kernel.Run{all})
}

// A visit is one call of Visit. Every level of the recursion keeps a list of
// the parts of data that are left, for the next to use again.
type visit struct {
	*Join
	positions []uint32
	leaf      func(lo, hi int, data []kernel.Run) error
	left      [][]kernel.Run
}

func (v *visit) join(lo, hi, level int, data []kernel.Run) error {
	if level == len(v.left) {
		v.left = append(v.left, nil)
	}
	left := v.left[level][:0]
	for _, part := range data {
		left = v.refine(lo, hi, part, left)
	}
	v.left[level] = left
	if hi-lo <= leafPoints {
		return v.leaf(lo, hi, left)
	}
	mid := (lo + hi) / 2
	if err := v.join(lo, mid, level+1, left); err != nil {
		return err
	}
	return v.join(mid, hi, level+1, left)
}

// refine appends to left what of a part of data can have neighbours of the
// queries [lo, hi), in parts that are no larger than the queries are many.
func (v *visit) refine(lo, hi int, data kernel.Run, left []kernel.Run) []kernel.Run {
	if data.Lo == data.Hi || v.apart(lo, hi, data) {
		return left
	}
	if int(data.Hi-data.Lo) <= max(hi-lo, leafPoints) {
		return append(left, data)
	}
	mid := (data.Lo + data.Hi) / 2
	left = v.refine(lo, hi, kernel.Run{Lo: data.Lo, Hi: mid}, left)
	return v.refine(lo, hi, kernel.Run{Lo: mid, Hi: data.Hi}, left)
}

// apart reports whether two sequences are more than a cell apart in a
// dimension in which both can be told by their first and last points: one
// before which neither changes cells.
func (v *visit) apart(lo, hi int, data kernel.Run) bool {
	first := v.Query.at(int(v.query.cell[v.positions[lo]]))
	last := v.Query.at(int(v.query.cell[v.positions[hi-1]]))
	from := v.Data.at(int(v.data.cell[data.Lo]))
	to := v.Data.at(int(v.data.cell[data.Hi-1]))
	for k := range first {
		if after(last[k]) < from[k] || to[k] < before(first[k]) {
			return true
		}
		if first[k] != last[k] || from[k] != to[k] {
			return false
		}
	}
	return false
}

// Within calls found, for every point of the runs of data that is within the
// threshold of a query, with its position and d². The query is given by
// position. Squares of the dimensions that prune most are summed first, and a
// sum is given up when it is beyond the threshold by more than its rounding;
// what remains is decided by the sum in column order.
func (j *Join) Within(query uint32, data []kernel.Run, found func(at uint32, d2 float64)) {
	dim := j.Query.Points.Dim
	x := j.query.point[int(query)*dim : int(query+1)*dim]
	for _, run := range data {
		points := j.data.point[int(run.Lo)*dim : int(run.Hi)*dim]
	next:
		for at := run.Lo; at < run.Hi; at++ {
			y := points[:len(x)]
			points = points[len(x):]
			var sum float64
			for k, v := range y {
				d := x[k] - v
				if sum += float64(d * d); sum > j.far {
					continue next
				}
			}
			if d2 := j.square(query, at); d2 <= j.t {
				found(at, d2)
			}
		}
	}
}

// square is d² of two points given by position, summed in column order.
func (j *Join) square(query, data uint32) float64 {
	q, d := &j.Query.Points, &j.Data.Points
	var sum float64
	for c := range q.Dim {
		x := q.Data[c*q.Stride+int(query)] - d.Data[c*d.Stride+int(data)]
		sum += float64(x * x)
	}
	return sum
}

// PredictJoin returns the bytes that a side of n points takes in a join, its
// sequence included.
func PredictJoin(n, dim int) int64 { return Predict(n, dim) + int64(n)*int64(8*dim+4) }

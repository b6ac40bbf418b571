//go:build cuda && linux

package gpu

import (
	"fmt"

	"skyjoin/internal/cuda"
)

const (
	joinThreads = 128
	joinWarps   = joinThreads / 32

	// leastHalfDim is the dimension from which few of the candidates are neighbours.
	leastHalfDim = 4

	// In fewer dimensions there are few runs; in more, all of them are short.
	// packedRun is the mean number of points of a run below which lanes share the
	// points of several runs. Measured on an H100.
	packedDim = 3
	packedRun = 48
)

// group is the number of queries that a warp of the join kernels takes.
func group(dim int) int {
	if dim <= 3 {
		return 8
	}
	return 4
}

// join is the built sides of a join on one device. In a periodic box the data
// side of a self-join is an index of its own, with images.
type join struct {
	layout      layout
	query, data *index // the same in a self-join in an open space
	self        bool
	box         *box // nil: no axis is periodic
	t           float64
}

// build makes the indexes of both sides, given the coordinates. They live as
// long as m.
func (j *join) build(m *memory, l layout, sides [][]cuda.Buffer[float64]) error {
	q := begin(m.stream)
	b := newBuilder(q, m, l, j.t)
	j.layout = l
	q.do(func() (err error) {
		j.query, err = b.build(m, sides[0], false)
		return err
	})
	j.data = j.query
	if len(sides) > 1 || b.g.Wraps != 0 {
		q.do(func() (err error) {
			j.data, err = b.build(m, sides[len(sides)-1], true)
			return err
		})
	}
	return q.err
}

// launch runs a join kernel with the indexes of both sides and the parameters p.
func (j *join) launch(q *sequence, kind string, p joinParams) {
	p.Query, p.Data, p.T, p.Self = j.query.params(), j.data.params(), j.t, number(j.self)
	switch {
	case j.box != nil:
		p.Box = *j.box
		kind += "_wrapped"
	case j.data.dim == packedDim && j.data.meanRun() < packedRun:
		kind += "_packed"
	}
	blocks := ceilDiv(ceilDiv(int(p.Hi-p.Lo), group(j.data.dim)), joinWarps)
	launch(q, fmt.Sprintf("join_%s_%d", kind, j.data.dim), blocks, joinThreads, 0, &p)
}

// countEntries writes the number of neighbours of the entries [lo, hi) of the list
// of query positions; a zero list means all positions in order.
func (j *join) countEntries(q *sequence, list cuda.Buffer[uint32], lo, hi int, count cuda.Buffer[uint32]) {
	if j.halves() && list.N == 0 && lo == 0 && hi == j.query.n {
		fill(q, slice(q, count, 0, hi), 0)
		j.countHalf(q, 0, hi, count)
		return
	}
	j.launch(q, "count", joinParams{List: list.Ptr, Count: count.Ptr, Lo: uint32(lo), Hi: uint32(hi)})
}

// halves reports whether counting each pair once is faster than counting it from
// both sides.
func (j *join) halves() bool { return j.self && j.box == nil && j.data.dim >= leastHalfDim }

// countPart counts the neighbours of the positions [lo, hi), in counts of all
// positions that are initially zero. With halves it counts pairs with greater
// positions, for both.
func (j *join) countPart(q *sequence, lo, hi int, count cuda.Buffer[uint32]) {
	if j.halves() {
		j.countHalf(q, lo, hi, count)
		return
	}
	j.countEntries(q, cuda.Buffer[uint32]{}, lo, hi, slice(q, count, lo, hi))
}

func (j *join) countHalf(q *sequence, lo, hi int, count cuda.Buffer[uint32]) {
	if lo < hi {
		j.launch(q, "half", joinParams{Count: count.Ptr, Lo: uint32(lo), Hi: uint32(hi)})
	}
}

// fillEntries writes the rows of the neighbours of the entries [lo, hi): those
// of entry lo+i from offset[i]-base on.
func (j *join) fillEntries(q *sequence, list cuda.Buffer[uint32], lo, hi int, offset cuda.Buffer[uint64], base uint64, out cuda.Buffer[uint32]) {
	j.launch(q, "fill", joinParams{List: list.Ptr, Offset: offset.Ptr, Base: base, Out: out.Ptr, Lo: uint32(lo), Hi: uint32(hi)})
}

// fillPositions is fillEntries with positions of the data side in place of rows;
// numbers holds 0, 1, 2, … for all of them.
func (j *join) fillPositions(q *sequence, list cuda.Buffer[uint32], lo, hi int, offset cuda.Buffer[uint64], base uint64, out, numbers cuda.Buffer[uint32]) {
	p := joinParams{List: list.Ptr, Offset: offset.Ptr, Base: base, Out: out.Ptr, Lo: uint32(lo), Hi: uint32(hi), Positions: 1}
	if j.box != nil { // rows distinguish a point from its own images
		j.launch(q, "fill", p)
		return
	}
	rows := *j
	rows.data = new(index)
	*rows.data = *j.data
	rows.data.id = numbers
	rows.launch(q, "fill", p)
}

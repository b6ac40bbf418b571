//go:build cuda && linux

package gpu

import (
	"fmt"

	"skyjoin/internal/cuda"
)

const (
	joinThreads = 128
	joinWarps   = joinThreads / 32

	// leastHalfDim is from where few of the candidates are neighbours.
	leastHalfDim = 4

	// In fewer dimensions there are few runs; in more of them, all are short.
	// packedRun is the mean number of points of a run below which lanes share
	// the points of several. Measured on an H100.
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

func (j *join) launch(st *cuda.Stream, kind string, p joinParams) error {
	p.Query, p.Data, p.T = j.query.params(), j.data.params(), j.t
	if j.self {
		p.Self = 1
	}
	switch {
	case j.box != nil:
		p.Box = *j.box
		kind += "_wrapped"
	case j.data.dim == packedDim && j.data.meanRun() < packedRun:
		kind += "_packed"
	}
	blocks := ceilDiv(ceilDiv(int(p.Hi-p.Lo), group(j.data.dim)), joinWarps)
	return cuda.Launch(st, fmt.Sprintf("join_%s_%d", kind, j.data.dim), blocks, joinThreads, 0, &p)
}

// countEntries writes the number of neighbours of the entries [lo, hi) of the
// list of query positions; a zero list is all positions in order.
func (j *join) countEntries(st *cuda.Stream, list cuda.Buffer[uint32], lo, hi int, count cuda.Buffer[uint32]) error {
	if j.halves() && list.N == 0 && lo == 0 && hi == j.query.n {
		return firstError(cuda.Clear(st, count.Slice(0, hi), 0), j.countHalf(st, 0, hi, count))
	}
	return j.launch(st, "count", joinParams{List: list.Ptr, Count: count.Ptr, Lo: uint32(lo), Hi: uint32(hi)})
}

// halves reports whether counting each pair once is faster than from both
// sides.
func (j *join) halves() bool { return j.self && j.box == nil && j.data.dim >= leastHalfDim }

// countPart counts the positions [lo, hi), or adds the pairs that countHalf
// does, in counts of all positions that are zero at first.
func (j *join) countPart(st *cuda.Stream, lo, hi int, count cuda.Buffer[uint32]) error {
	if j.halves() {
		return j.countHalf(st, lo, hi, count)
	}
	return j.countEntries(st, cuda.Buffer[uint32]{}, lo, hi, count.Slice(lo, hi))
}

// countHalf adds the pairs of the positions [lo, hi) and greater positions to
// the counts of both.
func (j *join) countHalf(st *cuda.Stream, lo, hi int, count cuda.Buffer[uint32]) error {
	if lo == hi {
		return nil
	}
	return j.launch(st, "half", joinParams{Count: count.Ptr, Lo: uint32(lo), Hi: uint32(hi)})
}

// fillEntries writes the rows of the neighbours of the entries [lo, hi): those
// of entry lo+i from offset[i]-base on.
func (j *join) fillEntries(st *cuda.Stream, list cuda.Buffer[uint32], lo, hi int, offset cuda.Buffer[uint64], base uint64, out cuda.Buffer[uint32]) error {
	return j.launch(st, "fill", joinParams{List: list.Ptr, Offset: offset.Ptr, Base: base, Out: out.Ptr, Lo: uint32(lo), Hi: uint32(hi)})
}

// fillPositions is fillEntries with positions of the data side for rows;
// numbers holds 0, 1, 2, … for all of them.
func (j *join) fillPositions(st *cuda.Stream, list cuda.Buffer[uint32], lo, hi int, offset cuda.Buffer[uint64], base uint64, out, numbers cuda.Buffer[uint32]) error {
	p := joinParams{List: list.Ptr, Offset: offset.Ptr, Base: base, Out: out.Ptr, Lo: uint32(lo), Hi: uint32(hi), Positions: 1}
	if j.box != nil { // rows tell a point from its own images
		return j.launch(st, "fill", p)
	}
	rows := *j
	rows.data = new(index)
	*rows.data = *j.data
	rows.data.id = numbers
	return rows.launch(st, "fill", p)
}

//go:build cuda && linux

package gpu

import (
	"fmt"
	"math"
	"math/bits"

	"skyjoin/internal/cuda"
)

// An index is a grid over one side of a join, on the device. In a periodic box
// the data side holds a point once for each of its images.
type index struct {
	n, dim, stride int
	keys           uint64 // number of possible keys
	x              cuda.Buffer[float64]
	id             cuda.Buffer[uint32]
	cellOf         cuda.Buffer[uint32]
	cellKeys       cuda.Buffer[uint64]
	cellStart      cuda.Buffer[uint32]
	table          cuda.Buffer[uint32]
	buckets        cuda.Buffer[uint32]
	shift          int
	cells          int
	*builder
}

// A builder sorts points into the cells of one layout.
type builder struct {
	layout layout
	g      geometry
	scale  [maxGrid]float32
	offset cuda.Buffer[int64]
	by     cuda.Buffer[int8]
	runs   int
	span   int
}

func newBuilder(q *sequence, m *memory, l layout, t float64) *builder {
	b := &builder{layout: l, scale: l.scale(t), g: l.geometry(q, m)}
	runs, span := l.runs(&b.g)
	b.runs, b.span = len(runs), span
	var offset []int64
	var by []int8
	for _, r := range runs {
		offset = append(offset, r.key)
		by = append(by, r.by[:]...)
	}
	b.offset, b.by = table(q, m, offset), table(q, m, by)
	return b
}

// entries returns the keys and rows to sort. With images, points near the edges of a
// periodic box also have entries beyond the opposite edge. Rows are not filled in if
// they are 0, 1, 2, ….
func (b *builder) entries(q *sequence, x []cuda.Buffer[float64], images bool) *sortable {
	n := x[0].N
	if !images || b.g.Wraps == 0 {
		v := newSortable(q, n)
		each(q, "cell_keys", n, &keysParams{X: addresses(x), Keys: v.keys.Ptr, G: b.g, N: uint32(n)})
		return v
	}
	count := temp[uint32](q, n)
	p := imagesParams{X: addresses(x), G: b.g, N: uint32(n), Count: count.Ptr, Offset: count.Ptr}
	each(q, "count_images", n, &p)
	sums := newSorter(q, n)
	sums.scan(count, count, cuda.Buffer[uint64]{})
	total := sums.total(n)
	q.do(func() error {
		if total > math.MaxUint32-1 {
			return fmt.Errorf("%w: %d points with their periodic images, at most %d fit the index", cuda.ErrMemory, total, uint32(math.MaxUint32-1))
		}
		return nil
	})
	v := newSortable(q, int(total))
	p.Keys, p.Rows = v.keys.Ptr, v.values.Ptr
	each(q, "fill_images", n, &p)
	return v
}

// build makes the index of one side, which lives as long as m.
func (b *builder) build(m *memory, x []cuda.Buffer[float64], images bool) (*index, error) {
	q := begin(m.stream)
	defer q.end()
	v := b.entries(q, x, images)
	n, dim := v.keys.N, len(x)
	ix := &index{n: n, dim: dim, keys: b.layout.keys(), builder: b, stride: (n + 31) &^ 31}
	s := newSorter(q, n)
	flags := temp[uint32](q, n)
	ix.id, ix.cellOf, ix.x = kept[uint32](q, m, n), kept[uint32](q, m, n), kept[float64](q, m, dim*ix.stride)
	s.sort(v, n, bits.Len64(ix.keys), n == x[0].N)
	copyTo(q, ix.id, v.values)
	each(q, "gather", n, &gatherParams{X: addresses(x), Sorted: ix.x.Ptr, Order: v.values.Ptr, Keys: v.keys.Ptr, Flags: flags.Ptr,
		N: uint32(n), Stride: uint32(ix.stride), Dim: int32(dim)})
	s.scan(flags, ix.cellOf, cuda.Buffer[uint64]{})
	ix.cells = int(s.total(n))
	ix.cellKeys, ix.cellStart = kept[uint64](q, m, ix.cells), kept[uint32](q, m, ix.cells+1)
	each(q, "cells", n, &cellsParams{Keys: v.keys.Ptr, Flags: flags.Ptr, CellOf: ix.cellOf.Ptr, CellKeys: ix.cellKeys.Ptr, CellStart: ix.cellStart.Ptr, N: uint32(n)})
	push(q, slice(q, ix.cellStart, ix.cells, ix.cells+1), []uint32{uint32(n)})
	p := tableParams{CellKeys: ix.cellKeys.Ptr, CellStart: ix.cellStart.Ptr, Cells: uint32(ix.cells), N: uint32(n)}
	if ix.keys <= uint64(8*n+1024) {
		// One entry more: the last run of the last cell ends after the last key.
		ix.table = kept[uint32](q, m, int(ix.keys)+1)
		p.Table, p.Size = ix.table.Ptr, uint64(ix.table.N)
		each(q, "fill_table", ix.table.N, &p)
	} else {
		for ix.keys>>ix.shift > uint64(4*n+1024) {
			ix.shift++
		}
		ix.buckets = kept[uint32](q, m, int(ix.keys>>ix.shift)+2)
		p.Table, p.Size, p.Shift = ix.buckets.Ptr, uint64(ix.buckets.N), uint32(ix.shift)
		each(q, "fill_buckets", ix.buckets.N, &p)
	}
	return ix, q.sync()
}

// meanRun estimates the number of points of a run.
func (ix *index) meanRun() int { return ix.n * ix.span / max(ix.cells, 1) }

// params returns the index in the form that kernels take.
func (ix *index) params() gridParams {
	return gridParams{
		G: ix.g, Scale: ix.scale, Buckets: ix.buckets.Ptr, By: ix.by.Ptr, Shift: uint32(ix.shift),
		X: ix.x.Ptr, ID: ix.id.Ptr, CellOf: ix.cellOf.Ptr, CellKeys: ix.cellKeys.Ptr, CellStart: ix.cellStart.Ptr,
		Table: ix.table.Ptr, Offset: ix.offset.Ptr, TableSize: uint64(ix.table.N), N: uint32(ix.n), Stride: uint32(ix.stride),
		Cells: uint32(ix.cells), Runs: uint32(ix.runs), Span: uint32(ix.span),
	}
}

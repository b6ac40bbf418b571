//go:build cuda && linux

package gpu

import (
	"math"
	"math/bits"

	"skyjoin/internal/cuda"
)

// columns is one side of a join on the host: coordinates by column.
type column struct {
	f64 []float64
	f32 []float32
}

// index is a grid over one side of a join, on the device.
type index struct {
	n, dim, stride int
	g              geometry
	bits           int
	keys           uint64 // number of possible keys
	x              cuda.Buffer[float64]
	id             cuda.Buffer[uint32]
	cellOf         cuda.Buffer[uint32]
	cellKeys       cuda.Buffer[uint64]
	cellStart      cuda.Buffer[uint32]
	table          cuda.Buffer[uint32]
	offset         cuda.Buffer[int64]
	cells, runs    int
	span           int
}

// extent is the range of one coordinate.
type extent struct{ low, high float64 }

// half is half of the range, which does not overflow.
func (e extent) half() float64 { return e.high/2 - e.low/2 }

// slack widens cells so that rounding in the cell coordinate never separates
// points within the radius by more than one cell: quotients below 2^31 are off
// by less than 2^-20.
const slack = 1 + 0x1p-18

// smallestWidth keeps points whose squared difference underflows to 0 in
// adjacent cells.
const smallestWidth = 0x1p-530

// maxTop bounds a cell coordinate, maxKeyBits the whole key.
const (
	maxTop     = 1<<31 - 4
	maxKeyBits = 62
)

// newGeometry lays cells of about the radius over the extents, row-major over
// all coordinates. Where the keys would not fit 62 bits, the widest coordinates
// get coarser cells, which loses no pair.
func newGeometry(e []extent, radius float64) geometry {
	var g geometry
	g.N = int32(len(e))
	base := max(radius*slack, smallestWidth)
	width := make([]float64, len(e))
	for j, x := range e {
		width[j] = max(base, x.half()/(maxTop/2))
	}
	for {
		total, widest, most := 0, 0, uint64(0)
		key := uint64(1)
		for j := len(e) - 1; j >= 0; j-- {
			top := uint64(e[j].half()/(width[j]/2)) + 1
			if top > most {
				most, widest = top, j
			}
			g.Origin[j], g.Inverse[j], g.Top[j], g.Dim[j] = e[j].low, 1/width[j], uint32(top), int32(j)
			g.Stride[j] = key
			total += bits.Len64(top + 3)
			if total <= maxKeyBits {
				key *= top + 3
			}
		}
		if total <= maxKeyBits {
			return g
		}
		width[widest] *= 2
	}
}

// keys returns the number of keys that the geometry can give, padding included.
func (g *geometry) keys() uint64 { return g.Stride[0] * (uint64(g.Top[0]) + 3) }

// offsets returns what to add to a cell's key to get to the first cell of each
// of the 3^(d-1) runs of three cells around it.
func (g *geometry) offsets() []int64 {
	offsets := []int64{-1}
	for j := int(g.N) - 2; j >= 0; j-- {
		var next []int64
		for _, step := range []int64{-1, 0, 1} {
			for _, o := range offsets {
				next = append(next, o+step*int64(g.Stride[j]))
			}
		}
		offsets = next
	}
	return offsets
}

// upload brings columns to the device as float64.
func upload(m *memory, cols []column) ([]cuda.Buffer[float64], error) {
	out := make([]cuda.Buffer[float64], len(cols))
	for j, c := range cols {
		n := max(len(c.f64), len(c.f32))
		b, err := alloc[float64](m, n)
		if err != nil {
			return nil, err
		}
		out[j] = b
		if c.f32 == nil {
			if err := cuda.Upload(m.stream, b, c.f64); err != nil {
				return nil, err
			}
			continue
		}
		raw, err := alloc[float32](m, n)
		if err != nil {
			return nil, err
		}
		if err := cuda.Upload(m.stream, raw, c.f32); err != nil {
			return nil, err
		}
		p := widenParams{In: raw.Ptr, Out: b.Ptr, N: uint32(n)}
		if err := cuda.Launch(m.stream, "widen", ceilDiv(n, 256), 256, 0, &p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// extents finds the range of every coordinate over all sides of a join.
func extents(m *memory, sides ...[]cuda.Buffer[float64]) ([]extent, error) {
	dim := len(sides[0])
	low, err := alloc[uint64](m, dim)
	if err != nil {
		return nil, err
	}
	high, err := alloc[uint64](m, dim)
	if err != nil {
		return nil, err
	}
	if err := cuda.Clear(m.stream, low, 0xff); err != nil {
		return nil, err
	}
	if err := cuda.Clear(m.stream, high, 0); err != nil {
		return nil, err
	}
	for _, x := range sides {
		p := boundsParams{Low: low.Ptr, High: high.Ptr, N: uint32(x[0].N), Dim: int32(dim)}
		for j := range x {
			p.X[j] = x[j].Ptr
		}
		if err := cuda.Launch(m.stream, "bounds", min(ceilDiv(x[0].N, 256), 1024), 256, 0, &p); err != nil {
			return nil, err
		}
	}
	lows, highs := make([]uint64, dim), make([]uint64, dim)
	if err := cuda.Download(m.stream, lows, low); err != nil {
		return nil, err
	}
	if err := cuda.Download(m.stream, highs, high); err != nil {
		return nil, err
	}
	if err := m.stream.Sync(); err != nil {
		return nil, err
	}
	e := make([]extent, dim)
	for j := range e {
		e[j] = extent{fromOrdered(lows[j]), fromOrdered(highs[j])}
	}
	return e, nil
}

// fromOrdered undoes the kernels' order-preserving encoding.
func fromOrdered(b uint64) float64 {
	if b>>63 == 1 {
		return math.Float64frombits(b &^ (1 << 63))
	}
	return math.Float64frombits(^b)
}

// build sorts the points of one side into the cells of g.
func build(m *memory, x []cuda.Buffer[float64], g geometry) (*index, error) {
	n, dim := x[0].N, len(x)
	ix := &index{n: n, dim: dim, g: g, keys: g.keys(), span: 3}
	ix.stride = (n + 31) &^ 31
	ix.bits = bits.Len64(ix.keys)
	st := m.stream
	s, err := newSorter(m, n)
	if err != nil {
		return nil, err
	}
	var keys, keys2 cuda.Buffer[uint64]
	var values, values2, flags cuda.Buffer[uint32]
	err = firstError(
		into(&keys, m, n), into(&keys2, m, n),
		into(&values, m, n), into(&values2, m, n),
		into(&flags, m, n), into(&ix.cellOf, m, n),
		into(&ix.x, m, dim*ix.stride),
	)
	if err != nil {
		return nil, err
	}
	kp := keysParams{Keys: keys.Ptr, G: g, N: uint32(n)}
	for j := range x {
		kp.X[j] = x[j].Ptr
	}
	blocks := ceilDiv(n, 256)
	if err := cuda.Launch(st, "cell_keys", blocks, 256, 0, &kp); err != nil {
		return nil, err
	}
	sorted, order, err := s.sort(st, keys, keys2, values, values2, n, ix.bits)
	if err != nil {
		return nil, err
	}
	ix.id = order
	gp := gatherParams{X: kp.X, Sorted: ix.x.Ptr, Order: order.Ptr, Keys: sorted.Ptr, Flags: flags.Ptr,
		N: uint32(n), Stride: uint32(ix.stride), Dim: int32(dim)}
	if err := cuda.Launch(st, "gather", blocks, 256, 0, &gp); err != nil {
		return nil, err
	}
	if err := s.scan(st, flags, ix.cellOf, cuda.Buffer[uint64]{}); err != nil {
		return nil, err
	}
	var count [1]uint64
	if err := cuda.Download(st, count[:], s.total(n)); err != nil {
		return nil, err
	}
	if err := st.Sync(); err != nil {
		return nil, err
	}
	ix.cells = int(count[0])
	if err := firstError(into(&ix.cellKeys, m, ix.cells), into(&ix.cellStart, m, ix.cells+1)); err != nil {
		return nil, err
	}
	cp := cellsParams{Keys: sorted.Ptr, Flags: flags.Ptr, CellOf: ix.cellOf.Ptr, CellKeys: ix.cellKeys.Ptr, CellStart: ix.cellStart.Ptr, N: uint32(n)}
	if err := cuda.Launch(st, "cells", blocks, 256, 0, &cp); err != nil {
		return nil, err
	}
	if err := cuda.Upload(st, ix.cellStart.Slice(ix.cells, ix.cells+1), []uint32{uint32(n)}); err != nil {
		return nil, err
	}
	if ix.keys <= uint64(4*n+1024) {
		// One entry more: the last run of the last cell ends behind the last key.
		if err := into(&ix.table, m, int(ix.keys)+1); err != nil {
			return nil, err
		}
		tp := tableParams{CellKeys: ix.cellKeys.Ptr, CellStart: ix.cellStart.Ptr, Table: ix.table.Ptr, Size: uint64(ix.table.N), Cells: uint32(ix.cells), N: uint32(n)}
		if err := cuda.Launch(st, "fill_table", ceilDiv(ix.table.N, 256), 256, 0, &tp); err != nil {
			return nil, err
		}
	}
	offsets := g.offsets()
	ix.runs = len(offsets)
	if err := into(&ix.offset, m, len(offsets)); err != nil {
		return nil, err
	}
	return ix, cuda.Upload(st, ix.offset, offsets)
}

// params is the index as the kernels see it.
func (ix *index) params() gridParams {
	return gridParams{
		X: ix.x.Ptr, ID: ix.id.Ptr, CellOf: ix.cellOf.Ptr, CellKeys: ix.cellKeys.Ptr, CellStart: ix.cellStart.Ptr,
		Table: ix.table.Ptr, Offset: ix.offset.Ptr, TableSize: uint64(ix.table.N), N: uint32(ix.n), Stride: uint32(ix.stride),
		Cells: uint32(ix.cells), Runs: uint32(ix.runs), Span: uint32(ix.span),
	}
}

// into allocates n elements and stores them in b.
func into[T any](b *cuda.Buffer[T], m *memory, n int) error {
	var err error
	*b, err = alloc[T](m, n)
	return err
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

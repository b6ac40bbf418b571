//go:build cuda && linux

package gpu

import (
	"fmt"
	"math"
	"math/bits"

	"skyjoin/internal/cuda"
)

// A column is one coordinate of the points of a side, on the host.
type column struct {
	f64 []float64
	f32 []float32
}

// index is a grid over one side of a join, on the device. In a periodic box
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

// upload brings columns to the device as float64.
func upload(m *memory, cols []column) ([]cuda.Buffer[float64], error) {
	out := make([]cuda.Buffer[float64], len(cols))
	var wide, widened []cuda.Buffer[float64] // sent as they are, and from float32
	var narrow []cuda.Buffer[float32]
	var f64 [][]float64
	var f32 [][]float32
	for j, c := range cols {
		n := max(len(c.f64), len(c.f32))
		if err := into(&out[j], m, n); err != nil {
			return nil, err
		}
		if c.f32 == nil {
			wide, f64 = append(wide, out[j]), append(f64, c.f64)
			continue
		}
		raw, err := alloc[float32](m, n)
		if err != nil {
			return nil, err
		}
		narrow, f32, widened = append(narrow, raw), append(f32, c.f32), append(widened, out[j])
	}
	err := firstError(cuda.SendAll(m.stream, wide, f64), cuda.SendAll(m.stream, narrow, f32))
	for i, raw := range narrow {
		p := widenParams{In: raw.Ptr, Out: widened[i].Ptr, N: uint32(raw.N)}
		err = firstError(err, launchEach(m.stream, "widen", raw.N, &p))
	}
	return out, err
}

func uploadColumn(m *memory, c column) (cuda.Buffer[float64], error) {
	x, err := upload(m, []column{c})
	if err != nil {
		return cuda.Buffer[float64]{}, err
	}
	return x[0], nil
}

// boundsBlocks are enough to keep a card busy; each goes over many points.
const boundsBlocks = 1024

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
		if err := cuda.Launch(m.stream, "bounds", min(ceilDiv(x[0].N, eachThreads), boundsBlocks), eachThreads, 0, &p); err != nil {
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

func newBuilder(m *memory, l layout, t float64) (*builder, error) {
	b := &builder{layout: l, scale: l.scale(t)}
	var err error
	if b.g, err = l.geometry(m); err != nil {
		return nil, err
	}
	runs, span := l.runs(&b.g)
	b.runs, b.span = len(runs), span
	var offset []int64
	var by []int8
	for _, r := range runs {
		offset = append(offset, r.key)
		by = append(by, r.by[:]...)
	}
	if err := firstError(into(&b.offset, m, len(offset)), into(&b.by, m, len(by))); err != nil {
		return nil, err
	}
	return b, firstError(cuda.Upload(m.stream, b.offset, offset), cuda.Upload(m.stream, b.by, by))
}

// build makes the index of one side; images says whether points at the edges
// of a periodic box stand beyond the other edge too.
func (b *builder) build(m *memory, x []cuda.Buffer[float64], images bool) (*index, error) {
	scratch := &memory{stream: m.stream}
	defer scratch.release()
	return b.sorted(m, scratch, x, images)
}

// entries returns the keys and rows to be sorted, and room for them twice. Rows
// are not filled in where they are 0, 1, 2, ….
func (b *builder) entries(m *memory, x []cuda.Buffer[float64], images bool) (keys, keys2 cuda.Buffer[uint64], rows, rows2 cuda.Buffer[uint32], err error) {
	n := x[0].N
	ip := imagesParams{G: b.g, N: uint32(n)}
	for j := range x {
		ip.X[j] = x[j].Ptr
	}
	total := n
	images = images && b.g.Wraps != 0
	var count cuda.Buffer[uint32]
	if images {
		if err = into(&count, m, n); err != nil {
			return
		}
		ip.Count, ip.Offset = count.Ptr, count.Ptr
		if err = launchEach(m.stream, "count_images", n, &ip); err != nil {
			return
		}
		var s *sorter
		if s, err = newSorter(m, n); err != nil {
			return
		}
		if err = s.scan(m.stream, count, count, cuda.Buffer[uint64]{}); err != nil {
			return
		}
		var sum [1]uint64
		if err = firstError(cuda.Download(m.stream, sum[:], s.total(n)), m.stream.Sync()); err != nil {
			return
		}
		if sum[0] > math.MaxUint32-1 {
			err = fmt.Errorf("%w: %d points with their periodic images, at most %d fit the index", cuda.ErrMemory, sum[0], uint32(math.MaxUint32-1))
			return
		}
		total = int(sum[0])
	}
	if err = firstError(into(&keys, m, total), into(&keys2, m, total), into(&rows, m, total), into(&rows2, m, total)); err != nil {
		return
	}
	if images {
		ip.Keys, ip.Rows = keys.Ptr, rows.Ptr
		err = launchEach(m.stream, "fill_images", n, &ip)
		return
	}
	kp := keysParams{X: ip.X, Keys: keys.Ptr, G: b.g, N: uint32(n)}
	err = launchEach(m.stream, "cell_keys", n, &kp)
	return
}

func (b *builder) sorted(m, scratch *memory, x []cuda.Buffer[float64], images bool) (*index, error) {
	st := m.stream
	keys, keys2, values, values2, err := b.entries(scratch, x, images)
	if err != nil {
		return nil, err
	}
	n, dim := keys.N, len(x)
	ix := &index{n: n, dim: dim, keys: b.layout.keys(), builder: b}
	ix.stride = (n + 31) &^ 31
	s, err := newSorter(scratch, n)
	if err != nil {
		return nil, err
	}
	var flags cuda.Buffer[uint32]
	err = firstError(into(&flags, scratch, n), into(&ix.id, m, n), into(&ix.cellOf, m, n), into(&ix.x, m, dim*ix.stride))
	if err != nil {
		return nil, err
	}
	sorted, order, err := s.sort(st, keys, keys2, values, values2, n, bits.Len64(ix.keys), n == x[0].N)
	if err != nil {
		return nil, err
	}
	if err := cuda.Copy(st, ix.id, order); err != nil {
		return nil, err
	}
	gp := gatherParams{Sorted: ix.x.Ptr, Order: order.Ptr, Keys: sorted.Ptr, Flags: flags.Ptr,
		N: uint32(n), Stride: uint32(ix.stride), Dim: int32(dim)}
	for j := range x {
		gp.X[j] = x[j].Ptr
	}
	if err := launchEach(st, "gather", n, &gp); err != nil {
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
	if err := launchEach(st, "cells", n, &cp); err != nil {
		return nil, err
	}
	if err := cuda.Upload(st, ix.cellStart.Slice(ix.cells, ix.cells+1), []uint32{uint32(n)}); err != nil {
		return nil, err
	}
	if ix.keys <= uint64(8*n+1024) {
		// One entry more: the last run of the last cell ends behind the last key.
		if err := into(&ix.table, m, int(ix.keys)+1); err != nil {
			return nil, err
		}
		tp := tableParams{CellKeys: ix.cellKeys.Ptr, CellStart: ix.cellStart.Ptr, Table: ix.table.Ptr, Size: uint64(ix.table.N), Cells: uint32(ix.cells), N: uint32(n)}
		if err := launchEach(st, "fill_table", ix.table.N, &tp); err != nil {
			return nil, err
		}
	}
	if ix.table.N == 0 {
		for ix.keys>>ix.shift > uint64(4*n+1024) {
			ix.shift++
		}
		if err := into(&ix.buckets, m, int(ix.keys>>ix.shift)+2); err != nil {
			return nil, err
		}
		tp := tableParams{CellKeys: ix.cellKeys.Ptr, Table: ix.buckets.Ptr, Size: uint64(ix.buckets.N), Cells: uint32(ix.cells), Shift: uint32(ix.shift)}
		if err := launchEach(st, "fill_buckets", ix.buckets.N, &tp); err != nil {
			return nil, err
		}
	}
	return ix, st.Sync()
}

// meanRun estimates the number of points of a run.
func (ix *index) meanRun() int { return ix.n * ix.span / max(ix.cells, 1) }

// params is the index as the kernels see it.
func (ix *index) params() gridParams {
	return gridParams{
		G: ix.g, Scale: ix.scale, Buckets: ix.buckets.Ptr, By: ix.by.Ptr, Shift: uint32(ix.shift),
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

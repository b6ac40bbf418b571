//go:build cuda && linux

package gpu

import (
	"math"

	"skyjoin/internal/cuda"
	"skyjoin/internal/space"
)

// A column is one coordinate of the points of a side, on the host.
type column struct {
	f64 []float64
	f32 []float32
}

func hostColumns(s *space.Space) []column {
	cols := make([]column, s.Dim())
	for j, c := range s.Columns {
		cols[j] = column{c.Float64, c.Float32}
	}
	return cols
}

// upload copies columns to the device, as float64; they live as long as m.
func upload(q *sequence, m *memory, cols []column) []cuda.Buffer[float64] {
	out := make([]cuda.Buffer[float64], len(cols))
	var wide, widened []cuda.Buffer[float64] // sent as they are, and from float32
	var narrow []cuda.Buffer[float32]
	var f64 [][]float64
	var f32 [][]float32
	for j, c := range cols {
		n := max(len(c.f64), len(c.f32))
		out[j] = kept[float64](q, m, n)
		if c.f32 == nil {
			wide, f64 = append(wide, out[j]), append(f64, c.f64)
			continue
		}
		narrow, f32, widened = append(narrow, kept[float32](q, m, n)), append(f32, c.f32), append(widened, out[j])
	}
	q.do(func() error {
		return firstError(cuda.SendAll(q.stream, wide, f64), cuda.SendAll(q.stream, narrow, f32))
	})
	for i, raw := range narrow {
		each(q, "widen", raw.N, &mapParams{In: raw.Ptr, Out: widened[i].Ptr, N: uint32(raw.N)})
	}
	return out
}

// boundsBlocks are enough to keep a card busy; each processes many points.
const boundsBlocks = 1024

// extents finds the range of every coordinate over all sides of a join.
func extents(q *sequence, sides ...[]cuda.Buffer[float64]) []extent {
	dim := len(sides[0])
	low, high := temp[uint64](q, dim), temp[uint64](q, dim)
	fill(q, low, 0xff)
	fill(q, high, 0)
	for _, x := range sides {
		p := boundsParams{X: addresses(x), Low: low.Ptr, High: high.Ptr, N: uint32(x[0].N), Dim: int32(dim)}
		launch(q, "bounds", min(ceilDiv(x[0].N, eachThreads), boundsBlocks), eachThreads, 0, &p)
	}
	lows, highs := make([]uint64, dim), make([]uint64, dim)
	pull(q, lows, low)
	pull(q, highs, high)
	_ = q.sync() // err is that of the sequence
	e := make([]extent, dim)
	for j := range e {
		e[j] = extent{fromOrdered(lows[j]), fromOrdered(highs[j])}
	}
	return e
}

// fromOrdered undoes the kernels' order-preserving encoding.
func fromOrdered(b uint64) float64 {
	if b>>63 == 1 {
		return math.Float64frombits(b &^ (1 << 63))
	}
	return math.Float64frombits(^b)
}

//go:build cuda && linux

package gpu

import (
	"fmt"

	"skyjoin/internal/cuda"
)

const (
	joinThreads = 128
	joinWarps   = joinThreads / 32
)

// group is the number of queries that a warp of the join kernels takes.
func group(dim int) int {
	if dim <= 3 {
		return 8
	}
	return 4
}

// join is a built self-join or A ⋈ B on one device.
type join struct {
	query, data *index // the same in a self-join
	t           float64
	near, far   float32
	single      bool
}

func (j *join) params() joinParams {
	p := joinParams{Query: j.query.params(), Data: j.data.params(), T: j.t, Near: j.near, Far: j.far}
	if j.query == j.data {
		p.Self = 1
	}
	return p
}

func (j *join) kernel(kind string) string {
	if j.single {
		return fmt.Sprintf("join_%s_single_%d", kind, j.data.dim)
	}
	return fmt.Sprintf("join_%s_%d", kind, j.data.dim)
}

func (j *join) blocks(n int) int { return ceilDiv(ceilDiv(n, group(j.data.dim)), joinWarps) }

// count writes the number of neighbours of the query positions [lo, hi).
func (j *join) count(st *cuda.Stream, lo, hi int, count cuda.Buffer[uint32]) error {
	p := j.params()
	p.Count, p.Lo, p.Hi = count.Ptr, uint32(lo), uint32(hi)
	return cuda.Launch(st, j.kernel("count"), j.blocks(hi-lo), joinThreads, 0, &p)
}

// fill writes the rows of the neighbours of the query positions [lo, hi):
// those of position lo+i from offset[i]-base on.
func (j *join) fill(st *cuda.Stream, lo, hi int, offset cuda.Buffer[uint64], base uint64, out cuda.Buffer[uint32]) error {
	p := j.params()
	p.Offset, p.Base, p.Out, p.Lo, p.Hi = offset.Ptr, base, out.Ptr, uint32(lo), uint32(hi)
	return cuda.Launch(st, j.kernel("fill"), j.blocks(hi-lo), joinThreads, 0, &p)
}

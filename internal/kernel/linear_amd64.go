//go:build !purego

package kernel

import (
	"fmt"
	"math"
	"unsafe"
)

func hasLinear() bool { return Best().Name == funcsAVX512.Name }

// Hist adds the pairs of each query i of [lo, hi) with the candidates of run to
// h, which must be of the same bins; if end is not 0, those with (i, end)
// instead, q and d being the same.
func (l *Linear) Hist(lo, hi, end int, run Run, h *Histogram) {
	most := int(run.Hi)
	if end > 0 {
		most = end
	}
	if h.bins != l.bins || lo < 0 || hi > l.q.N || most > l.d.N || run.Lo > run.Hi {
		panic(fmt.Sprintf("kernel: queries [%d, %d) of %d with candidates up to %d of %d", lo, hi, l.q.N, most, l.d.N))
	}
	if h.found == nil {
		h.found = make([]uint32, histBuffer+Slack)
		h.near = make([]uint32, histBuffer+Slack)
	}
	var a args
	a.qStride, a.dStride = 4*l.query.stride, 4*l.data.stride
	a.out, a.id = &h.found[0], &h.near[0]
	a.firstKey, a.shift = uint64(math.Float32bits(l.scale)), uint(math.Float32bits(l.far))
	a.end = l.bins.n
	for i := lo; i < hi; i++ {
		from, to := int(run.Lo), int(run.Hi)
		if end > 0 {
			from, to = i+1, end
		}
		a.q = float32s(&l.query.data[i])
		for ; from < to; from += a.first {
			n := min(histBuffer, to-from)
			h.expect(n)
			a.bins = &h.small[1] // bin i is that of i+1 edges
			a.d, a.nq, a.n, a.first = float32s(&l.data.data[from]), n, 0, 0
			call(linearAVX512+l.q.Dim, &a)
			l.exact(i, from, h.near[:a.n], h)
			a.first = n
		}
	}
}

// float32s is the address of float32 numbers as the argument block has it.
func float32s(p *float32) *float64 { return (*float64)(unsafe.Pointer(p)) }

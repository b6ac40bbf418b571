package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mostQueries is the size of a group of queries whose coordinates fit the
// registers, by the number of dimensions.
var mostQueries = map[isa][maxDim]int{avx2: {4, 4, 4, 3, 2, 2, 1, 1}, avx512: {4, 4, 4, 4, 4, 4, 2, 2}}

// countGroups writes the frame of the count kernels: queries are taken in groups of
// up to mostQueries, and every group of n is counted by body, which walks
// the runs once for all of it, so that short runs cost their loop overhead
// once.
func (a *asm) countGroups(body func(n int, count []reg.GPVirtual)) {
	most := mostQueries[a.isa][a.dim-1]
	group, end := a.label("group"), a.label("end")
	a.Label(group)
	left := a.field("nq")
	entry := make([]string, most+1)
	for n := most; n > 0; n-- {
		entry[n] = a.label("queries")
		a.CMPQ(left, operand.U8(n))
		a.JGE(to(entry[n]))
	}
	a.JMP(to(end))
	for n := most; n > 0; n-- {
		a.Label(entry[n])
		count := make([]reg.GPVirtual, n)
		for g := range count {
			count[g] = a.GP64()
			a.XORL(count[g].As32(), count[g].As32())
		}
		body(n, count)
		c := a.field("nextCount")
		for g := range count {
			a.ADDL(count[g].As32(), operand.Mem{Base: c, Disp: 4 * g})
		}
		a.ADDQ(operand.U8(4*n), a.arg("nextCount"))
		a.ADDQ(operand.U8(8*n), a.arg("nextQ"))
		a.SUBQ(operand.U8(n), a.arg("nq"))
		a.JMP(to(group))
	}
	a.Label(end)
	a.finish()
}

func count(a *asm) {
	v := a.isa.vectors()
	last := len(v) - 3
	q, t, sum, x := v[:last], v[last], v[last+1], v[last+2]
	a.VBROADCASTSD(a.arg("t"), t)
	a.countGroups(func(n int, count []reg.GPVirtual) {
		a.loadQueries(n, q)
		l := a.beginRuns(nil, "")
		a.walk(l.rest, l.next, func(tail bool) {
			within := a.within(t, l.rest, tail)
			for g := range n {
				a.squared(q[g*a.dim:], 0, sum, x)
				a.ADDL(within(sum).As32(), count[g].As32())
			}
		})
		a.endRuns(l)
	})
}

// within returns a function that counts the lanes of a d² that are at most t, in a
// tail only the first rest lanes. With AVX2 the d² are overwritten.
func (a *asm) within(t reg.VecPhysical, rest reg.GPVirtual, tail bool) func(sum reg.VecPhysical) reg.GPVirtual {
	if a.isa == avx512 {
		mask := a.tailMask(rest, tail)
		return func(sum reg.VecPhysical) reg.GPVirtual {
			a.compare(leOQ, t, sum, mask, reg.K1)
			return a.ones(reg.K1)
		}
	}
	return func(sum reg.VecPhysical) reg.GPVirtual {
		a.VCMPPD(leOQ, t, sum, sum)
		bits := a.GP64()
		a.VMOVMSKPD(sum, bits.As32())
		if tail {
			a.BZHIL(rest.As32(), bits.As32(), bits.As32())
		}
		a.POPCNTL(bits.As32(), bits.As32())
		return bits
	}
}

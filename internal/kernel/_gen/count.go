package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// countGroups writes the frame of the count kernels: queries are taken in
// groups of up to most, and every group of n is counted by body, which walks
// the runs once for all of it, so that short runs cost their loop overhead
// once.
func (a *asm) countGroups(most int, body func(n int, count []reg.GPVirtual)) {
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

func countAVX512(a *asm) {
	most := 4
	if a.dim > 6 {
		most = 2
	}
	q, t, sum, x := zmm[:29], zmm[29], zmm[30], zmm[31]
	a.VBROADCASTSD(a.arg("t"), t)
	a.countGroups(most, func(n int, count []reg.GPVirtual) {
		a.loadQueries(n, q)
		l := a.beginRuns(nil, "")
		a.walk(8, l.rest, l.next, func(tail bool) {
			mask := a.tailMask(l.rest, tail)
			for g := range n {
				a.squared(q[g*a.dim:], 0, sum, x)
				a.compare(leOQ, t, sum, mask, reg.K1)
				a.ADDL(a.ones(reg.K1).As32(), count[g].As32())
			}
		})
		a.endRuns(l)
	})
}

func countAVX2(a *asm) {
	most := []int{4, 4, 4, 3, 2, 2, 1, 1}[a.dim-1]
	q, t, sum, x := ymm[:13], ymm[13], ymm[14], ymm[15]
	a.VBROADCASTSD(a.arg("t"), t)
	a.countGroups(most, func(n int, count []reg.GPVirtual) {
		a.loadQueries(n, q)
		l := a.beginRuns(nil, "")
		a.walk(4, l.rest, l.next, func(tail bool) {
			for g := range n {
				a.squared(q[g*a.dim:], 0, sum, x)
				a.VCMPPD(leOQ, t, sum, sum)
				bits := a.GP64()
				a.VMOVMSKPD(sum, bits.As32())
				if tail {
					a.BZHIL(l.rest.As32(), bits.As32(), bits.As32())
				}
				a.POPCNTL(bits.As32(), bits.As32())
				a.ADDL(bits.As32(), count[g].As32())
			}
		})
		a.endRuns(l)
	})
}

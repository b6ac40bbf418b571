package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A halfGroup is a group of queries that are points of the same block: the
// candidates of the query in row i are (i, end) and the runs.
type halfGroup struct {
	n     int
	count []reg.GPVirtual // of each query, so far
	at    reg.GPVirtual   // the counts of the candidates at hand
}

// halfGroups writes the frame of the half kernels. pairs counts the next candidates:
// first says that they start one after the row of the group's first query, so that
// query g leaves out g of them; tail, that only rest of them are left.
func (a *asm) halfGroups(q []reg.VecPhysical, pairs func(g *halfGroup, rest reg.GPVirtual, first, tail bool)) {
	a.MOVQ(a.arg("first"), a.p)
	a.MOVQ(a.p, a.arg("nextRow"))
	width := a.isa.width()
	a.countGroups(func(n int, count []reg.GPVirtual) {
		g := &halfGroup{n: n, count: count, at: a.GP64()}
		a.loadQueries(n, q)
		step := func() { a.stepBy(g.at) }
		finishRun := func(rest reg.GPVirtual, next string) {
			a.blocks(rest, func() { a.JLE(to(next)) }, func(tail bool) { pairs(g, rest, false, tail) }, step)
		}
		alone := a.label("alone")
		row := a.field("nextRow")
		a.ADDQ(operand.U8(1), row)
		rest := a.field("end")
		a.SUBQ(row, rest)
		a.JLE(to(alone))
		a.at(row, g.at, "count")
		pairs(g, rest, true, true)
		step()
		a.SUBQ(operand.U8(width), rest)
		a.JLE(to(alone))
		finishRun(rest, alone)
		a.Label(alone)
		a.ADDQ(operand.U8(n), a.arg("nextRow"))
		l := a.beginRuns(g.at, "count")
		finishRun(l.rest, l.next)
		a.endRuns(l)
	})
}

func halfAVX512(a *asm) {
	q, t, sum, x := zmm[:24], zmm[24], zmm[25], zmm[26]
	one, counts := zmm[27].AsY(), zmm[28].AsY()
	a.VBROADCASTSD(a.arg("t"), t)
	a.VPCMPEQD(ymm[0], ymm[0], ymm[0])
	a.VPABSD(ymm[0], one)
	a.halfGroups(q, func(g *halfGroup, rest reg.GPVirtual, first, tail bool) {
		mask := reg.Register(nil) // the lanes that there are
		if first {
			// More than eight may be left: BZHI would look at the low byte.
			left, eight := a.GP64(), a.GP64()
			mask = reg.K2
			a.MOVL(operand.U32(8), eight.As32())
			a.CMPQ(rest, eight)
			a.CMOVQLT(rest, eight)
			a.MOVL(operand.U32(255), left.As32())
			a.BZHIL(eight.As32(), left.As32(), left.As32())
			a.KMOVB(left.As32(), mask)
		} else {
			mask = a.tailMask(rest, tail)
		}
		a.VMOVDQU32(operand.Mem{Base: g.at}, counts)
		for i := range g.n {
			a.squared(q[i*a.dim:], 0, sum, x)
			if first && i > 0 {
				mask = reg.K3
				a.KSHIFTRB(operand.U8(i), reg.K2, mask)
				a.KSHIFTLB(operand.U8(i), mask, mask)
			}
			a.compare(leOQ, t, sum, mask, reg.K1)
			a.VPADDD(one, counts, reg.K1, counts)
			a.ADDL(a.ones(reg.K1).As32(), g.count[i].As32())
		}
		a.VMOVDQU32(counts, operand.Mem{Base: g.at})
	})
}

func halfAVX2(a *asm) {
	q, t, sum, x := ymm[:12], ymm[12], ymm[13], ymm[14]
	counts := ymm[15].AsX()
	a.VBROADCASTSD(a.arg("t"), t)
	a.halfGroups(q, func(g *halfGroup, rest reg.GPVirtual, first, tail bool) {
		var mask reg.GPVirtual
		if tail {
			mask = a.GP64()
			four := a.GP64()
			a.MOVL(operand.U32(4), four.As32())
			a.CMPQ(rest, four)
			a.CMOVQLT(rest, four)
			a.SHLQ(operand.U8(5), four)
			a.LEAQ(a.someLanes(), mask)
			a.ADDQ(four, mask)
		}
		a.VMOVDQU(operand.Mem{Base: g.at}, counts)
		for i := range g.n {
			a.squared(q[i*a.dim:], 0, sum, x)
			a.VCMPPD(leOQ, t, sum, sum)
			if tail {
				skip := 0
				if first {
					skip = i
				}
				a.VANDPD(operand.Mem{Base: mask, Disp: skip * 5 * 32}, sum, sum)
			}
			// One 32-bit lane of each 64-bit one.
			a.VEXTRACTF128(operand.U8(1), sum, x.AsX())
			a.VSHUFPS(operand.U8(0x88), x.AsX(), sum.AsX(), x.AsX())
			a.VPSUBD(x.AsX(), counts, counts)
			bits := a.GP64()
			a.VMOVMSKPS(x.AsX(), bits.As32())
			a.POPCNTL(bits.As32(), bits.As32())
			a.ADDL(bits.As32(), g.count[i].As32())
		}
		a.VMOVDQU(counts, operand.Mem{Base: g.at})
	})
}

// someLanes is a constant: mask 5·skip+n has the lanes [skip, n) of four.
func (a *asm) someLanes() operand.Mem {
	return a.constant("someLanes", func() {
		for skip := range 4 {
			for n := range 5 {
				for lane := range 4 {
					v := operand.U64(0)
					if skip <= lane && lane < n {
						v = ^v
					}
					a.AppendDatum(v)
				}
			}
		}
	})
}

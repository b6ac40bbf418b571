package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gtOQ is the predicate >, ordered and quiet.
const gtOQ = operand.U8(0x1e)

// linearAVX512 counts the bins of one query with nq candidates in float32: bin
// i is the whole part of the distance times firstKey. Candidates whose fraction
// is farther from ½ than shift, those near an edge, are not counted: their
// numbers go to id, and how many there are to n. Bins from end on are one.
func linearAVX512(a *asm) {
	q := zmm[:8]
	x, sum, bin := zmm[8], zmm[9], zmm[10]
	scale, half, bound, sign, last := zmm[11], zmm[12], zmm[13], zmm[14], zmm[15]
	lanes, step := zmm[16], zmm[17]

	at := a.field("q")
	for c := range a.dim {
		a.VBROADCASTSS(operand.Mem{Base: at}, q[c])
		if c < a.dim-1 {
			a.ADDQ(a.arg("qStride"), at)
		}
	}
	a.VBROADCASTSS(a.arg("firstKey"), scale)
	a.VBROADCASTSS(a.arg("shift"), bound)
	a.VPBROADCASTD(a.arg("end"), last)
	numbers := a.constant("linear", func() {
		for i := range 16 {
			a.AppendDatum(operand.U32(i))
		}
		a.AppendDatum(operand.U32(16))
		a.AppendDatum(operand.U32(0x3f000000)) // 0.5
		a.AppendDatum(operand.U32(0x7fffffff))
	})
	table := a.GP64()
	a.LEAQ(numbers, table)
	a.VMOVDQU32(operand.Mem{Base: table}, lanes)
	a.VPBROADCASTD(operand.Mem{Base: table, Disp: 64}, step)
	a.VBROADCASTSS(operand.Mem{Base: table, Disp: 68}, half)
	a.VPBROADCASTD(operand.Mem{Base: table, Disp: 72}, sign)

	out, rest, near, n := a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(a.arg("d"), a.p)
	a.MOVQ(a.arg("out"), out)
	a.MOVQ(a.arg("nq"), rest)
	a.MOVQ(a.arg("id"), near)
	a.XORL(n.As32(), n.As32())
	pairs := func(tail bool) {
		for c := range a.dim {
			v := x
			if c == 0 {
				v = bin
			}
			a.VSUBPS(a.column(c, 0), q[c], v)
			if c == 0 {
				a.VMULPS(v, v, sum)
			} else {
				a.VFMADD231PS(v, v, sum)
			}
		}
		a.VSQRTPS(sum, sum)
		a.VMULPS(scale, sum, sum)
		a.VCVTTPS2DQ(sum, bin)
		a.VCVTDQ2PS(bin, x)
		a.VSUBPS(x, sum, x)
		a.VSUBPS(half, x, x)
		a.VPANDD(sign, x, x)
		a.VPMINUD(last, bin, bin)
		if tail {
			a.KMOVW(a.lowBits(rest).As32(), reg.K2)
			a.VCMPPS(gtOQ, bound, x, reg.K2, reg.K1)
			a.KNOTW(reg.K2, reg.K2)
			a.VMOVDQA32(last, reg.K2, bin)
		} else {
			a.VCMPPS(gtOQ, bound, x, reg.K1)
		}
		far := a.label("far")
		a.KORTESTW(reg.K1, reg.K1)
		a.JEQ(to(far))
		a.VMOVDQA32(last, reg.K1, bin)
		a.VPCOMPRESSD(lanes, reg.K1, operand.Mem{Base: near, Index: n, Scale: 4})
		bits := a.GP64()
		a.KMOVW(reg.K1, bits.As32())
		a.POPCNTL(bits.As32(), bits.As32())
		a.ADDQ(bits, n)
		a.Label(far)
		a.VMOVDQU32(bin, operand.Mem{Base: out})
		a.ADDQ(operand.U8(64), out)
	}
	full, tail, counted := a.label("full"), a.label("tail"), a.label("counted")
	a.Label(full)
	a.SUBQ(operand.U8(16), rest)
	a.JLT(to(tail))
	pairs(false)
	a.ADDQ(operand.U8(64), a.p)
	a.VPADDD(step, lanes, lanes)
	a.JMP(to(full))
	a.Label(tail)
	a.ADDQ(operand.U8(16), rest)
	a.JEQ(to(counted))
	pairs(true)
	a.Label(counted)
	a.MOVQ(n, a.arg("n"))

	from, bins := a.field("out"), a.field("bins")
	loop, done := a.label("count"), a.label("done")
	a.CMPQ(from, out)
	a.JAE(to(done))
	a.Label(loop)
	for i := range 16 {
		b := a.GP64()
		a.MOVL(operand.Mem{Base: from, Disp: 4 * i}, b.As32())
		a.INCL(operand.Mem{Base: bins, Index: b, Scale: 4, Disp: i % histCopies * histStride})
	}
	a.ADDQ(operand.U8(64), from)
	a.CMPQ(from, out)
	a.JB(to(loop))
	a.Label(done)
	a.finish()
}

package main

import (
	"github.com/mmcloughlin/avo/operand"
)

// ranksAVX2 writes to keys how many of the nq numbers at dist are less than each
// of them, for nq rounded up to a multiple of 16: each number is compared with
// sixteen at a time.
func ranksAVX2(a *asm) {
	dist, out, n := a.field("dist"), a.field("keys"), a.field("nq")
	numbers, ranks, other, less := ymm[:4], ymm[4:8], ymm[8], ymm[9:13]
	p, end, q := a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(dist, p)
	a.LEAQ(operand.Mem{Base: dist, Index: n, Scale: 8}, end)
	sixteen, loop := a.label("sixteen"), a.label("loop")
	a.Label(sixteen)
	for i := range numbers {
		a.VMOVUPD(operand.Mem{Base: p, Disp: 32 * i}, numbers[i])
		a.VPXOR(ranks[i], ranks[i], ranks[i])
	}
	a.MOVQ(dist, q)
	a.Label(loop)
	a.VBROADCASTSD(operand.Mem{Base: q}, other)
	for i := range numbers {
		a.VCMPPD(ltOQ, numbers[i], other, less[i])
	}
	for i := range numbers {
		a.VPSUBQ(less[i], ranks[i], ranks[i]) // less is -1
	}
	a.ADDQ(operand.U8(8), q)
	a.CMPQ(q, end)
	a.JB(to(loop))
	for i, r := range ranks {
		a.VMOVDQU(r, operand.Mem{Base: out, Disp: 32 * i})
	}
	a.SUBQ(operand.I8(-128), p)
	a.SUBQ(operand.I8(-128), out)
	a.CMPQ(p, end)
	a.JB(to(sixteen))
	a.finish()
}

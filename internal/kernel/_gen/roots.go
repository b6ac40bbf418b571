package main

import (
	"github.com/mmcloughlin/avo/operand"
)

// roots takes the square roots of nq times eight numbers at dist, in place.
func roots(a *asm) {
	p, left := a.field("dist"), a.field("nq")
	loop, v, width := a.label("loop"), a.isa.vectors(), a.isa.width()
	a.Label(loop)
	for i := range 8 / width {
		a.VSQRTPD(operand.Mem{Base: p, Disp: 8 * width * i}, v[i])
		a.VMOVUPD(v[i], operand.Mem{Base: p, Disp: 8 * width * i})
	}
	a.ADDQ(operand.U8(64), p)
	a.SUBQ(operand.U8(1), left)
	a.JGT(to(loop))
	a.finish()
}

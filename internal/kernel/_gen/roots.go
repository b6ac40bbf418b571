package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rootsAVX2 and rootsAVX512 take the square roots of nq times eight numbers at
// dist, in place.
func rootsAVX2(a *asm) {
	a.roots(func(p reg.GPVirtual) {
		for i := range 2 {
			a.VSQRTPD(operand.Mem{Base: p, Disp: 32 * i}, ymm[i])
			a.VMOVUPD(ymm[i], operand.Mem{Base: p, Disp: 32 * i})
		}
	})
}

func rootsAVX512(a *asm) {
	a.roots(func(p reg.GPVirtual) {
		a.VSQRTPD(operand.Mem{Base: p}, zmm[0])
		a.VMOVUPD(zmm[0], operand.Mem{Base: p})
	})
}

func (a *asm) roots(eight func(p reg.GPVirtual)) {
	p, left := a.field("dist"), a.field("nq")
	loop := a.label("loop")
	a.Label(loop)
	eight(p)
	a.ADDQ(operand.U8(64), p)
	a.SUBQ(operand.U8(1), left)
	a.JGT(to(loop))
	a.finish()
}

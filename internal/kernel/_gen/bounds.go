package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// boundsAVX512 finds the least and the largest coordinates of nq times eight
// points that lie one after the other, coordinate after coordinate: dim
// registers hold eight points, so that a lane always has the same coordinate. The
// results of all lanes go to dist, the least first.
func boundsAVX512(a *asm) {
	p, left := a.field("d"), a.field("nq")
	least, most, x := zmm[:a.dim], zmm[8:8+a.dim], zmm[16]
	for i := range a.dim {
		a.VMOVUPD(operand.Mem{Base: p, Disp: 64 * i}, least[i])
		a.VMOVAPD(least[i], most[i])
	}
	loop := a.label("loop")
	a.Label(loop)
	for i := range a.dim {
		a.VMOVUPD(operand.Mem{Base: p, Disp: 64 * i}, x)
		a.VMINPD(x, least[i], least[i])
		a.VMAXPD(x, most[i], most[i])
	}
	a.ADDQ(operand.U32(64*a.dim), p)
	a.SUBQ(operand.U8(1), left)
	a.JGT(to(loop))
	out := a.field("dist")
	for i, r := range append(append([]reg.VecPhysical{}, least...), most...) {
		a.VMOVUPD(r, operand.Mem{Base: out, Disp: 64 * i})
	}
	a.finish()
}

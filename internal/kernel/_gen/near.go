package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// emitNearAVX512 is emitSquaredAVX512 that compares a query with the boxes of
// eight runs at a time, and looks at the runs that are left. These are mostly
// leaves of a tree, which begin and end with whole blocks.
func emitNearAVX512(a *asm) {
	q, t, sum, x, y, zero := zmm[:8], zmm[8], zmm[9], zmm[10], zmm[11], zmm[12]
	ids := zmm[13].AsY()
	a.VBROADCASTSD(a.arg("t"), t)
	a.VPXORQ(zero, zero, zero)
	a.emitQueries(true, func(e *emission) {
		a.loadQueries(1, q)
		eight, next, run, full, tail, ran := a.label("eight"), a.label("next"), a.label("run"), a.label("full"), a.label("tail"), a.label("ran")
		box, near, rest := a.GP64(), a.GP64(), a.GP64()
		a.MOVQ(a.arg("boxes"), box)
		first := a.GP64()
		a.MOVQ(a.arg("runs"), first)
		a.MOVQ(first, a.arg("nextRow"))
		a.Label(eight)
		for c := range a.dim {
			a.VMOVUPD(operand.Mem{Base: box, Disp: 128 * c}, x)
			a.VSUBPD(q[c], x, x)
			a.VSUBPD(operand.Mem{Base: box, Disp: 128*c + 64}, q[c], y)
			a.VMAXPD(x, y, x)
			a.VMAXPD(x, zero, x)
			if c == 0 {
				a.VMULPD(x, x, sum)
			} else {
				a.VMULPD(x, x, x)
				a.VADDPD(x, sum, sum)
			}
		}
		a.VCMPPD(leOQ, t, sum, reg.K1)
		a.KMOVB(reg.K1, near.As32())
		a.TESTL(near.As32(), near.As32())
		a.JEQ(to(next))
		a.Label(run)
		lane := a.GP64()
		a.TZCNTL(near.As32(), lane.As32())
		a.SHLQ(operand.U8(3), lane)
		a.ADDQ(a.arg("nextRow"), lane)
		a.MOVL(operand.Mem{Base: lane, Disp: 4}, rest.As32())
		a.MOVL(operand.Mem{Base: lane}, lane.As32())
		a.at(lane, e.id, "id")
		a.SUBQ(lane, rest)
		emit := func(mask bool) {
			a.squared(q, 0, sum, x)
			if mask {
				a.VCMPPD(leOQ, t, sum, reg.K2, reg.K1)
			} else {
				a.VCMPPD(leOQ, t, sum, reg.K1)
			}
			a.VMOVDQU32(operand.Mem{Base: e.id}, ids)
			a.VPCOMPRESSD_Z(ids, reg.K1, ids)
			a.VCOMPRESSPD_Z(sum, reg.K1, sum)
			a.VMOVDQU32(ids, e.place())
			a.VMOVUPD(sum, e.distPlace())
			bits := a.GP64()
			a.KMOVB(reg.K1, bits.As32())
			a.advance(e, bits)
		}
		a.Label(full)
		a.SUBQ(operand.U8(8), rest)
		a.JLT(to(tail))
		emit(false)
		a.ADDQ(operand.U8(64), a.p)
		a.ADDQ(operand.U8(32), e.id)
		a.JMP(to(full))
		a.Label(tail)
		a.ADDQ(operand.U8(8), rest)
		a.JEQ(to(ran))
		mask := a.lowBits(rest)
		a.KMOVB(mask.As32(), reg.K2)
		emit(true)
		a.Label(ran)
		a.BLSRL(near.As32(), near.As32())
		a.JNE(to(run))
		a.Label(next)
		a.ADDQ(operand.U32(128*a.dim), box)
		a.ADDQ(operand.U8(64), a.arg("nextRow"))
		a.MOVQ(a.arg("runsEnd"), first)
		a.CMPQ(first, a.arg("nextRow"))
		a.JA(to(eight))
	})
}

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A boxTest is what differs between the instruction sets where queries are compared
// with boxes of candidates.
type boxTest struct {
	v    []reg.VecPhysical
	emit func(e *emission, mask reg.GPVirtual)
	zero func(v reg.VecPhysical)
	abs  func(sign, v reg.VecPhysical) // clears the bits of sign
	// within sets the bits of near for the lanes of sum that are at most t, for
	// boxes from lane on.
	within func(t, sum reg.VecPhysical, lane int, near reg.GPVirtual)
}

// nearAVX512 and nearAVX2 write emitNear and, if wraps is set, emitWrapped.
func nearAVX512(wraps bool) func(*asm) {
	return func(a *asm) {
		a.emitNear(wraps, &boxTest{
			v: zmm, emit: a.emitEight(),
			zero: func(v reg.VecPhysical) { a.VPXORQ(v, v, v) },
			abs:  func(sign, v reg.VecPhysical) { a.VPANDNQ(v, sign, v) },
			within: func(t, sum reg.VecPhysical, _ int, near reg.GPVirtual) {
				a.VCMPPD(leOQ, t, sum, reg.K1)
				a.KMOVB(reg.K1, near.As32())
			},
		})
	}
}

func nearAVX2(wraps bool) func(*asm) {
	return func(a *asm) {
		a.emitNear(wraps, &boxTest{
			v: ymm, emit: a.emitFour(true),
			zero: func(v reg.VecPhysical) { a.VPXOR(v, v, v) },
			abs:  func(sign, v reg.VecPhysical) { a.VANDNPD(v, sign, v) },
			within: func(t, sum reg.VecPhysical, lane int, near reg.GPVirtual) {
				a.VCMPPD(leOQ, t, sum, sum)
				if lane == 0 {
					a.VMOVMSKPD(sum, near.As32())
					return
				}
				bits := a.GP64()
				a.VMOVMSKPD(sum, bits.As32())
				a.SHLL(operand.U8(lane), bits.As32())
				a.ORL(bits.As32(), near.As32())
			},
		})
	}
}

// emitNear is emitSquared with a box for each run: it compares a query with eight
// boxes at a time, and searches only the runs of boxes within reach. Most are leaves
// of a tree, which begin and end with whole blocks. If wraps is set, differences are
// those to the nearest image.
func (a *asm) emitNear(wraps bool, n *boxTest) {
	t, sum, x, y, zero := n.v[8], n.v[9], n.v[10], n.v[13], n.v[14]
	n.zero(zero)
	if wraps {
		sign := n.v[15]
		a.VBROADCASTSD(a.lanes("sign", 1, func(int) uint64 { return 1 << 63 }), sign)
		a.image = func(c int, v reg.VecPhysical) {
			n.abs(sign, v)
			a.fromSide(c, y)
			a.VSUBPD(v, y, y)
			a.VMINPD(v, y, v)
		}
	}
	a.emitQueries(true, func(e *emission) {
		a.loadQueries(1, n.v[:8])
		eight, next, run, full, tail, ran := a.label("eight"), a.label("next"), a.label("run"), a.label("full"), a.label("tail"), a.label("ran")
		box, near, rest := a.field("boxes"), a.GP64(), a.GP64()
		a.MOVQ(box, a.arg("nextBox"))
		first := a.field("runs")
		a.MOVQ(first, a.arg("nextRow"))
		a.Label(eight)
		a.MOVQ(a.arg("nextBox"), box)
		for lane := 0; lane < 8; lane += a.isa.width() {
			for c := range a.dim {
				a.VMOVUPD(operand.Mem{Base: box, Disp: 128*c + 8*lane}, x)
				a.VSUBPD(n.v[c], x, x)
				a.VSUBPD(operand.Mem{Base: box, Disp: 128*c + 64 + 8*lane}, n.v[c], y)
				if wraps {
					a.wrapGap(c, x, y, n.v[12])
				} else {
					a.VMAXPD(x, y, x)
				}
				a.VMAXPD(x, zero, x)
				if c == 0 {
					a.VMULPD(x, x, sum)
				} else {
					a.VMULPD(x, x, x)
					a.VADDPD(x, sum, sum)
				}
			}
			n.within(t, sum, lane, near)
		}
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
		a.Label(full)
		a.SUBQ(operand.U8(a.isa.width()), rest)
		a.JLT(to(tail))
		n.emit(e, nil)
		a.stepBy(e.id)
		a.JMP(to(full))
		a.Label(tail)
		a.ADDQ(operand.U8(a.isa.width()), rest)
		a.JEQ(to(ran))
		n.emit(e, a.lowBits(rest))
		a.Label(ran)
		a.BLSRL(near.As32(), near.As32())
		a.JNE(to(run))
		a.Label(next)
		a.ADDQ(operand.U32(128*a.dim), a.arg("nextBox"))
		a.ADDQ(operand.U8(64), a.arg("nextRow"))
		a.MOVQ(a.arg("runsEnd"), first)
		a.CMPQ(first, a.arg("nextRow"))
		a.JA(to(eight))
	})
}

// fromSide sets all lanes of v to the side of coordinate c.
func (a *asm) fromSide(c int, v reg.VecPhysical) {
	side := a.field("side")
	a.VBROADCASTSD(operand.Mem{Base: side, Disp: 8 * c}, v)
}

// wrapGap sets x to the least difference of coordinate c, from the nearest
// image, between the query and points in a box, or less than 0 where it is 0.
// x and y are how far the query is before the one end of the box and behind
// the other: less than 0 inside. The farthest point of the box is as far as the
// end that is farther, the lesser of them with the sign changed. free is lost.
func (a *asm) wrapGap(c int, x, y, free reg.VecPhysical) {
	a.VMINPD(x, y, free)
	a.VMAXPD(x, y, x)
	a.fromSide(c, y)
	a.VADDPD(free, y, y)
	a.VMINPD(x, y, x)
}

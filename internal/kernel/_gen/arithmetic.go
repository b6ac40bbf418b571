package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// arithmetic applies operation first to the nq times eight numbers at q and, if it has
// two operands, at d, and writes the results to dist. Operations are in the order of
// the Operations of package kernel.
func arithmetic(a *asm) {
	v, width := a.isa.vectors(), a.isa.width()
	bits, x, z := v[0], v[1:3], v[3:5]
	operations := []struct {
		two  bool
		bits uint64 // for all lanes of a register
		f    func(y operand.Op, x, z reg.VecPhysical)
	}{
		{two: true, f: func(y operand.Op, x, z reg.VecPhysical) { a.VADDPD(y, x, z) }},
		{two: true, f: func(y operand.Op, x, z reg.VecPhysical) { a.VSUBPD(y, x, z) }},
		{two: true, f: func(y operand.Op, x, z reg.VecPhysical) { a.VMULPD(y, x, z) }},
		{two: true, f: func(y operand.Op, x, z reg.VecPhysical) { a.VDIVPD(y, x, z) }},
		{two: true, bits: one, f: a.truth(ltOQ, bits)},
		{two: true, bits: one, f: a.truth(leOQ, bits)},
		{bits: 1 << 63, f: func(_ operand.Op, x, z reg.VecPhysical) { a.VXORPD(bits, x, z) }},
		{bits: 1<<63 - 1, f: func(_ operand.Op, x, z reg.VecPhysical) { a.VANDPD(bits, x, z) }},
		{f: func(_ operand.Op, x, z reg.VecPhysical) { a.VSQRTPD(x, z) }},
	}
	p, q, out, left, operation := a.field("q"), a.field("d"), a.field("dist"), a.field("nq"), a.field("first")
	end := a.label("end")
	for i, o := range operations {
		next, loop := a.label("next"), a.label("loop")
		a.CMPQ(operation, operand.U8(i))
		a.JNE(to(next))
		if o.bits != 0 {
			r := a.GP64()
			a.MOVQ(operand.U64(o.bits), r)
			a.VMOVQ(r, bits.AsX())
			a.VPBROADCASTQ(bits.AsX(), bits)
		}
		a.Label(loop)
		for k := range 8 / width {
			a.VMOVUPD(operand.Mem{Base: p, Disp: 8 * width * k}, x[k])
			o.f(operand.Mem{Base: q, Disp: 8 * width * k}, x[k], z[k])
			a.VMOVUPD(z[k], operand.Mem{Base: out, Disp: 8 * width * k})
		}
		a.ADDQ(operand.U8(64), p)
		if o.two {
			a.ADDQ(operand.U8(64), q)
		}
		a.ADDQ(operand.U8(64), out)
		a.SUBQ(operand.U8(1), left)
		a.JGT(to(loop))
		a.JMP(to(end))
		a.Label(next)
	}
	a.Label(end)
	a.finish()
}

// one is the bits of 1.
const one = 0x3ff << 52

// truth returns what makes 1 of a comparison that holds and 0 of others: x < y as y > x
// would, false for NaN. bits are 1 in all lanes.
func (a *asm) truth(predicate operand.U8, bits reg.VecPhysical) func(y operand.Op, x, z reg.VecPhysical) {
	return func(y operand.Op, x, z reg.VecPhysical) {
		if a.isa == avx512 {
			a.VCMPPD(predicate, y, x, reg.K1)
			a.VMOVAPD_Z(bits, reg.K1, z)
			return
		}
		a.VCMPPD(predicate, y, x, z)
		a.VANDPD(bits, z, z)
	}
}

// parts adds up the nq times eight numbers at q in parts: of each the multiple of a
// unit, that of a smaller one, and what is left. The units are what adding and
// subtracting the numbers at d rounds to. The sums of the first two go to dist, lane
// by lane, and after them the bits of all that is left.
func parts(a *asm) {
	v, width := a.isa.vectors(), a.isa.width()
	p, q, out, left := a.field("q"), a.field("d"), a.field("dist"), a.field("nq")
	first, second, x, part := v[0], v[1], v[2], v[3]
	n := 8 / width
	sums, smaller, rest := v[4:4+n], v[6:6+n], v[8:8+n]
	a.VBROADCASTSD(operand.Mem{Base: q}, first)
	a.VBROADCASTSD(operand.Mem{Base: q, Disp: 8}, second)
	for k := range n {
		for _, r := range []reg.VecPhysical{sums[k], smaller[k], rest[k]} {
			a.VXORPD(r, r, r)
		}
	}
	loop := a.label("loop")
	a.Label(loop)
	for k := range n {
		a.VMOVUPD(operand.Mem{Base: p, Disp: 8 * width * k}, x)
		for i, unit := range []reg.VecPhysical{first, second} {
			a.VADDPD(unit, x, part)
			a.VSUBPD(unit, part, part)
			a.VSUBPD(part, x, x)
			a.VADDPD(part, [][]reg.VecPhysical{sums, smaller}[i][k], [][]reg.VecPhysical{sums, smaller}[i][k])
		}
		a.VORPD(x, rest[k], rest[k])
	}
	a.ADDQ(operand.U8(64), p)
	a.SUBQ(operand.U8(1), left)
	a.JGT(to(loop))
	for k := range n {
		for i, r := range []reg.VecPhysical{sums[k], smaller[k], rest[k]} {
			a.VMOVUPD(r, operand.Mem{Base: out, Disp: 64*i + 8*width*k})
		}
	}
	a.finish()
}

// most writes the largest magnitude of the nq times eight numbers at q to dist, lane
// by lane; NaN does not count.
func most(a *asm) {
	v, width := a.isa.vectors(), a.isa.width()
	p, out, left := a.field("q"), a.field("dist"), a.field("nq")
	bits, x := v[0], v[1]
	n := 8 / width
	all := v[2 : 2+n]
	r := a.GP64()
	a.MOVQ(operand.U64(1<<63-1), r)
	a.VMOVQ(r, bits.AsX())
	a.VPBROADCASTQ(bits.AsX(), bits)
	for k := range n {
		a.VXORPD(all[k], all[k], all[k])
	}
	loop := a.label("loop")
	a.Label(loop)
	for k := range n {
		a.VANDPD(operand.Mem{Base: p, Disp: 8 * width * k}, bits, x)
		a.VMAXPD(all[k], x, all[k]) // the second where one is NaN
	}
	a.ADDQ(operand.U8(64), p)
	a.SUBQ(operand.U8(1), left)
	a.JGT(to(loop))
	for k := range n {
		a.VMOVUPD(all[k], operand.Mem{Base: out, Disp: 8 * width * k})
	}
	a.finish()
}

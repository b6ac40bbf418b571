package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// makeKeysAVX512 writes the keys of nq candidates to keys, but for the one whose
// ID is to be skipped and for keys behind firstKey. It leaves their number in n,
// and up to a register behind them is overwritten.
func makeKeysAVX512(a *asm) {
	k := newKeying(a)
	most, place, step := zmm[0], zmm[1], zmm[2]
	keys, left, n, some := a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(a.arg("dist"), k.dist)
	a.MOVQ(a.arg("id"), k.id)
	a.MOVQ(a.arg("keys"), keys)
	a.MOVQ(a.arg("skips"), some)
	a.VPBROADCASTD(operand.Mem{Base: some}, k.skip.AsY())
	a.VPBROADCASTQ(a.arg("firstKey"), most)
	a.MOVQ(a.arg("nq"), left)
	a.VPBROADCASTQ(left, k.number)
	a.VMOVDQU64(k.places(), place)
	a.MOVQ(operand.U32(8), some)
	a.VPBROADCASTQ(some, step)
	a.XORQ(n, n)
	next := a.label("next")
	a.Label(next)
	key := zmm[3]
	a.VMOVDQA64(place, key)
	k.make(0, key)
	a.VPCMPUQ(operand.U8(2), most, key, reg.K1, reg.K1)
	a.VPCOMPRESSQ_Z(key, reg.K1, key)
	a.VMOVDQU64(key, operand.Mem{Base: keys, Index: n, Scale: 8})
	a.KMOVB(reg.K1, some.As32())
	a.POPCNTL(some.As32(), some.As32())
	a.ADDQ(some, n)
	a.VPADDQ(step, place, place)
	a.ADDQ(operand.U8(64), k.dist)
	a.ADDQ(operand.U8(32), k.id)
	a.SUBQ(operand.U8(8), left)
	a.JG(to(next))
	a.MOVQ(n, a.arg("n"))
	a.finish()
}

// sortKeysAVX512 sorts nq ≤ 64 keys where they are.
func sortKeysAVX512(a *asm) {
	k, n := newKeying(a), newNetwork(a)
	keys, m := a.field("keys"), a.field("nq")
	a.VPBROADCASTQ(m, k.number)
	n.byLength(m, func() {
		for i, key := range n.r {
			k.reload(keys, i, key)
		}
		n.exchange()
		for i, r := range n.transposed() {
			k.there(i, k.x)
			a.VMOVDQU64(r, reg.K1, operand.Mem{Base: keys, Disp: 64 * i})
		}
		a.finish()
	})
}

// there sets the bits of K1 for the places from 8·i on where there are keys.
func (k *keying) there(i int, place reg.VecPhysical) {
	at := k.places()
	at.Disp = 64 * i
	k.VMOVDQU64(at, place)
	k.VPCMPUQ(operand.U8(1), k.number, place, reg.K1)
}

// reload sets key to the keys from 8·i on, and to keys behind all others where
// there are none.
func (k *keying) reload(from reg.GPVirtual, i int, key reg.VecPhysical) {
	k.there(i, k.x)
	k.VPTERNLOGQ(operand.U8(0xff), key, key, key)
	k.VMOVDQU64(operand.Mem{Base: from, Disp: 64 * i}, reg.K1, key)
}

// transposed returns 2, 4 or 8 registers with the keys in order, which were in order
// lane by lane before.
func (n *network) transposed() []reg.VecPhysical {
	low := func(a, b, to reg.VecPhysical) { n.VPUNPCKLQDQ(b, a, to) }
	high := func(a, b, to reg.VecPhysical) { n.VPUNPCKHQDQ(b, a, to) }
	shuffle := func(order int) func(a, b, to reg.VecPhysical) {
		return func(a, b, to reg.VecPhysical) { n.VSHUFI64X2(operand.U8(order), b, a, to) }
	}
	even, odd := shuffle(0x88), shuffle(0xdd)
	n.pairs(1, low, high)
	switch len(n.r) {
	case 8:
		n.pairs(2, even, odd)
		n.pairs(4, even, odd)
		return n.r
	case 4:
		n.pairs(2, even, odd)
		n.pairs(1, even, odd)
		return []reg.VecPhysical{n.r[0], n.r[2], n.r[1], n.r[3]}
	}
	// The registers alternate every 128 bits.
	n.pairs(1, shuffle(0x44), shuffle(0xee))
	for _, r := range n.r {
		n.VSHUFI64X2(operand.U8(0xd8), r, r, r)
	}
	return n.r
}

// pairs makes two registers of each two whose numbers differ by distance.
func (n *network) pairs(distance int, first, second func(a, b, to reg.VecPhysical)) {
	out := make([]reg.VecPhysical, len(n.r))
	for i := range n.r {
		if i&distance == 0 {
			a, b := n.r[i], n.r[i+distance]
			out[i], out[i+distance] = n.take(), n.take()
			first(a, b, out[i])
			second(a, b, out[i+distance])
			n.put(a, b)
		}
	}
	n.r = out
}

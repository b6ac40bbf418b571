package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	slotBits  = 12 // of a key: the place of its candidate in the list
	leastSort = 64 // keys that a network sorts
)

// A keying makes keys of candidates: the bits of d², which for numbers that
// are not negative have their order, with the place of the candidate instead
// of the last bits. Places without a candidate get keys behind all others, no
// two of which differ in the last bits only.
type keying struct {
	*asm
	dist, id reg.GPVirtual   // the candidates
	number   reg.VecPhysical // how many there are, in all lanes
	skip     reg.VecPhysical // the ID that gets no key
	clear    reg.VecPhysical // the bits of d² that stay
	x        reg.VecPhysical
}

// load sets key to those of the candidates from 8·i on.
func (k *keying) load(i int, key reg.VecPhysical) {
	place := k.lanes("places", leastSort, func(i int) uint64 { return uint64(i) })
	empty := k.lanes("empty", leastSort, func(i int) uint64 { return ^uint64(i) << slotBits })
	place.Disp, empty.Disp = 64*i, 64*i
	ids := k.x.AsY()
	k.VMOVDQU64(place, key)
	k.VPCMPUQ(operand.U8(1), k.number, key, reg.K1)
	k.VMOVDQU32_Z(operand.Mem{Base: k.id, Disp: 32 * i}, reg.K1, ids)
	k.VPCMPUD(operand.U8(4), k.skip.AsY(), ids, reg.K1, reg.K1)
	// key = d² & clear | place, by a table of its three operands.
	k.VMOVDQU64_Z(operand.Mem{Base: k.dist, Disp: 64 * i}, reg.K1, k.x)
	k.VPTERNLOGQ(operand.U8(0xf8), k.clear, k.x, key)
	k.KNOTB(reg.K1, reg.K1)
	k.VMOVDQU64(empty, reg.K1, key)
}

// newKeying returns a keying, and an empty network, in the registers from 8 on.
func newKeying(a *asm) (*keying, *network) {
	k := &keying{asm: a, dist: a.GP64(), id: a.GP64(), number: zmm[24], skip: zmm[25], clear: zmm[26], x: zmm[27]}
	bits := a.GP64()
	a.MOVQ(operand.I32(-1<<slotBits), bits)
	a.VPBROADCASTQ(bits, k.clear)
	n := &network{asm: a, reverse: zmm[28]}
	n.prepare()
	return k, n
}

// reset gives the network r registers.
func (n *network) reset(r int) {
	n.r, n.free = append(n.r[:0], zmm[:r]...), append(n.free[:0], zmm[r:r+3]...)
}

// sort loads keys into r registers and sorts them.
func (n *network) sort(k *keying, r int) {
	n.reset(r)
	for i, key := range n.r {
		k.load(i, key)
	}
	n.exchange()
}

// leastAVX512 writes the k least of each of nq lists in order, until a list
// has more candidates than a network takes or two keys that differ in the last
// bits only. Lists of less than end candidates are passed over.
func leastAVX512(a *asm) {
	k, n := newKeying(a)
	a.MOVQ(a.arg("dist"), k.dist)
	a.MOVQ(a.arg("id"), k.id)
	a.point("nextCount", "count", "first", 4)
	a.point("nextSkip", "skips", "first", 4)
	list, next, end := a.label("list"), a.label("next"), a.label("end")
	m, p := a.GP64(), a.GP64()
	a.Label(list)
	a.SUBQ(operand.U8(1), a.arg("nq"))
	a.JLT(to(end))
	a.MOVQ(a.arg("nextCount"), p)
	a.MOVL(operand.Mem{Base: p}, m.As32())
	a.CMPQ(m, a.arg("end"))
	a.JLT(to(next))
	a.CMPQ(m, operand.U8(leastSort))
	a.JA(to(end))
	a.VPBROADCASTQ(m, k.number)
	a.MOVQ(a.arg("nextSkip"), p)
	a.VPBROADCASTD(operand.Mem{Base: p}, k.skip.AsY())
	two, four := a.label("two"), a.label("four")
	a.CMPQ(m, operand.U8(16))
	a.JBE(to(two))
	a.CMPQ(m, operand.U8(32))
	a.JBE(to(four))
	for r := 8; r >= 2; r /= 2 {
		switch r {
		case 4:
			a.Label(four)
		case 2:
			a.Label(two)
		}
		n.sort(k, r)
		n.store()
		n.jumpIfClose(k, end)
		n.pick(k)
		a.JMP(to(next))
	}
	a.Label(next)
	size := a.GP64()
	a.MOVQ(a.arg("last"), size)
	a.SHLQ(operand.U8(2), size)
	a.ADDQ(size, a.arg("out"))
	a.SHLQ(operand.U8(1), size)
	a.ADDQ(size, a.arg("outDist"))
	a.LEAQ(operand.Mem{Base: k.dist, Index: m, Scale: 8}, k.dist)
	a.LEAQ(operand.Mem{Base: k.id, Index: m, Scale: 4}, k.id)
	a.ADDQ(operand.U8(4), a.arg("nextCount"))
	a.MOVQ(a.arg("skipStep"), p)
	a.ADDQ(p, a.arg("nextSkip"))
	a.JMP(to(list))
	a.Label(end)
	a.ADDQ(operand.U8(1), a.arg("nq"))
	a.finish()
}

// jumpIfClose jumps if two keys differ in the place of their candidates only.
func (n *network) jumpIfClose(k *keying, label string) {
	last := len(n.r) - 1
	least := n.take()
	n.VALIGNQ(operand.U8(1), n.r[0], n.r[0], least)
	n.VPXORQ(n.r[last], least, least)
	x := n.take()
	for i := range last {
		n.VPXORQ(n.r[i], n.r[i+1], x)
		n.VPMINUQ(x, least, least)
	}
	n.VPTESTNMQ(k.clear, least, reg.K1)
	n.KORTESTB(reg.K1, reg.K1)
	n.JNE(to(label))
}

// store writes the keys to memory, register by register: in halves, as a store
// of 64 bytes is not read back before it is through.
func (n *network) store() {
	keys := n.GP64()
	n.MOVQ(n.arg("keys"), keys)
	for i, r := range n.r {
		n.VMOVDQU(r.AsY(), operand.Mem{Base: keys, Disp: 64 * i})
		n.VEXTRACTI64X4(operand.U8(1), r, operand.Mem{Base: keys, Disp: 64*i + 32})
	}
}

// pick writes the first candidates in the order of their keys: a lane of the
// network at a time, which may be more than asked for.
func (n *network) pick(k *keying) {
	keys, dist, id, left := n.GP64(), n.GP64(), n.GP64(), n.GP64()
	n.MOVQ(n.arg("keys"), keys)
	n.MOVQ(n.arg("outDist"), dist)
	n.MOVQ(n.arg("out"), id)
	n.MOVQ(n.arg("last"), left)
	lane := n.label("lane")
	n.Label(lane)
	for i := range n.r {
		place, x := n.GP64(), n.GP64()
		n.MOVL(operand.Mem{Base: keys, Disp: 64 * i}, place.As32())
		n.ANDL(operand.U32(1<<slotBits-1), place.As32())
		n.MOVQ(operand.Mem{Base: k.dist, Index: place, Scale: 8}, x)
		n.MOVQ(x, operand.Mem{Base: dist, Disp: 8 * i})
		n.MOVL(operand.Mem{Base: k.id, Index: place, Scale: 4}, x.As32())
		n.MOVL(x.As32(), operand.Mem{Base: id, Disp: 4 * i})
	}
	n.ADDQ(operand.U8(8), keys)
	n.ADDQ(operand.U8(8*len(n.r)), dist)
	n.ADDQ(operand.U8(4*len(n.r)), id)
	n.SUBQ(operand.U8(len(n.r)), left)
	n.JGT(to(lane))
}

// sortKeysAVX512 sorts nq ≤ 64 keys at dist, and stores them at keys: in order
// where there are more than 32, and else as the network leaves them.
func sortKeysAVX512(a *asm) {
	k, n := newKeying(a)
	from, m := a.GP64(), a.GP64()
	a.MOVQ(a.arg("dist"), from)
	a.MOVQ(a.arg("nq"), m)
	a.VPBROADCASTQ(m, k.number)
	two, four := a.label("two"), a.label("four")
	a.CMPQ(m, operand.U8(16))
	a.JBE(to(two))
	a.CMPQ(m, operand.U8(32))
	a.JBE(to(four))
	for r := 8; r >= 2; r /= 2 {
		switch r {
		case 4:
			a.Label(four)
		case 2:
			a.Label(two)
		}
		n.reset(r)
		for i, key := range n.r {
			k.reload(from, i, key)
		}
		n.exchange()
		if r == 8 {
			to := a.GP64()
			a.MOVQ(a.arg("keys"), to)
			for i, r := range n.transposed() {
				a.VMOVDQU64(r, operand.Mem{Base: to, Disp: 64 * i})
			}
		} else {
			n.store()
		}
		a.finish()
	}
}

// reload sets key to the keys from 8·i on, and to keys behind all others where
// there are none.
func (k *keying) reload(from reg.GPVirtual, i int, key reg.VecPhysical) {
	place := k.lanes("places", leastSort, func(i int) uint64 { return uint64(i) })
	place.Disp = 64 * i
	k.VMOVDQU64(place, k.x)
	k.VPCMPUQ(operand.U8(1), k.number, k.x, reg.K1)
	k.VPTERNLOGQ(operand.U8(0xff), key, key, key)
	k.VMOVDQU64(operand.Mem{Base: from, Disp: 64 * i}, reg.K1, key)
}

// transposed returns the keys of eight registers so that they ascend within
// registers.
func (n *network) transposed() []reg.VecPhysical {
	r := n.r
	pairs := func(distance int, low, high func(a, b reg.VecPhysical) reg.VecPhysical) {
		out := make([]reg.VecPhysical, len(r))
		for i := range r {
			if i&distance == 0 {
				out[i], out[i+distance] = low(r[i], r[i+distance]), high(r[i], r[i+distance])
				n.put(r[i], r[i+distance])
			}
		}
		r = out
	}
	shuffle := func(order int) func(a, b reg.VecPhysical) reg.VecPhysical {
		return func(a, b reg.VecPhysical) reg.VecPhysical {
			to := n.take()
			n.VSHUFI64X2(operand.U8(order), b, a, to)
			return to
		}
	}
	pairs(1, func(a, b reg.VecPhysical) reg.VecPhysical {
		to := n.take()
		n.VPUNPCKLQDQ(b, a, to)
		return to
	}, func(a, b reg.VecPhysical) reg.VecPhysical {
		to := n.take()
		n.VPUNPCKHQDQ(b, a, to)
		return to
	})
	pairs(2, shuffle(0x88), shuffle(0xdd))
	pairs(4, shuffle(0x88), shuffle(0xdd))
	// Register bits and lane bits have changed places in this order.
	n.r = r
	return r
}

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
// are not negative sort like the numbers, with the place of the candidate in the
// last bits. Places without a candidate get keys behind all others, no
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
	place, empty := k.places(), k.lanes("empty", leastSort, func(i int) uint64 { return ^uint64(i) << slotBits })
	place.Disp, empty.Disp = 64*i, 64*i
	k.VMOVDQU64(place, key)
	k.make(i, key)
	k.KNOTB(reg.K1, reg.K1)
	k.VMOVDQU64(empty, reg.K1, key)
}

// places are the numbers from 0 on.
func (k *keying) places() operand.Mem {
	return k.lanes("places", leastSort, func(i int) uint64 { return uint64(i) })
}

// make makes keys of places and the candidates from 8·i on, and sets the bits of
// K1 where they are keys.
func (k *keying) make(i int, key reg.VecPhysical) {
	ids := k.x.AsY()
	k.VPCMPUQ(operand.U8(1), k.number, key, reg.K1)
	k.VMOVDQU32_Z(operand.Mem{Base: k.id, Disp: 32 * i}, reg.K1, ids)
	k.VPCMPUD(operand.U8(4), k.skip.AsY(), ids, reg.K1, reg.K1)
	// key = d² & clear | place, by a table of its three operands.
	k.VMOVDQU64_Z(operand.Mem{Base: k.dist, Disp: 64 * i}, reg.K1, k.x)
	k.VPTERNLOGQ(operand.U8(0xf8), k.clear, k.x, key)
}

// newKeying returns a keying in the registers from 24 on.
func newKeying(a *asm) *keying {
	k := &keying{asm: a, dist: a.GP64(), id: a.GP64(), number: zmm[24], skip: zmm[25], clear: zmm[26], x: zmm[27]}
	bits := a.GP64()
	a.MOVQ(operand.I32(-1<<slotBits), bits)
	a.VPBROADCASTQ(bits, k.clear)
	return k
}

// newNetwork returns a network without registers yet.
func newNetwork(a *asm) *network {
	n := &network{asm: a, reverse: zmm[28]}
	n.prepare()
	return n
}

// byLength writes sort for networks of 8, 4 and 2 registers, and jumps to the
// smallest that takes m keys. The code of sort must not fall through.
func (n *network) byLength(m reg.GPVirtual, sort func()) {
	two, four := n.label("two"), n.label("four")
	n.CMPQ(m, operand.U8(16))
	n.JBE(to(two))
	n.CMPQ(m, operand.U8(32))
	n.JBE(to(four))
	for r := 8; r >= 2; r /= 2 {
		switch r {
		case 4:
			n.Label(four)
		case 2:
			n.Label(two)
		}
		n.r, n.free = append(n.r[:0], zmm[:r]...), append(n.free[:0], zmm[r:r+3]...)
		sort()
	}
}

// sort loads keys into the registers and sorts them.
func (n *network) sort(k *keying) {
	for i, key := range n.r {
		k.load(i, key)
	}
	n.exchange()
}

// leastAVX512 writes the k least of each of nq lists in order, until a list
// has more candidates than a network takes or two keys that differ in the last
// bits only. Lists of less than end candidates are passed over.
func leastAVX512(a *asm) {
	k, n := newKeying(a), newNetwork(a)
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
	n.byLength(m, func() {
		n.sort(k)
		n.store()
		n.jumpIfClose(k, end)
		n.pick(k)
		a.JMP(to(next))
	})
	a.Label(next)
	size := a.field("last")
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
	keys := n.field("keys")
	for i, r := range n.r {
		n.VMOVDQU(r.AsY(), operand.Mem{Base: keys, Disp: 64 * i})
		n.VEXTRACTI64X4(operand.U8(1), r, operand.Mem{Base: keys, Disp: 64*i + 32})
	}
}

// pick writes the first candidates in the order of their keys: a lane of the
// network at a time, which may be more than asked for.
func (n *network) pick(k *keying) {
	keys, dist, id, left := n.field("keys"), n.field("outDist"), n.field("out"), n.field("last")
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

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// nearestAVX512 writes the scan for one query that keeps its list of the
// 8·blocks nearest in registers: squared distances ascending, and IDs widened
// to 64 bits beside them. Candidates within the bound, which is the last
// element that is asked for, are inserted one by one without a branch on
// where they belong.
func nearestAVX512(blocks int) func(*asm) {
	return func(a *asm) {
		s := &nearestScan{
			asm: a, dist: zmm[:blocks], ids: zmm[4 : 4+blocks],
			q: zmm[8:16], bound: zmm[16], sum: zmm[17], x: zmm[18], id: zmm[19],
			v: zmm[20], vid: zmm[21], first: zmm[22], last: zmm[23],
			shifted: zmm[24], shiftedID: zmm[25],
		}
		s.scan()
	}
}

type nearestScan struct {
	*asm
	dist, ids          []reg.VecPhysical // the list
	q                  []reg.VecPhysical
	bound              reg.VecPhysical // the last distance asked for, in all lanes
	sum, x, id         reg.VecPhysical // the candidates
	v, vid             reg.VecPhysical // the candidate being inserted, in all lanes
	first              reg.VecPhysical // -Inf: what shifts into the list's head
	last               reg.VecPhysical // the lane of the last element asked for
	shifted, shiftedID reg.VecPhysical
}

func (s *nearestScan) scan() {
	dist, ids := s.field("dist"), s.field("out")
	for b := range s.dist {
		s.VMOVUPD(operand.Mem{Base: dist, Disp: 64 * b}, s.dist[b])
		s.VPMOVZXDQ(operand.Mem{Base: ids, Disp: 32 * b}, s.ids[b])
	}
	s.VPBROADCASTQ(s.arg("last"), s.last)
	minusInf := s.GP64()
	s.MOVQ(operand.U64(0xfff0000000000000), minusInf)
	s.VPBROADCASTQ(minusInf, s.first)
	s.newBound()
	s.loadQueries(1, s.q)

	idp := s.GP64()
	l := s.beginRuns(idp, "id")
	some, tail, advance := s.label("some"), s.label("tail"), s.label("advance")
	full := s.label("full")
	bits := s.GP64()
	s.Label(full)
	s.CMPQ(l.rest, operand.U8(8))
	s.JLT(to(tail))
	s.squared(s.q, 0, s.sum, s.x)
	s.VCMPPD(leOQ, s.bound, s.sum, reg.K1)
	s.KMOVB(reg.K1, bits.As32())
	s.TESTL(bits.As32(), bits.As32())
	s.JNE(to(some))
	s.Label(advance)
	s.ADDQ(operand.U8(64), s.p)
	s.ADDQ(operand.U8(32), idp)
	s.SUBQ(operand.U8(8), l.rest)
	s.JGT(to(full))
	s.JMP(to(l.next))

	s.Label(tail)
	s.TESTQ(l.rest, l.rest)
	s.JEQ(to(l.next))
	s.squared(s.q, 0, s.sum, s.x)
	s.VCMPPD(leOQ, s.bound, s.sum, reg.K1)
	s.KMOVB(reg.K1, bits.As32())
	s.BZHIL(l.rest.As32(), bits.As32(), bits.As32())
	s.JEQ(to(l.next))

	s.Label(some)
	s.VPMOVZXDQ(operand.Mem{Base: idp}, s.id)
	insert, tie, skip := s.label("insert"), s.label("tie"), s.label("skip")
	s.Label(insert)
	lane, number := s.GP64(), s.GP64()
	s.TZCNTL(bits.As32(), lane.As32())
	s.MOVL(operand.Mem{Base: idp, Index: lane, Scale: 4}, number.As32())
	s.CMPQ(number, s.arg("skip"))
	s.JEQ(to(skip))
	s.VPBROADCASTQ(lane, s.x)
	s.VPERMPD(s.sum, s.x, s.v)
	s.VPERMQ(s.id, s.x, s.vid)
	for b, d := range s.dist {
		s.VCMPPD(operand.U8(0), s.v, d, reg.K1)
		if b == 0 {
			s.KMOVB(reg.K1, reg.K2)
		} else {
			s.KORB(reg.K1, reg.K2, reg.K2)
		}
	}
	s.KORTESTB(reg.K2, reg.K2)
	s.JNE(to(tie))
	s.insert(false)
	s.Label(skip)
	s.BLSRL(bits.As32(), bits.As32()) // the flags say whether others are left
	s.JNE(to(insert))
	s.newBound()
	s.JMP(to(advance))

	// The list has this distance: the lower ID goes first.
	s.Label(tie)
	s.insert(true)
	s.JMP(to(skip))
	s.Label(l.done)

	s.MOVQ(s.arg("dist"), dist)
	s.MOVQ(s.arg("out"), ids)
	for b := range s.dist {
		s.VMOVUPD(s.dist[b], operand.Mem{Base: dist, Disp: 64 * b})
		s.VPMOVQD(s.ids[b], operand.Mem{Base: ids, Disp: 32 * b})
	}
	s.finish()
}

func (s *nearestScan) newBound() {
	s.VPERMPD(s.dist[len(s.dist)-1], s.last, s.bound)
}

// insert puts v before the elements that are greater. Block by block from the
// end, each lane keeps its element if that is not greater, takes v if the
// element before it is not greater, and that element otherwise.
func (s *nearestScan) insert(ties bool) {
	for b := len(s.dist) - 1; b >= 0; b-- {
		d, id := s.dist[b], s.ids[b]
		before, beforeID := s.first, s.first
		if b > 0 {
			before, beforeID = s.dist[b-1], s.ids[b-1]
		}
		s.VALIGNQ(operand.U8(7), before, d, s.shifted)
		s.VALIGNQ(operand.U8(7), beforeID, id, s.shiftedID)
		s.greater(d, id, reg.K1, ties)
		s.greater(s.shifted, s.shiftedID, reg.K2, ties)
		s.KANDNB(reg.K1, reg.K2, reg.K3)
		if ties {
			s.VMOVAPD(s.shifted, reg.K1, d)
			s.VMOVAPD(s.v, reg.K3, d)
		} else {
			s.VMAXPD(s.v, s.shifted, s.shifted)
			s.VMINPD(s.shifted, d, d)
		}
		s.VMOVDQA64(s.shiftedID, reg.K1, id)
		s.VMOVDQA64(s.vid, reg.K3, id)
	}
}

// greater sets k where (d, id) comes after the candidate.
func (s *nearestScan) greater(d, id reg.VecPhysical, k reg.OpmaskPhysical, ties bool) {
	s.VCMPPD(ltOQ, d, s.v, k)
	if ties {
		s.VCMPPD(operand.U8(0), d, s.v, reg.K4)
		s.VPCMPUQ(operand.U8(1), id, s.vid, reg.K4, reg.K4)
		s.KORB(k, reg.K4, k)
	}
}

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// histCopies is the number of counters of each bin: neighbouring pairs often
// fall in one bin, and would wait for each other's increments. histStride is
// the distance in bytes from one copy of the counters to the next, for 2048
// bins; the copies begin in different quarters of a page, as the processor
// first looks for conflicts by the place in the page.
const (
	histRound  = 8 // numbers counted in a round
	histCopies = 8
	histStride = 4*2048 + 512
)

// histQueries writes the frame of the histogram kernels: query after query,
// the candidates (row, end) and those of the runs, a vector at a time. pairs
// handles one block: all of it, or the first rest candidates in a tail.
func (a *asm) histQueries(q []reg.VecPhysical, pairs func(rest reg.GPVirtual, tail bool)) {
	a.MOVQ(a.arg("first"), a.p)
	a.MOVQ(a.p, a.arg("nextRow"))
	walk := func(rest reg.GPVirtual, next string) {
		a.walk(rest, next, func(tail bool) { pairs(rest, tail) })
	}
	query, others, end := a.label("query"), a.label("others"), a.label("end")
	a.Label(query)
	a.SUBQ(operand.U8(1), a.arg("nq"))
	a.JLT(to(end))
	a.loadQueries(1, q)
	a.ADDQ(operand.U8(8), a.arg("nextQ"))

	row := a.field("nextRow")
	a.ADDQ(operand.U8(1), row)
	a.MOVQ(row, a.arg("nextRow"))
	rest := a.field("end")
	a.SUBQ(row, rest)
	a.JLE(to(others))
	a.at(row, nil, "")
	walk(rest, others)
	a.Label(others)
	l := a.beginRuns(nil, "")
	walk(l.rest, l.next)
	a.endRuns(l)
	a.JMP(to(query))
	a.Label(end)
}

// histInRange writes a histogram kernel: squared distances below the last edge
// are put one after another into a buffer, which has room for all candidates
// of a call, and counted at the end. store appends the d² of one block, or of the
// first rest candidates in a tail, to buffer at n.
func (a *asm) histInRange(q []reg.VecPhysical, store func(rest, buffer, n reg.GPVirtual, tail bool)) {
	buffer, n := a.field("dist"), a.GP64()
	a.XORL(n.As32(), n.As32())
	a.histQueries(q, func(rest reg.GPVirtual, tail bool) { store(rest, buffer, n, tail) })
	a.countBins(buffer, n)
	a.finish()
}

// countBins counts the n numbers of buffer. Their leading bits, the key, look
// up a word that, added to the bits of the number, leaves its bin above shift
// bits: the bin of the least number with that key, and a carry from the bits
// below if the number is not less than the one edge that may follow.
func (a *asm) countBins(buffer, n reg.GPVirtual) {
	// Numbers that fill up the last round go to the bin beyond the last edge.
	last := a.field("t")
	for i := range histRound - 1 {
		a.MOVQ(last, operand.Mem{Base: buffer, Index: n, Scale: 8, Disp: 8 * i})
	}
	table, bins, shift, key := a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(a.arg("table"), table)
	a.MOVQ(a.arg("firstKey"), key)
	a.SHLQ(operand.U8(3), key)
	a.SUBQ(key, table)
	a.MOVQ(a.arg("bins"), bins)
	a.MOVQ(a.arg("shift"), shift)
	a.LEAQ(operand.Mem{Base: buffer, Index: n, Scale: 8}, n)
	loop, done := a.label("count"), a.label("done")
	a.CMPQ(buffer, n)
	a.JAE(to(done))
	a.Label(loop)
	for i := range histRound {
		d2, key := a.GP64(), a.GP64()
		a.MOVQ(operand.Mem{Base: buffer, Disp: 8 * i}, d2)
		a.SHRXQ(shift, d2, key)
		a.ADDQ(operand.Mem{Base: table, Index: key, Scale: 8}, d2)
		a.SHRXQ(shift, d2, d2)
		a.INCL(operand.Mem{Base: bins, Index: d2, Scale: 4, Disp: i % histCopies * histStride})
	}
	a.ADDQ(operand.U8(8*histRound), buffer)
	a.CMPQ(buffer, n)
	a.JB(to(loop))
	a.Label(done)
}

func histAVX512(a *asm) {
	q, t, low, sum, x := zmm[:8], zmm[8], zmm[9], zmm[10], zmm[11]
	a.VBROADCASTSD(a.arg("t"), t)
	a.VBROADCASTSD(a.arg("low"), low)
	a.histInRange(q, func(rest, buffer, n reg.GPVirtual, tail bool) {
		a.squared(q, 0, sum, x)
		a.compare(ltOQ, t, sum, a.tailMask(rest, tail), reg.K1)
		a.VMAXPD(low, sum, sum)
		a.VCOMPRESSPD_Z(sum, reg.K1, sum)
		a.VMOVUPD(sum, operand.Mem{Base: buffer, Index: n, Scale: 8})
		a.ADDQ(a.ones(reg.K1), n)
	})
}

func histAVX2(a *asm) {
	q, t, low, sum, x := ymm[:8], ymm[8], ymm[9], ymm[10], ymm[11]
	table := a.GP64()
	a.LEAQ(a.toFront(), table)
	a.VBROADCASTSD(a.arg("t"), t)
	a.VBROADCASTSD(a.arg("low"), low)
	a.histInRange(q, func(rest, buffer, n reg.GPVirtual, tail bool) {
		a.squared(q, 0, sum, x)
		a.VCMPPD(ltOQ, t, sum, x)
		a.VMAXPD(low, sum, sum)
		bits, row := a.GP64(), a.GP64()
		a.VMOVMSKPD(x, bits.As32())
		if tail {
			a.BZHIL(rest.As32(), bits.As32(), bits.As32())
		}
		a.MOVL(bits.As32(), row.As32())
		a.SHLL(operand.U8(5), row.As32())
		a.VMOVDQU(operand.Mem{Base: table, Disp: squaresToFront, Index: row, Scale: 1}, x)
		a.VPERMD(sum, x, sum)
		a.VMOVUPD(sum, operand.Mem{Base: buffer, Index: n, Scale: 8})
		a.POPCNTL(bits.As32(), bits.As32())
		a.ADDQ(bits, n)
	})
}

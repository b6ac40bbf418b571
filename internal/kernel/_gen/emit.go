package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An emission is the state of the emit kernels: out[n] is the next place.
type emission struct {
	out, dist, n, id reg.GPVirtual
}

// emitQueries writes the frame of the emit kernels: query after query, body
// walks the runs, and the number of results goes to count. n goes on from
// where an earlier call left it, and so does nextRow, the row of the query.
func (a *asm) emitQueries(dist bool, body func(*emission)) {
	e := &emission{out: a.GP64(), n: a.GP64(), id: a.GP64()}
	a.MOVQ(a.arg("out"), e.out)
	if dist {
		e.dist = a.GP64()
		a.MOVQ(a.arg("dist"), e.dist)
	}
	a.MOVQ(a.arg("n"), e.n)
	query, end := a.label("query"), a.label("end")
	a.Label(query)
	a.SUBQ(operand.U8(1), a.arg("nq"))
	a.JLT(to(end))
	a.MOVQ(e.n, a.arg("n"))
	body(e)
	a.ADDQ(operand.U8(8), a.arg("nextQ"))
	count, found := a.field("nextCount"), a.GP64()
	a.MOVQ(e.n, found)
	a.SUBQ(a.arg("n"), found)
	a.MOVL(found.As32(), operand.Mem{Base: count})
	a.ADDQ(operand.U8(4), a.arg("nextCount"))
	a.ADDQ(operand.U8(1), a.arg("nextRow"))
	a.JMP(to(query))
	a.Label(end)
	a.MOVQ(e.n, a.arg("n"))
	a.finish()
}

// advance adds the number of bits set in bits, which is overwritten, to n.
func (a *asm) advance(e *emission, bits reg.GPVirtual) {
	a.POPCNTL(bits.As32(), bits.As32())
	a.ADDQ(bits, e.n)
}

func (e *emission) place() operand.Mem { return operand.Mem{Base: e.out, Index: e.n, Scale: 4} }
func (e *emission) distPlace() operand.Mem {
	return operand.Mem{Base: e.dist, Index: e.n, Scale: 8}
}

// emitRuns walks the runs in blocks of width candidates that start at
// multiples of align, so that loads do not straddle cache lines where columns
// start on one: that matters more than idle lanes. emit handles one block, or only
// the lanes of mask if that is not nil; half says that they are all in the first
// half. The candidates around the
// query's own row are the first two runs, if there are any: those after the row
// up to end, and those from begin up to the row.
func (a *asm) emitRuns(e *emission, width, align int, emit func(mask reg.GPVirtual, half bool)) {
	l := &runLoop{run: a.GP64(), rest: a.GP64(), next: a.label("run"), done: a.label("ran")}
	lo, body := a.GP64(), a.label("body")
	after := a.label("after")
	a.MOVQ(a.arg("runs"), l.run)
	a.SUBQ(operand.U8(8), l.run)
	a.MOVQ(a.arg("nextRow"), lo)
	a.ADDQ(operand.U8(1), lo)
	a.MOVQ(a.arg("end"), l.rest)
	a.SUBQ(lo, l.rest)
	a.JG(to(body))
	a.Label(l.next)
	a.CMPQ(l.run, a.arg("runs"))
	a.JGE(to(after)) // signed: without runs both are about 0
	a.ADDQ(operand.U8(8), l.run)
	a.MOVQ(a.arg("begin"), lo)
	a.MOVQ(a.arg("nextRow"), l.rest)
	a.SUBQ(lo, l.rest)
	a.JG(to(body))
	a.Label(after)
	a.CMPQ(l.run, a.arg("runsEnd"))
	a.JAE(to(l.done))
	a.MOVL(operand.Mem{Base: l.run}, lo.As32())
	a.MOVL(operand.Mem{Base: l.run, Disp: 4}, l.rest.As32())
	a.ADDQ(operand.U8(8), l.run)
	a.SUBQ(lo, l.rest)
	a.JEQ(to(l.next))
	a.Label(body)
	a.at(lo, e.id, "id")
	// The run starts skew lanes into its first block.
	skew, mask := a.GP64(), a.GP64()
	a.MOVL(lo.As32(), skew.As32())
	a.ANDL(operand.U8(align-1), skew.As32())
	a.ADDQ(skew, l.rest)
	a.MOVQ(operand.I32(-1), mask)
	a.SHLXQ(skew, mask, mask)
	a.NEGQ(skew)
	a.LEAQ(operand.Mem{Base: a.p, Index: skew, Scale: 8}, a.p)
	a.LEAQ(operand.Mem{Base: e.id, Index: skew, Scale: 4}, e.id)
	step := func() {
		a.SUBQ(operand.I8(-8*width), a.p)
		a.ADDQ(operand.U8(4*width), e.id)
		a.SUBQ(operand.U8(width), l.rest)
	}
	full, all, last := a.label("full"), a.label("all"), a.label("last")
	a.CMPQ(l.rest, operand.U8(width))
	a.JLE(to(last))
	emit(mask, false)
	step()
	a.Label(full)
	a.CMPQ(l.rest, operand.U8(width))
	a.JLE(to(all))
	emit(nil, false)
	step()
	a.JMP(to(full))
	a.Label(all)
	a.MOVL(operand.I32(-1), mask.As32())
	a.Label(last)
	a.BZHIL(l.rest.As32(), mask.As32(), mask.As32())
	if width > 8 {
		half := a.label("half")
		a.CMPQ(l.rest, operand.U8(width/2))
		a.JLE(to(half))
		emit(mask, false)
		a.JMP(to(l.next))
		a.Label(half)
	}
	emit(mask, width > 8)
	a.endRuns(l)
}

// emitAVX512 compares sixteen candidates at a time, compresses their IDs in a
// register and stores all of it: compressing to memory is microcoded on AMD.
func emitAVX512(a *asm) {
	q, t, sum, x, ids := zmm[:8], zmm[8], zmm[9], zmm[10], zmm[11]
	a.VBROADCASTSD(a.arg("t"), t)
	a.emitQueries(false, func(e *emission) {
		a.loadQueries(1, q)
		a.emitRuns(e, 16, 8, func(mask reg.GPVirtual, half bool) {
			var lanes reg.Register // of eight candidates
			if mask != nil {
				lanes = reg.K3
				a.KMOVW(mask.As32(), lanes)
			}
			compare := func(disp int, k reg.OpmaskPhysical) {
				a.squared(q, disp, sum, x)
				a.compare(leOQ, t, sum, lanes, k)
			}
			compare(0, reg.K1)
			var ids reg.Register = ids
			if half {
				ids = zmm[11].AsY()
			} else {
				if mask != nil {
					a.KSHIFTRW(operand.U8(8), reg.K3, reg.K3)
				}
				compare(64, reg.K2)
				a.KUNPCKBW(reg.K1, reg.K2, reg.K1)
			}
			a.VMOVDQU32(operand.Mem{Base: e.id}, ids)
			a.VPCOMPRESSD_Z(ids, reg.K1, ids)
			a.VMOVDQU32(ids, e.place())
			bits := a.GP64()
			a.KMOVW(reg.K1, bits.As32())
			a.advance(e, bits)
		})
	})
}

func emitSquaredAVX512(a *asm) {
	emit := a.emitEight()
	a.emitQueries(true, func(e *emission) {
		a.loadQueries(1, zmm[:8])
		a.emitRuns(e, 8, 8, func(mask reg.GPVirtual, _ bool) { emit(e, mask) })
	})
}

// emitEight returns a function that appends those of the next eight candidates that
// are within t of the query in registers 0 to 7, and their d². A mask selects lanes.
func (a *asm) emitEight() func(e *emission, mask reg.GPVirtual) {
	q, t, sum, x := zmm[:8], zmm[8], zmm[9], zmm[10]
	ids := zmm[11].AsY()
	a.VBROADCASTSD(a.arg("t"), t)
	return func(e *emission, mask reg.GPVirtual) {
		a.squared(q, 0, sum, x)
		var lanes reg.Register
		if mask != nil {
			lanes = reg.K2
			a.KMOVB(mask.As32(), lanes)
		}
		a.compare(leOQ, t, sum, lanes, reg.K1)
		a.VMOVDQU32(operand.Mem{Base: e.id}, ids)
		a.VPCOMPRESSD_Z(ids, reg.K1, ids)
		a.VCOMPRESSPD_Z(sum, reg.K1, sum)
		a.VMOVDQU32(ids, e.place())
		a.VMOVUPD(sum, e.distPlace())
		a.ADDQ(a.ones(reg.K1), e.n)
	}
}

// toFront is a constant that holds, for each of sixteen masks of four lanes,
// the indices that bring the chosen lanes to the front: first those of bytes
// for VPSHUFB on 32-bit lanes, then those of double words for VPERMD on
// 64-bit lanes.
func (a *asm) toFront() operand.Mem {
	return a.constant("toFront", func() {
		for _, i := range frontIndices(4) {
			a.AppendDatum(operand.U8(i))
		}
		for _, i := range frontIndices(2) {
			a.AppendDatum(operand.U32(i))
		}
	})
}

// squaresToFront is the place of the second part.
const squaresToFront = 16 * 16

// frontIndices lists the permutations for lanes of the given number of units;
// places without a lane get index 0.
func frontIndices(units int) []int {
	var all []int
	for mask := range 16 {
		index := make([]int, 0, 4*units)
		for lane := range 4 {
			for u := range units {
				if mask>>lane&1 == 1 {
					index = append(index, lane*units+u)
				}
			}
		}
		all = append(all, index[:cap(index)]...)
	}
	return all
}

// emitAVX2 is the AVX2 form of both: of emitSquared if dist is set.
func emitAVX2(dist bool) func(*asm) {
	return func(a *asm) {
		emit := a.emitFour(dist)
		a.emitQueries(dist, func(e *emission) {
			a.loadQueries(1, ymm[:8])
			a.emitRuns(e, 4, 4, func(mask reg.GPVirtual, _ bool) { emit(e, mask) })
		})
	}
}

// emitFour is emitEight for AVX2: four candidates at a time, brought to the
// front by a permutation that the mask of those near looks up.
func (a *asm) emitFour(dist bool) func(e *emission, mask reg.GPVirtual) {
	q, t, sum, x, le := ymm[:8], ymm[8], ymm[9], ymm[10], ymm[11]
	ids := ymm[12].AsX()
	table := a.GP64()
	a.LEAQ(a.toFront(), table)
	a.VBROADCASTSD(a.arg("t"), t)
	return func(e *emission, mask reg.GPVirtual) {
		a.squared(q, 0, sum, x)
		a.VCMPPD(leOQ, t, sum, le)
		a.VMOVDQU(operand.Mem{Base: e.id}, ids)
		bits, row := a.GP64(), a.GP64()
		a.VMOVMSKPD(le, bits.As32())
		if mask != nil {
			a.ANDL(mask.As32(), bits.As32())
		}
		a.MOVL(bits.As32(), row.As32())
		a.SHLL(operand.U8(4), row.As32())
		a.VPSHUFB(operand.Mem{Base: table, Index: row, Scale: 1}, ids, ids)
		a.VMOVDQU(ids, e.place())
		if dist {
			a.VMOVDQU(operand.Mem{Base: table, Disp: squaresToFront, Index: row, Scale: 2}, le)
			a.VPERMD(sum, le, sum)
			a.VMOVUPD(sum, e.distPlace())
		}
		a.advance(e, bits)
	}
}

package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	leUQ = operand.U8(2) // predicates of VPCMPUQ
	ltUQ = operand.U8(1)

	windowSize = 5 * 8 // of a Window, of which the first words are Lo, From, To
	windowFar  = 4     // times that a window moves by eight cells for one query
)

// A windowing compares eight keys with the ends of a window.
type windowing struct {
	query func(key operand.Mem)            // loads the key of a query
	ends  func(from, to operand.Mem)       // adds the ends of a window to it
	below func(keys operand.Mem, g reg.GP) // sets a bit for each key below the window
	upTo  func(keys operand.Mem, g reg.GP) // and for each that is not above it
}

func windowsAVX512(a *asm) {
	key, from, last, keys := zmm[0], zmm[1], zmm[2], zmm[3]
	compare := func(predicate operand.U8, end reg.VecPhysical) func(operand.Mem, reg.GP) {
		return func(m operand.Mem, g reg.GP) {
			a.VMOVDQU64(m, keys)
			a.VPCMPUQ(predicate, end, keys, reg.K1)
			a.KMOVB(reg.K1, g.As32())
		}
	}
	a.windows(&windowing{
		query: func(m operand.Mem) { a.VPBROADCASTQ(m, key) },
		ends: func(lo, hi operand.Mem) {
			a.VPADDQ_BCST(lo, key, from)
			a.VPADDQ_BCST(hi, key, last)
		},
		below: compare(ltUQ, from),
		upTo:  compare(leUQ, last),
	})
}

// windowsAVX2 compares as if keys had signs: they are below 2^63.
func windowsAVX2(a *asm) {
	key, from, last, x, y := ymm[0], ymm[1], ymm[2], ymm[3], ymm[4]
	second := func(m operand.Mem) operand.Mem {
		m.Disp += 32
		return m
	}
	bits := func(g reg.GP) {
		more := a.GP64()
		a.VMOVMSKPD(x, g.As32())
		a.VMOVMSKPD(y, more.As32())
		a.SHLL(operand.U8(4), more.As32())
		a.ORL(more.As32(), g.As32())
	}
	a.windows(&windowing{
		query: func(m operand.Mem) { a.VPBROADCASTQ(m, key) },
		ends: func(lo, hi operand.Mem) {
			a.VPBROADCASTQ(lo, from)
			a.VPADDQ(key, from, from)
			a.VPBROADCASTQ(hi, last)
			a.VPADDQ(key, last, last)
		},
		below: func(m operand.Mem, g reg.GP) {
			a.VPCMPGTQ(m, from, x) // from is greater
			a.VPCMPGTQ(second(m), from, y)
			bits(g)
		},
		upTo: func(m operand.Mem, g reg.GP) {
			a.VMOVDQU(m, x)
			a.VMOVDQU(second(m), y)
			a.VPCMPGTQ(last, x, x)
			a.VPCMPGTQ(last, y, y)
			bits(g)
			a.XORL(operand.U32(255), g.As32())
		},
	})
}

// windows writes the cells in each window of nq queries to runs, range after
// range, n of them by now, and their number after each query to count. It stops
// before a query for which a window moves far; nq is then how many queries are
// left, without this one, and otherwise -1.
func (a *asm) windows(v *windowing) {
	a.point("nextQ", "q", "begin", 8) // begin is 0
	a.point("nextCount", "count", "first", 4)
	keys, cells, n := a.field("keys"), a.field("runs"), a.field("n")
	w, end, p := a.GP64(), a.GP64(), a.GP64()
	a.IMUL3Q(operand.U8(windowSize), a.arg("end"), end)
	a.ADDQ(a.arg("table"), end)
	query, window, again, more, extend, found, far, done := a.label("query"), a.label("window"), a.label("again"), a.label("more"), a.label("extend"), a.label("found"), a.label("far"), a.label("done")

	a.Label(query)
	a.SUBQ(operand.U8(1), a.arg("nq"))
	a.JLT(to(done))
	a.MOVQ(a.arg("nextQ"), p)
	v.query(operand.Mem{Base: p})
	a.ADDQ(operand.U8(8), a.arg("nextQ"))
	a.MOVQ(a.arg("table"), w)
	a.Label(window)
	lo, hi, below, upTo := a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(operand.Mem{Base: w}, lo)
	v.ends(operand.Mem{Base: w, Disp: 8}, operand.Mem{Base: w, Disp: 16})
	a.MOVQ(operand.I32(windowFar), a.arg("last"))
	a.Label(again)
	v.below(operand.Mem{Base: keys, Index: lo, Scale: 8}, below)
	v.upTo(operand.Mem{Base: keys, Index: lo, Scale: 8}, upTo)
	a.CMPL(upTo.As32(), operand.U32(255))
	a.JEQ(to(more))
	a.POPCNTL(below.As32(), below.As32())
	a.POPCNTL(upTo.As32(), hi.As32())
	a.ADDQ(lo, hi)
	a.ADDQ(below, lo)
	a.Label(found)
	a.MOVQ(lo, operand.Mem{Base: w})
	a.MOVL(lo.As32(), operand.Mem{Base: cells, Index: n, Scale: 8})
	a.MOVL(hi.As32(), operand.Mem{Base: cells, Disp: 4, Index: n, Scale: 8})
	a.CMPQ(lo, hi)
	a.ADCQ(operand.U8(0), n) // is written over if there is none
	a.ADDQ(operand.U8(windowSize), w)
	a.CMPQ(w, end)
	a.JB(to(window))
	a.MOVQ(a.arg("nextCount"), p)
	a.MOVL(n.As32(), operand.Mem{Base: p})
	a.ADDQ(operand.U8(4), a.arg("nextCount"))
	a.JMP(to(query))

	a.Label(more)
	a.CMPL(below.As32(), operand.U32(255))
	a.JNE(to(extend))
	a.ADDQ(operand.U8(8), lo)
	a.SUBQ(operand.U8(1), a.arg("last"))
	a.JGT(to(again))
	a.JMP(to(far))
	a.Label(extend)
	a.MOVQ(lo, hi)
	a.POPCNTL(below.As32(), below.As32())
	a.ADDQ(below, lo)
	next := a.label("next")
	a.Label(next)
	a.ADDQ(operand.U8(8), hi)
	v.upTo(operand.Mem{Base: keys, Index: hi, Scale: 8}, upTo)
	a.CMPL(upTo.As32(), operand.U32(255))
	a.JEQ(to(next))
	a.POPCNTL(upTo.As32(), upTo.As32())
	a.ADDQ(upTo, hi)
	a.JMP(to(found))
	a.Label(far)
	a.MOVQ(lo, operand.Mem{Base: w})
	a.Label(done)
	a.finish()
}

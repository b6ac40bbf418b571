package main

import (
	"math/bits"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tileFields are the words of the argument block of the kernels that count the
// pairs of a few points with a few others, in order: a multiple of eight.
var tileFields = []string{
	"q", "d", "nq", "n", "buffer", "found", "shifted", "weighted",
	"points", "stride", "weights", "out", "table", "table2", "shift", "shift2",
	"firstKey", "firstKey2", "cells", "width", "rest", "mode", "axis", "pad",
}

// tileNumbers follow the words: the shift and the box, each by coordinate, and
// others, each of them in eight lanes.
var tileNumbers = []string{
	"reach",       // d² of interest is less
	"low", "last", // the range of the first number: the table's, and its last edge
	"low2", "last2", // of the second
	"top2",                   // what the second is taken for if it is more
	"across", "shrink", "rp", // bounds of a first look, see tileMiddle
	"magnitude", // all bits but the sign
	"unit",      // 2⁵²
	"square",    // 2¹⁰⁴
	"centre",    // 1.5·2⁵²
	"one",       // the integer 1
}

// Places of those by coordinate.
const (
	slotShift = 0
	slotLeast = maxDim
	slotMost  = 2 * maxDim
	slotRest  = 3 * maxDim
)

// tileRoom is the distance in elements between the coordinates of points of a tile,
// and tileBuffer that between the numbers of the pairs that are found.
const (
	tileRoom   = 272
	tileBuffer = 1024 + 256 + 16
)

// The numbers of a pair in the buffer.
const (
	firstNumber = iota
	secondNumber
	productNumber
	lengthNumber
)

// slot is the number for all lanes of that place.
func (a *asm) slot(i int) operand.Mem {
	return operand.Mem{Base: a.args, Disp: 8*len(tileFields) + 64*i}
}

// number is that of tileNumbers.
func (a *asm) number(name string) operand.Mem {
	i := slices.Index(tileNumbers, name)
	if i < 0 {
		panic("no number " + name)
	}
	return a.slot(slotRest + i)
}

// A tiler writes one of the tile kernels.
type tiler struct {
	*asm
	v        []reg.VecPhysical
	n        reg.GPVirtual // pairs found
	to       reg.GPVirtual // the buffer, or the room of points
	table    reg.GPVirtual // of permutations
	x, y     reg.VecPhysical
	bits     reg.GPVirtual
	rest     reg.GPVirtual
	shifted  bool
	weighted bool
}

// cond is v < bound or, if not less, v ≤ bound.
type cond struct {
	predicate operand.U8
	bound     operand.Op
	v         reg.VecPhysical
}

func (a *asm) newTiler() *tiler {
	v := a.isa.vectors()
	t := &tiler{asm: a, v: v, n: a.GP64(), to: a.GP64(), x: v[14], y: v[15]}
	if a.isa == avx2 {
		t.table = a.GP64()
		a.LEAQ(a.toFront(), t.table)
	}
	return t
}

// where finds the lanes that all conditions hold for.
func (t *tiler) where(tail bool, conds ...cond) {
	if t.isa == avx512 {
		mask := t.tailMask(t.rest, tail)
		for _, c := range conds {
			if mask == nil {
				t.VCMPPD(c.predicate, c.bound, c.v, reg.K1)
			} else {
				t.VCMPPD(c.predicate, c.bound, c.v, mask, reg.K1)
			}
			mask = reg.K1
		}
		return
	}
	for i, c := range conds {
		to := t.x
		if i > 0 {
			to = t.y
		}
		t.VCMPPD(c.predicate, c.bound, c.v, to)
		if i > 0 {
			t.VANDPD(t.y, t.x, t.x)
		}
	}
	t.bits = t.GP64()
	t.VMOVMSKPD(t.x, t.bits.As32())
	if tail {
		t.BZHIL(t.rest.As32(), t.bits.As32(), t.bits.As32())
	}
	row := t.GP64()
	t.MOVL(t.bits.As32(), row.As32())
	t.SHLL(operand.U8(5), row.As32())
	t.VMOVDQU(operand.Mem{Base: t.table, Disp: squaresToFront, Index: row, Scale: 1}, t.x)
}

// keep stores those lanes of v one after another, disp bytes after element n.
func (t *tiler) keep(v reg.VecPhysical, disp int) {
	if t.isa == avx512 {
		t.VCOMPRESSPD_Z(v, reg.K1, v)
	} else {
		t.VPERMD(v, t.x, v)
	}
	t.VMOVUPD(v, operand.Mem{Base: t.to, Index: t.n, Scale: 8, Disp: disp})
}

// advance counts those lanes.
func (t *tiler) advance() {
	if t.isa == avx512 {
		t.ADDQ(t.ones(reg.K1), t.n)
		return
	}
	t.POPCNTL(t.bits.As32(), t.bits.As32())
	t.ADDQ(t.bits, t.n)
}

func (t *tiler) each(c int) operand.Mem { return operand.Mem{Base: t.p, Disp: 8 * tileRoom * c} }

// difference sets v to the differences of coordinate c, to the image at hand.
func (t *tiler) difference(c int, q, v reg.VecPhysical) {
	t.VSUBPD(t.each(c), q, v)
	if t.shifted {
		t.VADDPD(t.slot(slotShift+c), v, v)
	}
}

// product keeps the products of weights, each rounded once to an integer, to which
// ±2⁵² is added. w is the weight of the query; v and x are overwritten.
func (t *tiler) product(w, v, x reg.VecPhysical) {
	t.VMULPD(t.each(t.dim), w, v)
	t.VMOVUPD(t.number("magnitude"), x)
	t.VANDNPD(v, x, v)
	t.VORPD(t.number("unit"), v, v)
	t.VFMADD231PD(t.each(t.dim), w, v)
	t.keep(v, 8*tileBuffer*productNumber)
}

// tile writes the frame of the kernels that measure nq queries and n points. pairs
// measures a vector of pairs and keeps those of interest.
func (a *asm) tile(pairs func(t *tiler, tail bool)) {
	t := a.newTiler()
	a.p = a.GP64()
	a.MOVQ(a.arg("buffer"), t.to)
	a.MOVQ(a.arg("found"), t.n)
	end := a.label("end")
	weighted, shifted, both := a.label("weighted"), a.label("shifted"), a.label("both")
	a.CMPQ(a.arg("weighted"), operand.U8(0))
	a.JNE(to(weighted))
	a.CMPQ(a.arg("shifted"), operand.U8(0))
	a.JNE(to(shifted))
	a.tileQueries(t, end, pairs)
	a.Label(shifted)
	t.shifted = true
	a.tileQueries(t, end, pairs)
	a.Label(weighted)
	a.CMPQ(a.arg("shifted"), operand.U8(0))
	a.JNE(to(both))
	t.weighted, t.shifted = true, false
	a.tileQueries(t, end, pairs)
	a.Label(both)
	t.shifted = true
	a.tileQueries(t, end, pairs)
	a.Label(end)
	a.MOVQ(t.n, a.arg("found"))
	a.finish()
}

func (a *asm) tileQueries(t *tiler, end string, pairs func(t *tiler, tail bool)) {
	query, next := a.label("query"), a.label("queried")
	q := a.GP64()
	a.MOVQ(a.arg("q"), q)
	a.Label(query)
	coordinates := a.dim
	if t.weighted {
		coordinates++
	}
	for c := range coordinates {
		a.VBROADCASTSD(operand.Mem{Base: q, Disp: 8 * tileRoom * c}, t.v[c])
	}
	a.MOVQ(a.arg("d"), a.p)
	t.rest = a.GP64()
	a.MOVQ(a.arg("n"), t.rest)
	a.walk(t.rest, next, func(tail bool) { pairs(t, tail) })
	a.Label(next)
	a.ADDQ(operand.U8(8), q)
	a.SUBQ(operand.U8(1), a.arg("nq"))
	a.JNE(to(query))
	a.JMP(to(end))
}

// tileDistance keeps d² below the last edge.
func tileDistance(a *asm) {
	a.tile(func(t *tiler, tail bool) {
		sum, x := t.v[9], t.v[10]
		for c := range a.dim {
			v := x
			if c == 0 {
				v = sum
			}
			t.difference(c, t.v[c], v)
			a.VMULPD(v, v, v)
			if c > 0 {
				a.VADDPD(v, sum, sum)
			}
		}
		t.where(tail, cond{ltOQ, a.number("last"), sum})
		a.VMAXPD(a.number("low"), sum, sum)
		t.keep(sum, 8*tileBuffer*firstNumber)
		if t.weighted {
			t.product(t.v[a.dim], x, t.v[11])
		}
		t.advance()
	})
}

// tileAxis keeps rp² and π along the last of three coordinates.
func tileAxis(a *asm) {
	a.dim = 3
	a.tile(func(t *tiler, tail bool) {
		sum, x, pi := t.v[9], t.v[10], t.v[11]
		t.difference(2, t.v[2], pi)
		t.difference(0, t.v[0], sum)
		t.difference(1, t.v[1], x)
		a.VANDPD(a.number("magnitude"), pi, pi)
		a.VMULPD(sum, sum, sum)
		a.VMULPD(x, x, x)
		a.VADDPD(x, sum, sum)
		t.where(tail, cond{ltOQ, a.number("last"), sum}, cond{ltOQ, a.number("last2"), pi})
		a.VMAXPD(a.number("low"), sum, sum)
		a.VMAXPD(a.number("low2"), pi, pi)
		t.keep(sum, 8*tileBuffer*firstNumber)
		t.keep(pi, 8*tileBuffer*secondNumber)
		if t.weighted {
			t.product(t.v[3], x, t.v[12])
		}
		t.advance()
	})
}

// tileCosine keeps d² and π along coordinate axis of three.
func tileCosine(a *asm) {
	a.dim = 3
	a.tile(func(t *tiler, tail bool) {
		d, sum := t.v[8:11], t.v[13]
		for c := range 3 {
			t.difference(c, t.v[c], d[c])
		}
		pi := t.v[11]
		second, third, chosen := a.label("second"), a.label("third"), a.label("chosen")
		a.CMPQ(a.arg("axis"), operand.U8(1))
		a.JEQ(to(second))
		a.JA(to(third))
		a.VMOVAPD(d[0], pi)
		a.JMP(to(chosen))
		a.Label(second)
		a.VMOVAPD(d[1], pi)
		a.JMP(to(chosen))
		a.Label(third)
		a.VMOVAPD(d[2], pi)
		a.Label(chosen)
		a.VANDPD(a.number("magnitude"), pi, pi)
		a.VMULPD(d[0], d[0], sum)
		for c := range 2 {
			a.VMULPD(d[c+1], d[c+1], d[c+1])
			a.VADDPD(d[c+1], sum, sum)
		}
		t.where(tail, cond{ltOQ, a.number("last"), sum})
		t.keep(sum, 8*tileBuffer*firstNumber)
		t.keep(pi, 8*tileBuffer*secondNumber)
		if t.weighted {
			t.product(t.v[3], d[0], d[1])
		}
		t.advance()
	})
}

// tileMiddle keeps d², |s·l| and |l|² of pairs with the difference s and the sum l
// that may be below the last edges: by (d²·shrink - rp²)·l² ≤ (s·l)² ≤ π²·l², where
// all bounds are a little more than they have to be. Squares must not overflow, nor
// vanish.
func tileMiddle(a *asm) {
	a.dim = 3
	a.tile(func(t *tiler, tail bool) {
		d2, dot, length := t.v[4], t.v[5], t.v[6]
		s, l := t.v[7], t.v[8]
		for c := range 3 {
			t.difference(c, t.v[c], s)
			a.VADDPD(t.each(c), t.v[c], l)
			if c == 0 {
				a.VMULPD(s, s, d2)
				a.VMULPD(l, s, dot)
				a.VMULPD(l, l, length)
				continue
			}
			a.VMULPD(l, s, t.v[9])
			a.VMULPD(s, s, s)
			a.VMULPD(l, l, l)
			a.VADDPD(t.v[9], dot, dot)
			a.VADDPD(s, d2, d2)
			a.VADDPD(l, length, length)
		}
		square, least, most := t.v[9], t.v[10], t.v[11]
		a.VMULPD(dot, dot, square)
		a.VMULPD(a.number("across"), length, most)
		a.VMOVUPD(a.number("shrink"), least)
		a.VMULPD(d2, least, least)
		a.VSUBPD(a.number("rp"), least, least)
		a.VMULPD(length, least, least)
		a.VANDPD(a.number("magnitude"), dot, dot)
		t.where(tail, cond{ltOQ, a.number("reach"), d2}, cond{leOQ, square, least}, cond{leOQ, most, square})
		t.keep(d2, 8*tileBuffer*firstNumber)
		t.keep(dot, 8*tileBuffer*secondNumber)
		t.keep(length, 8*tileBuffer*lengthNumber)
		if t.weighted {
			t.product(t.v[3], t.v[7], t.v[8])
		}
		t.advance()
	})
}

// packTile keeps those of n points that may have a pair of interest with a point of
// the box, to whose images they are shifted.
func packTile(a *asm) { a.pack(a.dim) }

// packAxis is packTile for (rp, π), whose line of sight is the last coordinate.
func packAxis(a *asm) {
	a.dim = 3
	a.pack(2)
}

// pack sums the squares of the first coordinates only, and compares a further one
// by itself.
func (a *asm) pack(across int) {
	t := a.newTiler()
	a.p, t.rest = a.GP64(), a.GP64()
	a.MOVQ(a.arg("points"), a.p)
	a.MOVQ(a.arg("n"), t.rest)
	a.MOVQ(a.arg("out"), t.to)
	a.XORL(t.n.As32(), t.n.As32())
	stride, weights := a.field("stride"), a.field("weights")
	zero, sum, near, far := t.v[0], t.v[1], t.v[2], t.v[3]
	a.VXORPD(zero, zero, zero)
	done := a.label("packed")
	column := func(p reg.GPVirtual, c int) operand.Mem {
		if c > 0 {
			a.ADDQ(stride, p)
		}
		return operand.Mem{Base: p}
	}
	a.blocks(t.rest, func() { a.JEQ(to(done)) }, func(tail bool) {
		p := a.GP64()
		a.MOVQ(a.p, p)
		for c := range a.dim {
			a.VMOVUPD(column(p, c), far)
			a.VSUBPD(a.slot(slotMost+c), far, near)
			a.VADDPD(a.slot(slotShift+c), near, near)
			a.VMOVUPD(a.slot(slotLeast+c), t.v[4])
			a.VSUBPD(far, t.v[4], far)
			a.VSUBPD(a.slot(slotShift+c), far, far)
			a.VMAXPD(far, near, near)
			a.VMAXPD(zero, near, near)
			if c == across {
				break
			}
			if c == 0 {
				a.VMULPD(near, near, sum)
				continue
			}
			a.VMULPD(near, near, near)
			a.VADDPD(near, sum, sum)
		}
		if across < a.dim {
			t.where(tail, cond{ltOQ, a.number("last"), sum}, cond{ltOQ, a.number("last2"), near})
		} else {
			t.where(tail, cond{ltOQ, a.number("reach"), sum})
		}
		p = a.GP64()
		a.MOVQ(a.p, p)
		for c := range a.dim {
			a.VMOVUPD(column(p, c), near)
			t.keep(near, 8*tileRoom*c)
		}
		skip := a.label("skip")
		a.TESTQ(weights, weights)
		a.JEQ(to(skip))
		a.VMOVUPD(operand.Mem{Base: weights}, near)
		a.ADDQ(operand.U8(8*a.isa.width()), weights)
		t.keep(near, 8*tileRoom*a.dim)
		a.Label(skip)
		t.advance()
	}, func() { a.stepBy(nil) })
	a.Label(done)
	a.MOVQ(t.n, a.arg("found"))
	a.finish()
}

// The modes of finishTile are kinds of pairs.
const (
	finishAxisMu   = 2 + iota // d² and π become d² and μ
	finishMiddle              // d², |s·l| and |l|² become rp² and π
	finishMiddleMu            // or d² and μ
)

// finishTile makes the numbers of the pairs found, from rest on, those that are
// binned, in the ranges that the tables have.
func finishTile(a *asm) {
	v, width := a.isa.vectors(), a.isa.width()
	p, end := a.field("buffer"), a.GP64()
	a.MOVQ(a.arg("found"), end)
	a.LEAQ(operand.Mem{Base: p, Index: end, Scale: 8}, end)
	rest := a.field("rest")
	a.LEAQ(operand.Mem{Base: p, Index: rest, Scale: 8}, p)
	d2, pi, x, zero := v[0], v[1], v[2], v[3]
	element := func(i int) operand.Mem { return operand.Mem{Base: p, Disp: 8 * tileBuffer * i} }
	done := a.label("done")
	a.VXORPD(zero, zero, zero)
	loop := func(mode int) {
		start := a.label("loop")
		a.CMPQ(p, end)
		a.JAE(to(done))
		a.Label(start)
		a.VMOVUPD(element(firstNumber), d2)
		a.VMOVUPD(element(secondNumber), pi)
		if mode != finishAxisMu {
			a.VSQRTPD(element(lengthNumber), x)
			a.VDIVPD(x, pi, pi)
		}
		if mode == finishMiddle {
			a.VMULPD(pi, pi, x)
			a.VSUBPD(x, d2, d2)
			a.VMAXPD(zero, d2, d2)
		} else {
			a.VSQRTPD(d2, x)
			a.VDIVPD(x, pi, pi)
			if a.isa == avx512 { // 0 where d² is
				a.VCMPPD(ltOQ, d2, zero, reg.K1)
				a.VMOVAPD_Z(pi, reg.K1, pi)
			} else {
				a.VCMPPD(ltOQ, d2, zero, x)
				a.VANDPD(x, pi, pi)
			}
		}
		a.VMAXPD(a.number("low2"), pi, pi)
		a.VMINPD(a.number("top2"), pi, pi)
		a.VMAXPD(a.number("low"), d2, d2)
		a.VMINPD(a.number("last"), d2, d2)
		a.VMOVUPD(d2, element(firstNumber))
		a.VMOVUPD(pi, element(secondNumber))
		a.ADDQ(operand.U8(8*width), p)
		a.CMPQ(p, end)
		a.JB(to(start))
		a.JMP(to(done))
	}
	middle, axis := a.label("middle"), a.label("axis")
	a.CMPQ(a.arg("mode"), operand.U8(finishMiddle))
	a.JEQ(to(middle))
	a.JB(to(axis))
	loop(finishMiddleMu)
	a.Label(middle)
	loop(finishMiddle)
	a.Label(axis)
	loop(finishAxisMu)
	a.Label(done)
	a.finish()
}

// A binner finds the cells of pairs in the buffer.
type binner struct {
	*asm
	p, end, table, table2, shift, shift2, cells, width reg.GPVirtual
	plane                                              bool
}

// newBinner fills up the last round of the buffer with numbers that are beyond the
// last edges.
func (a *asm) newBinner(plane bool, round int) *binner {
	b := &binner{asm: a, p: a.field("buffer"), end: a.field("found"), table: a.field("table"), shift: a.field("shift"), cells: a.field("cells"), plane: plane}
	tables := []reg.GPVirtual{b.table}
	if plane {
		b.table2, b.shift2, b.width = a.field("table2"), a.field("shift2"), a.field("width")
		tables = append(tables, b.table2)
	}
	last := a.GP64()
	for n, table := range tables {
		key := a.field([]string{"firstKey", "firstKey2"}[n])
		a.SHLQ(operand.U8(3), key)
		a.SUBQ(key, table)
		a.MOVQ(a.number([]string{"last", "last2"}[n]), last)
		for i := range round - 1 {
			a.MOVQ(last, operand.Mem{Base: b.p, Index: b.end, Scale: 8, Disp: 8*i + 8*tileBuffer*n})
		}
	}
	a.LEAQ(operand.Mem{Base: b.p, Index: b.end, Scale: 8}, b.end)
	return b
}

// cell returns the cell of pair i of the round.
func (b *binner) cell(i int) reg.GPVirtual {
	find := func(disp int, table, shift reg.GPVirtual) reg.GPVirtual {
		v, key := b.GP64(), b.GP64()
		b.MOVQ(operand.Mem{Base: b.p, Disp: disp}, v)
		b.SHRXQ(shift, v, key)
		b.ADDQ(operand.Mem{Base: table, Index: key, Scale: 8}, v)
		b.SHRXQ(shift, v, v)
		return v
	}
	cell := find(8*i, b.table, b.shift)
	if b.plane {
		b.IMULQ(b.width, cell)
		b.ADDQ(find(8*i+8*tileBuffer, b.table2, b.shift2), cell)
	}
	return cell
}

// rounds writes the loop over all pairs, so many at a time.
func (b *binner) rounds(n int, round func()) {
	loop, done := b.label("count"), b.label("done")
	b.CMPQ(b.p, b.end)
	b.JAE(to(done))
	b.Label(loop)
	round()
	b.ADDQ(operand.U8(8*n), b.p)
	b.CMPQ(b.p, b.end)
	b.JB(to(loop))
	b.Label(done)
}

// The numbers of counters of each cell, side by side: pairs that follow each other are
// often in one cell, and would wait for each other.
const (
	tileCopies  = 4
	planeCopies = 2
)

func (b *binner) copies() int {
	if b.plane {
		return planeCopies
	}
	return tileCopies
}

// countTile counts the pairs of the buffer by cell.
func countTile(plane bool) func(*asm) {
	return func(a *asm) {
		const round = 8
		b := a.newBinner(plane, round)
		b.rounds(round, func() {
			for i := range round {
				cell := b.cell(i)
				scale := 4 * b.copies()
				if scale > 8 {
					a.SHLQ(operand.U8(1), cell)
					scale /= 2
				}
				a.INCL(operand.Mem{Base: b.cells, Index: cell, Scale: uint8(scale), Disp: i % b.copies() * 4})
			}
		})
		a.finish()
	}
}

// weighTile adds up by cell: the products, their squares in multiples of 2⁵² and the
// rest of these, which is at most half of that, and the number of pairs. The numbers
// of pairs begin below 0: rest is 0 if one of them no longer is.
func weighTile(plane bool) func(*asm) {
	return func(a *asm) {
		const round = 4
		b := a.newBinner(plane, round)
		zero, all := ymm[15], ymm[14]
		a.VPXOR(zero, zero, zero)
		a.VPCMPEQQ(all, all, all)
		b.rounds(round, func() {
			k, high, low, one := ymm[0], ymm[1], ymm[2], ymm[3]
			n, x := ymm[4], ymm[5]
			a.VMOVUPD(operand.Mem{Base: b.p, Disp: 8 * tileBuffer * productNumber}, k)
			a.VPCMPGTQ(k, zero, x) // the sign
			a.VANDPD(a.number("magnitude"), k, k)
			a.VSUBPD(a.number("unit"), k, n)
			a.VPSUBQ(a.number("unit"), k, k)
			a.VPXOR(x, k, k)
			a.VPSUBQ(x, k, k)
			a.VMOVUPD(a.number("square"), high)
			a.VFMADD231PD(n, n, high)
			a.VSUBPD(a.number("square"), high, low)
			a.VFMSUB231PD(n, n, low) // n² - low
			a.VADDPD(a.number("centre"), low, low)
			a.VPSUBQ(a.number("centre"), low, low)
			a.VPSUBQ(a.number("square"), high, high)
			a.VMOVDQU(a.number("one"), one)
			p, q, r, s := ymm[6], ymm[7], ymm[8], ymm[9]
			a.VPUNPCKLQDQ(high, k, p)
			a.VPUNPCKHQDQ(high, k, q)
			a.VPUNPCKLQDQ(one, low, r)
			a.VPUNPCKHQDQ(one, low, s)
			pairs := ymm[10:14]
			a.VPERM2I128(operand.U8(0x20), r, p, pairs[0])
			a.VPERM2I128(operand.U8(0x20), s, q, pairs[1])
			a.VPERM2I128(operand.U8(0x31), r, p, pairs[2])
			a.VPERM2I128(operand.U8(0x31), s, q, pairs[3])
			for i, v := range pairs {
				cell := b.cell(i)
				a.SHLQ(operand.U8(bits.Len(uint(32*b.copies()-1))), cell)
				at := operand.Mem{Base: b.cells, Index: cell, Scale: 1, Disp: i % b.copies() * 32}
				a.VPADDQ(at, v, v)
				a.VMOVDQU(v, at)
				a.VPAND(v, all, all)
			}
		})
		full := a.GP64()
		a.VMOVMSKPD(all, full.As32())
		a.SHRL(operand.U8(3), full.As32())
		a.MOVQ(full, a.arg("rest"))
		a.finish()
	}
}

package main

import (
	"fmt"
	"go/token"
	"go/types"
	"log"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

type isa string

const (
	avx2   isa = "AVX2"
	avx512 isa = "AVX512"
)

// Predicates of VCMPPD, ordered and quiet: a NaN never matches.
const (
	leOQ = operand.U8(0x12)
	ltOQ = operand.U8(0x11)
)

// Registers are given out by hand: the vector loops are small, and a fixed
// assignment cannot put a VEX instruction on registers 16 to 31.
var (
	zmm = []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
	}
	ymm = []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	}
)

// maxDim is the largest number of dimensions that kernels are written for.
const maxDim = 8

// vectors are the vector registers.
func (s isa) vectors() []reg.VecPhysical {
	if s == avx2 {
		return ymm
	}
	return zmm
}

// width is the number of float64 in a register.
func (s isa) width() int { return int(s.vectors()[0].Size() / 8) }

// An asm is one kernel for one number of dimensions under construction.
type asm struct {
	*build.Context
	isa       isa
	dim       int
	args      reg.GPVirtual // the argument block
	p         reg.GPVirtual // first coordinate of the candidates at hand
	odd       map[int]reg.GPVirtual
	labels    int
	constants map[string]operand.Mem         // of the file
	fields    []string                       // of the argument block
	image     func(c int, v reg.VecPhysical) // makes differences of coordinate c those to the nearest image; nil: plain space
}

// signature is func(a *block). The type need not be known here: fields gives its
// layout.
func signature(block string) *gotypes.Signature {
	pkg := types.NewPackage("kernel", "kernel")
	args := types.NewNamed(types.NewTypeName(token.NoPos, pkg, block, nil), types.NewStruct(nil, nil), nil)
	params := types.NewTuple(types.NewParam(token.NoPos, pkg, "a", types.NewPointer(args)))
	return gotypes.NewSignature(pkg, types.NewSignatureType(nil, nil, nil, params, nil, false))
}

// print compiles what c holds and returns it as Go assembly.
func print(c *build.Context) []byte {
	f, err := c.Result()
	if err != nil {
		build.LogError(log.Default(), err, 10)
		log.Fatal("not assembled")
	}
	if err := pass.Compile.Execute(f); err != nil {
		log.Fatal(err)
	}
	text, err := printer.NewGoAsm(printer.Config{Name: "internal/kernel/_gen", Pkg: "kernel"}).Print(f)
	if err != nil {
		log.Fatal(err)
	}
	return text
}

// begin sets the moving pointers of the argument block, and loads the
// multiples of the column stride that column needs. The addressing modes give
// 1, 2 and 4 times a register, so that odd multiples suffice and one moving
// pointer reaches every column.
func (a *asm) begin() {
	a.point("nextQ", "q", "first", 8)
	a.point("nextCount", "count", "first", 4)
	a.point("runsEnd", "runs", "nruns", 8)
	a.p = a.GP64()
	for _, m := range []int{1, 3, 5, 7} {
		if m >= a.dim {
			break
		}
		r := a.GP64()
		if m == 1 {
			a.MOVQ(a.arg("dStride"), r)
		} else {
			a.LEAQ(operand.Mem{Base: a.odd[m-2], Index: a.odd[1], Scale: 2}, r)
		}
		a.odd[m] = r
	}
}

// point sets a field to base + size·index.
func (a *asm) point(field, base, index string, size uint8) {
	p, i := a.field(base), a.field(index)
	a.LEAQ(operand.Mem{Base: p, Index: i, Scale: size}, p)
	a.MOVQ(p, a.arg(field))
}

// fields are the words of the argument block, in order. The assembly keeps
// its own pointers in those from nextQ to runsEnd.
var fields = []string{
	"q", "d", "id", "runs", "count", "out", "dist",
	"qStride", "dStride", "first", "nq", "nruns", "n", "t",
	"begin", "end", "skip", "last",
	"skips", "skipStep", "outDist", "keys", "boxes",
	"table", "bins", "firstKey", "shift", "low",
	"nextQ", "nextCount", "nextRow", "nextSkip", "nextBox", "runsEnd",
	"side",
}

// arg is the field of that name in the argument block.
func (a *asm) arg(name string) operand.Mem {
	for i, f := range a.fields {
		if f == name {
			return operand.Mem{Base: a.args, Disp: 8 * i}
		}
	}
	panic("no argument " + name)
}

// field returns a register with the field of that name.
func (a *asm) field(name string) reg.GPVirtual {
	r := a.GP64()
	a.MOVQ(a.arg(name), r)
	return r
}

// column is coordinate c of the candidates disp bytes after those at p.
func (a *asm) column(c, disp int) operand.Mem {
	m := operand.Mem{Base: a.p, Disp: disp}
	if c > 0 {
		scale := uint8(1)
		for c%2 == 0 {
			c, scale = c/2, scale*2
		}
		m.Index, m.Scale = a.odd[c], scale
	}
	return m
}

// label returns a name that no other label of the function has.
func (a *asm) label(s string) string {
	a.labels++
	return fmt.Sprintf("%s%d", s, a.labels)
}

func to(label string) operand.LabelRef { return operand.LabelRef(label) }

// loadQueries broadcasts the coordinates of the next n queries: coordinate c
// of query g goes to v[g*dim+c]. It leaves nextQ as it is.
func (a *asm) loadQueries(n int, v []reg.VecPhysical) {
	q := a.field("nextQ")
	for c := range a.dim {
		for g := range n {
			a.VBROADCASTSD(operand.Mem{Base: q, Disp: 8 * g}, v[g*a.dim+c])
		}
		if c < a.dim-1 {
			a.ADDQ(a.arg("qStride"), q)
		}
	}
}

// squared puts d² between the query with coordinates q and the candidates
// disp bytes after p into sum, using x. Dimensions are summed in order and
// products rounded before they are added.
func (a *asm) squared(q []reg.VecPhysical, disp int, sum, x reg.VecPhysical) {
	for c := range a.dim {
		v := x
		if c == 0 {
			v = sum
		}
		a.VSUBPD(a.column(c, disp), q[c], v)
		if a.image != nil {
			a.image(c, v)
		}
		a.VMULPD(v, v, v)
		if c > 0 {
			a.VADDPD(v, sum, sum)
		}
	}
}

// A runLoop walks the runs of the argument block.
type runLoop struct {
	run, rest reg.GPVirtual // next run; points left of this one
	next      string
	done      string
}

// beginRuns opens a loop over runs: for each it points p at the first
// coordinate and sets rest to its length. beside, if any, is set to the first
// element of the 32-bit array that the field of that name points to. endRuns
// closes the loop.
func (a *asm) beginRuns(beside reg.GPVirtual, field string) *runLoop {
	l := &runLoop{run: a.GP64(), rest: a.GP64(), next: a.label("run"), done: a.label("ran")}
	a.MOVQ(a.arg("runs"), l.run)
	a.Label(l.next)
	a.CMPQ(l.run, a.arg("runsEnd"))
	a.JAE(to(l.done))
	lo := a.GP64()
	a.MOVL(operand.Mem{Base: l.run}, lo.As32())
	a.MOVL(operand.Mem{Base: l.run, Disp: 4}, l.rest.As32())
	a.ADDQ(operand.U8(8), l.run)
	a.SUBQ(lo, l.rest)
	a.at(lo, beside, field)
	return l
}

// at points p at the coordinates of the candidate of that number, and beside
// at its element of the field.
func (a *asm) at(number, beside reg.GPVirtual, field string) {
	a.MOVQ(a.arg("d"), a.p)
	a.LEAQ(operand.Mem{Base: a.p, Index: number, Scale: 8}, a.p)
	if beside != nil {
		a.MOVQ(a.arg(field), beside)
		a.LEAQ(operand.Mem{Base: beside, Index: number, Scale: 4}, beside)
	}
}

func (a *asm) endRuns(l *runLoop) {
	a.JMP(to(l.next))
	a.Label(l.done)
}

// blocks writes the loop over rest candidates, a vector of them at a time. body handles a
// block, the last one, which has only rest candidates, as a tail; step goes on
// to the next block. If nothing is left for the tail, the jump none is taken.
func (a *asm) blocks(rest reg.GPVirtual, none func(), body func(tail bool), step func()) {
	width := a.isa.width()
	full, tail := a.label("full"), a.label("tail")
	a.Label(full)
	a.SUBQ(operand.U8(width), rest)
	a.JLT(to(tail))
	body(false)
	step()
	a.JMP(to(full))
	a.Label(tail)
	a.ADDQ(operand.U8(width), rest)
	none()
	body(true)
}

// stepBy moves p on by a vector of candidates, and beside, if any, by their elements.
func (a *asm) stepBy(beside reg.GPVirtual) {
	a.ADDQ(operand.U8(8*a.isa.width()), a.p)
	if beside != nil {
		a.ADDQ(operand.U8(4*a.isa.width()), beside)
	}
}

// walk is blocks that goes on at the label next.
func (a *asm) walk(rest reg.GPVirtual, next string, body func(tail bool)) {
	a.blocks(rest, func() { a.JEQ(to(next)) }, body, func() { a.stepBy(nil) })
}

// tailMask returns K2 with the low rest bits set, in a tail, and otherwise nil.
func (a *asm) tailMask(rest reg.GPVirtual, tail bool) reg.Register {
	if !tail {
		return nil
	}
	a.KMOVB(a.lowBits(rest).As32(), reg.K2)
	return reg.K2
}

// compare sets the bits of k for the lanes of v that the predicate holds for,
// against t: of the lanes of mask, if there is one.
func (a *asm) compare(predicate operand.U8, t, v reg.VecPhysical, mask, k reg.Register) {
	if mask == nil {
		a.VCMPPD(predicate, t, v, k)
	} else {
		a.VCMPPD(predicate, t, v, mask, k)
	}
}

// ones returns the number of bits set in k, of eight.
func (a *asm) ones(k reg.OpmaskPhysical) reg.GPVirtual {
	bits := a.GP64()
	a.KMOVB(k, bits.As32())
	a.POPCNTL(bits.As32(), bits.As32())
	return bits
}

// lowBits returns a register with the low n bits set, n < 32.
func (a *asm) lowBits(n reg.GPVirtual) reg.GPVirtual {
	m := a.GP64()
	a.MOVL(operand.I32(-1), m.As32())
	a.BZHIL(n.As32(), m.As32(), m.As32())
	return m
}

// constant returns the read-only data of that name, which fill appends the
// first time that a function of the file asks for it.
func (a *asm) constant(name string, fill func()) operand.Mem {
	if m, ok := a.constants[name]; ok {
		return m
	}
	m := a.StaticGlobal(name)
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	fill()
	a.constants[name] = m
	return m
}

// finish ends the function.
func (a *asm) finish() {
	a.VZEROUPPER()
	a.RET()
}

// Command _gen writes the vector kernels of package kernel: assembly for each
// instruction set, and the Go code that calls it by kernel and dimension.
//
//	go run . -o ..
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A kernel is what is generated: a function op(d)(isa) for each number of
// dimensions, or one op(isa) where they do not matter.
type kernel struct {
	op   string
	isa  isa
	body func(*asm)
	once func(*asm) // instead of body
	tile bool       // whether the argument block is that of tiles
}

var kernels = []kernel{
	{op: "count", isa: avx2, body: count},
	{op: "count", isa: avx512, body: count},
	{op: "emit", isa: avx2, body: emitAVX2(false)},
	{op: "emit", isa: avx512, body: emitAVX512},
	{op: "emitSquared", isa: avx2, body: emitAVX2(true)},
	{op: "emitSquared", isa: avx512, body: emitSquaredAVX512},
	{op: "emitNear", isa: avx2, body: nearAVX2(false)},
	{op: "emitNear", isa: avx512, body: nearAVX512(false)},
	{op: "emitWrapped", isa: avx2, body: nearAVX2(true)},
	{op: "emitWrapped", isa: avx512, body: nearAVX512(true)},
	{op: "half", isa: avx2, body: halfAVX2},
	{op: "half", isa: avx512, body: halfAVX512},
	{op: "hist", isa: avx2, body: histAVX2},
	{op: "hist", isa: avx512, body: histAVX512},
	{op: "linear", isa: avx512, body: linearAVX512},
	{op: "nearest8x", isa: avx512, body: nearestAVX512(1)},
	{op: "nearest16x", isa: avx512, body: nearestAVX512(2)},
	{op: "nearest24x", isa: avx512, body: nearestAVX512(3)},
	{op: "nearest32x", isa: avx512, body: nearestAVX512(4)},
	{op: "bounds", isa: avx512, body: boundsAVX512},
	{op: "least", isa: avx512, once: leastAVX512},
	{op: "makeKeys", isa: avx512, once: makeKeysAVX512},
	{op: "ranks", isa: avx2, once: ranksAVX2},
	{op: "roots", isa: avx2, once: roots},
	{op: "roots", isa: avx512, once: roots},
	{op: "sortKeys", isa: avx512, once: sortKeysAVX512},
	{op: "windows", isa: avx2, once: windowsAVX2},
	{op: "windows", isa: avx512, once: windowsAVX512},
	{op: "arithmetic", isa: avx2, once: arithmetic},
	{op: "arithmetic", isa: avx512, once: arithmetic},
	{op: "most", isa: avx2, once: most},
	{op: "most", isa: avx512, once: most},
	{op: "parts", isa: avx2, once: parts},
	{op: "parts", isa: avx512, once: parts},
	{op: "packTile", isa: avx2, body: packTile, tile: true},
	{op: "packTile", isa: avx512, body: packTile, tile: true},
	{op: "packAxis", isa: avx2, once: packAxis, tile: true},
	{op: "packAxis", isa: avx512, once: packAxis, tile: true},
	{op: "tileDistance", isa: avx2, body: tileDistance, tile: true},
	{op: "tileDistance", isa: avx512, body: tileDistance, tile: true},
	{op: "tileAxis", isa: avx2, once: tileAxis, tile: true},
	{op: "tileAxis", isa: avx512, once: tileAxis, tile: true},
	{op: "tileCosine", isa: avx2, once: tileCosine, tile: true},
	{op: "tileCosine", isa: avx512, once: tileCosine, tile: true},
	{op: "tileMiddle", isa: avx2, once: tileMiddle, tile: true},
	{op: "tileMiddle", isa: avx512, once: tileMiddle, tile: true},
	{op: "finishTile", isa: avx2, once: finishTile, tile: true},
	{op: "finishTile", isa: avx512, once: finishTile, tile: true},
	{op: "countTile", isa: avx2, once: countTile(false), tile: true},
	{op: "countPlane", isa: avx2, once: countTile(true), tile: true},
	{op: "weighTile", isa: avx2, once: weighTile(false), tile: true},
	{op: "weighPlane", isa: avx2, once: weighTile(true), tile: true},
}

// block is the type of the argument block.
func (k *kernel) block() string {
	if k.tile {
		return "tileArgs"
	}
	return "args"
}

func (k *kernel) flat() bool { return k.once != nil }

// names lists the functions of a kernel.
func (k *kernel) names() []string {
	if k.flat() {
		return []string{k.op + "All" + string(k.isa)}
	}
	var all []string
	for dim := 1; dim <= maxDim; dim++ {
		all = append(all, funcName(k.op, dim, k.isa))
	}
	return all
}

func fileName(op string, set isa) string {
	return fmt.Sprintf("z%s_%s_amd64.s", strings.ToLower(op), strings.ToLower(string(set)))
}

func funcName(op string, dim int, set isa) string {
	return fmt.Sprintf("%s%d%s", op, dim, set)
}

func (k *kernel) assemble() []byte {
	c := build.NewContext()
	c.ConstraintExpr("!purego")
	constants := map[string]operand.Mem{}
	for i, name := range k.names() {
		c.Function(name)
		c.Attributes(attr.NOSPLIT)
		a := &asm{Context: c, isa: k.isa, dim: i + 1, odd: map[int]reg.GPVirtual{}, constants: constants, fields: fields}
		if k.tile {
			a.fields = tileFields
		}
		c.Signature(signature(k.block()))
		a.args = a.GP64()
		a.Load(a.Param("a"), a.args)
		if k.flat() {
			k.once(a)
			continue
		}
		if !k.tile {
			a.begin()
		}
		k.body(a)
	}
	return print(c)
}

func main() {
	log.SetFlags(0)
	out := flag.String("o", ".", "folder that takes the files")
	flag.Parse()
	for _, k := range kernels {
		write(*out, fileName(k.op, k.isa), k.assemble())
	}
	write(*out, "zcall_amd64.go", calls())
}

func write(folder, name string, text []byte) {
	if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
		log.Fatal(err)
	}
}

// Command _gen writes the vector kernels of package kernel: assembly for each
// instruction set, and the Go code that calls it by kernel and dimension.
//
//	go run . -o ..
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
)

// kernels lists what is generated: a function op(d)(isa) for each dimension.
var kernels = []struct {
	op   string
	isa  isa
	body func(*asm)
}{
	{"count", avx2, countAVX2},
	{"count", avx512, countAVX512},
	{"emit", avx2, emitAVX2},
	{"emit", avx512, emitAVX512},
	{"emitSquared", avx2, emitSquaredAVX2},
	{"emitSquared", avx512, emitSquaredAVX512},
	{"half", avx2, halfAVX2},
	{"half", avx512, halfAVX512},
	{"hist", avx2, histAVX2},
	{"hist", avx512, histAVX512},
	{"linear", avx512, linearAVX512},
	{"nearest8x", avx512, nearestAVX512(1)},
	{"nearest16x", avx512, nearestAVX512(2)},
	{"nearest24x", avx512, nearestAVX512(3)},
	{"nearest32x", avx512, nearestAVX512(4)},
}

const maxDim = 8

func main() {
	log.SetFlags(0)
	out := flag.String("o", ".", "folder that takes the files")
	flag.Parse()
	for _, k := range kernels {
		write(*out, fileName(k.op, k.isa), assemble(k.op, k.isa, k.body))
	}
	write(*out, "zcall_amd64.go", calls())
}

func write(folder, name string, text []byte) {
	if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
		log.Fatal(err)
	}
}

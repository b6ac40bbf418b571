//go:build cuda && linux

package hybrid_test

import (
	"fmt"

	"skyjoin/hybrid"
)

// sides is what each side took for a case, and was expected to.
type sides struct {
	n        int // rows
	cpu, gpu float64
	expected hybrid.Expected
}

// A unit is a case of the nearest.
type unit struct {
	data string
	k    int
	sides
}

// units prints what a query of the nearest and each of the neighbours it asks for
// took one CPU thread and a GPU, of the same data for every two numbers of
// neighbours that follow each other: what the joiner's guesses should be.
func (b *bench) units(all []unit) {
	fmt.Print("\n| data | K | CPU thread: ns a query, a neighbour | GPU: ns a query, a neighbour |\n|---|---|---|---|\n")
	for i := 1; i < len(all); i++ {
		u, v := all[i-1], all[i]
		if u.data != v.data {
			continue
		}
		cost := func(begin, few, many, threads float64) string {
			ns := 1e9 * threads / float64(u.n)
			each := (many - few) / float64(v.k-u.k) * ns
			return fmt.Sprintf("%.1f, %.3g", (few-begin)*ns-float64(u.k)*each, each)
		}
		fmt.Printf("| %s | %d, %d | %s | %s |\n", u.data, u.k, v.k,
			cost(v.expected.CPUBegin, u.cpu, v.cpu, float64(b.cpu.Workers())), cost(v.expected.GPUBegin, u.gpu, v.gpu, 1))
	}
}

package mst

import (
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// join joins every component that knows its least edge to the one at the other
// end of it.
func (f *forest) join() {
	to, root := f.to[:f.comps], f.root[:f.comps]
	par.Chunks(f.Threads, f.comps, func(_, lo, hi int) {
		for c := lo; c < hi; c++ {
			to[c] = uint32(c)
			if e := f.least[c]; f.open[c] == 0 && e.A != kernel.None {
				to[c] = f.comp[e.B]
			}
		}
	})
	// Two components that choose each other choose the same edge: it is that
	// of the higher one.
	taken := make([][]Edge, f.Threads)
	par.Chunks(f.Threads, f.comps, func(chunk, lo, hi int) {
		for c := lo; c < hi; c++ {
			root[c] = to[c]
			if other := to[c]; int(other) > c && to[other] == uint32(c) {
				root[c] = uint32(c)
			}
			if root[c] != uint32(c) {
				taken[chunk] = append(taken[chunk], f.lowFirst(f.least[c]))
			}
		}
	})
	for _, edges := range taken {
		f.edges = append(f.edges, edges...)
	}
	f.renumber(f.roots(root, to))
}

// roots follows every component to the root of what it has been joined to, in
// steps that double. spare is as long, and returned as the second.
func (f *forest) roots(root, spare []uint32) ([]uint32, []uint32) {
	for changed := true; changed; root, spare = spare, root {
		moved := make([]bool, f.Threads)
		par.Chunks(f.Threads, f.comps, func(chunk, lo, hi int) {
			for c := lo; c < hi; c++ {
				spare[c] = root[root[c]]
				moved[chunk] = moved[chunk] || spare[c] != root[c]
			}
		})
		changed = false
		for _, m := range moved {
			changed = changed || m
		}
	}
	return root, spare
}

// renumber numbers the roots, and makes them the components of all points.
func (f *forest) renumber(root, number []uint32) {
	n := uint32(0)
	for c, r := range root {
		if int(r) == c {
			number[c] = n
			n++
		}
	}
	f.points(func(lo, hi int) {
		for p := lo; p < hi; p++ {
			f.comp[p] = number[root[f.comp[p]]]
		}
	})
	f.comps = int(n)
}

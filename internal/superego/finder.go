package superego

import (
	"skyjoin/internal/kernel"
)

// fewPoints is how many points a part of the data may have that is not halved
// any further.
const fewPoints = 8

// A Finder finds the candidates of leaves: the runs of the data sequence that
// are in cells adjacent to theirs. It belongs to one goroutine.
type Finder struct {
	// Runs are the candidates of the leaf last visited, in ascending order.
	Runs []kernel.Run

	leaves *Leaves
	data   *Sequence
	stack  []part
}

// A part is the cells [lo, hi) of a sequence, which have the first same
// dimensions in common.
type part struct {
	lo, hi uint32
	same   int
}

// NewFinder returns a Finder for the leaves of one sequence in another of the
// same order.
func NewFinder(leaves *Leaves, data *Sequence) *Finder {
	return &Finder{leaves: leaves, data: data}
}

// Visit sets Runs for a leaf.
func (f *Finder) Visit(leaf int) {
	f.Runs = f.Runs[:0]
	d := f.data
	if d.Cells() == 0 {
		return
	}
	least, most := f.leaves.of(leaf, d.Points.Dim)
	f.stack = append(f.stack[:0], part{0, uint32(d.Cells()), 0})
	for len(f.stack) > 0 {
		p := f.stack[len(f.stack)-1]
		f.stack = f.stack[:len(f.stack)-1]
		if f.apart(&p, least, most) {
			continue
		}
		lo, hi := d.Start[p.lo], d.Start[p.hi]
		if p.hi-p.lo > 1 && hi-lo > fewPoints {
			mid := (p.lo + p.hi) / 2
			f.stack = append(f.stack, part{mid, p.hi, p.same}, part{p.lo, mid, p.same})
			continue
		}
		if n := len(f.Runs); n > 0 && f.Runs[n-1].Hi == lo {
			f.Runs[n-1].Hi = hi
		} else {
			f.Runs = append(f.Runs, kernel.Run{Lo: lo, Hi: hi})
		}
	}
}

// apart reports whether no point of the part is in a cell adjacent to those
// of a leaf. The cells of a part are in order, so its first and last cell tell
// its extent in the first dimension in which they differ; the dimensions
// behind that one are not looked at.
func (f *Finder) apart(p *part, least, most []uint32) bool {
	first, last := f.data.at(int(p.lo)), f.data.at(int(p.hi-1))
	for k := p.same; k < len(first); k++ {
		a, b := first[k], last[k]
		if after(most[k]) < a || b < before(least[k]) {
			return true
		}
		if a != b {
			return false
		}
		p.same = k + 1
	}
	return false
}

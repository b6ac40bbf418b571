package dbscan

import (
	"math"

	"skyjoin/internal/kernel"
)

// smallCell is the number of points up to which all pairs of a cell are compared.
const smallCell = 64

// A linker connects the core points of cells that are too large for all their points
// to be in one cluster anyway.
type linker struct {
	c     *cellRun
	out   []uint32
	count [smallCell]uint32
	up    [smallCell]uint8 // parents of the points of a small cell

	// The core points of a large cell that are in no set yet, and those of the
	// current set that have not been compared with them.
	rest     kernel.Points
	all      [1]kernel.Run // all of rest
	frontier []uint32
	near     kernel.Box
	far      kernel.Box
}

func newLinker(c *cellRun) *linker {
	return &linker{c: c, out: make([]uint32, smallCell*smallCell+kernel.Slack), near: kernel.NewBox(c.points.Dim), far: kernel.NewBox(c.points.Dim)}
}

// link connects the core points [lo, hi) of a cell within the cell, makes the first
// point of each set its head, and reports whether there is more than one set.
func (l *linker) link(lo, hi int) bool {
	if hi-lo <= smallCell {
		return l.small(lo, hi)
	}
	return l.large(lo, hi)
}

func (l *linker) small(lo, hi int) bool {
	c := l.c
	n := hi - lo
	for i := range n {
		l.up[i] = uint8(i)
	}
	root := func(i uint8) uint8 {
		for l.up[i] != i {
			i = l.up[i]
		}
		return i
	}
	c.fn.EmitSelf(&c.points, lo, hi, int(kernel.None), hi, nil, c.t, l.out, nil, l.count[:n])
	list := l.out
	for i := range n {
		near := list[:l.count[i]]
		list = list[len(near):]
		if c.kind[lo+i] == other {
			continue
		}
		a := root(uint8(i))
		for _, j := range near {
			if c.kind[j] == other {
				continue
			}
			if b := root(uint8(j - uint32(lo))); a != b {
				a, b = min(a, b), max(a, b)
				l.up[b] = a
			}
		}
	}
	heads := 0
	for i := range n {
		if c.kind[lo+i] == other {
			continue
		}
		first := lo + int(root(uint8(i)))
		c.forest.parent[lo+i] = int32(uint32(first))
		if first == lo+i {
			c.kind[first] = head
			heads++
		}
	}
	return heads > 1
}

// large finds one set after another, comparing its points only with those that are
// in no set yet.
func (l *linker) large(lo, hi int) bool {
	c := l.c
	l.gather(lo, hi)
	l.frontier = l.frontier[:0]
	heads := 0
	for l.rest.N > 0 {
		first := l.rest.ID[0]
		c.kind[first] = head
		heads++
		l.take([]uint32{first}, first)
		idle, look := 0, smallCell
		for len(l.frontier) > 0 && l.rest.N > 0 {
			i := int(l.frontier[len(l.frontier)-1])
			l.frontier = l.frontier[:len(l.frontier)-1]
			l.all[0].Hi = uint32(l.rest.N)
			n := c.fn.Emit(&c.points, i, i+1, &l.rest, l.all[:], c.t, l.out, nil, l.count[:1])
			if n > 0 {
				l.take(l.out[:n], first)
				idle = 0
				continue
			}
			// After several points without a neighbour, all may be out of reach.
			if idle++; idle == look {
				if look *= 2; l.beyond() {
					break
				}
			}
		}
		l.frontier = l.frontier[:0]
	}
	return heads > 1
}

// gather sets rest to the core points [lo, hi).
func (l *linker) gather(lo, hi int) {
	c := l.c
	n := hi - lo
	stride := (n+kernel.Slack+7)/8*8 | 8
	l.rest = kernel.Points{Data: make([]float64, stride*c.points.Dim), Stride: stride, Dim: c.points.Dim, ID: make([]uint32, n+kernel.Slack)}
	if len(l.out) < n+kernel.Slack {
		l.out = make([]uint32, n+kernel.Slack)
	}
	for i := lo; i < hi; i++ {
		if c.kind[i] == other {
			continue
		}
		for j := range c.points.Dim {
			l.rest.Data[j*stride+l.rest.N] = c.points.Data[j*c.points.Stride+i]
		}
		l.rest.ID[l.rest.N] = uint32(i)
		l.rest.N++
	}
}

// take moves points, given in the order of rest, from rest to the set of first.
func (l *linker) take(points []uint32, first uint32) {
	n := 0
	for k, i := range l.rest.ID[:l.rest.N] {
		if len(points) > 0 && points[0] == i {
			points = points[1:]
			l.c.forest.parent[i] = int32(first)
			l.frontier = append(l.frontier, i)
			continue
		}
		for j := range l.rest.Dim {
			l.rest.Data[j*l.rest.Stride+n] = l.rest.Data[j*l.rest.Stride+k]
		}
		l.rest.ID[n] = i
		n++
	}
	l.rest.N = n
}

// beyond reports whether no point of rest can be a neighbour of the frontier.
func (l *linker) beyond() bool {
	if len(l.frontier) == 0 {
		return true
	}
	c := l.c
	for j := range l.near.Least {
		l.near.Least[j], l.near.Most[j] = math.Inf(1), math.Inf(-1)
		for _, i := range l.frontier {
			x := c.points.Data[j*c.points.Stride+int(i)]
			l.near.Least[j], l.near.Most[j] = min(l.near.Least[j], x), max(l.near.Most[j], x)
		}
	}
	l.far.Around(&l.rest, 0, l.rest.N)
	return l.near.Nearest(l.far) > c.t
}

package mst

import (
	"skyjoin/internal/kdtree"
	"skyjoin/internal/kernel"
)

// Groups of points of a walk.
const (
	waiting uint32 = iota
	visited
)

// A walk knows the best edge of every visited point to those that are waiting.
type walk struct {
	*Graph
	limit  float64
	rows   []uint32
	done   []uint32 // visited or waiting
	left   []uint32 // points of every leaf that are waiting
	next   []uint16 // by position: where in its list the points that are waiting begin
	reach  *kdtree.Reach
	search *kdtree.Closest
	seen   int
	offers offers
	taken  offer // the one that led to the next point
}

func newWalk(g *Graph, limit float64) *walk {
	n := g.Tree.Points.N
	w := &walk{Graph: g, limit: limit, rows: g.Tree.Rows(), done: make([]uint32, n), next: make([]uint16, n), left: make([]uint32, g.Tree.Leaves())}
	for leaf := range w.left {
		w.left[leaf] = g.Tree.Start[leaf+1] - g.Tree.Start[leaf]
	}
	w.reach = kdtree.NewReach(g.Tree, g.Measure, g.Side, g.To, w.done, 1)
	w.search = kdtree.NewClosest(w.reach)
	w.taken.to = kernel.None
	return w
}

// enter visits a point.
func (w *walk) enter(p uint32) {
	w.done[p] = visited
	leaf := w.Tree.Leaf(int(p))
	if w.left[leaf]--; w.left[leaf] == 0 {
		w.reach.Move(leaf)
	}
	if w.taken.to == p {
		w.offer(w.taken.from, w.taken.turn)
	}
	w.offer(p, uint32(w.seen))
	w.seen++
}

// offer puts the best edge of a point that was visited at some turn into the
// heap.
func (w *walk) offer(p, turn uint32) {
	if f := w.best(int(p)); f.Position != kernel.None {
		w.offers.push(offer{f.Reach, w.rows[f.Position], turn, p, f.Position})
	}
}

// best returns the best edge of a point to one that is waiting.
func (w *walk) best(p int) kdtree.Found {
	list := w.list(p)
	at := int(w.next[p])
	for at < len(list) && w.done[list[at]] == visited {
		at++
	}
	w.next[p] = uint16(at)
	limit, beyond := w.limit, float64(w.Beyond[p])
	if at < len(list) {
		if weight := w.weight(p, int(list[at])); weight <= limit {
			if weight < beyond {
				return kdtree.Found{Position: list[at], Reach: weight}
			}
			limit = weight
		}
	}
	if beyond > limit {
		return kdtree.Found{Position: kernel.None}
	}
	return w.search.Find(&w.Tree.Points, p, w.From[p], visited, w.Tree.Leaf(p), limit)
}

// step takes the best edge of all visited points.
func (w *walk) step() (Step, bool) {
	for len(w.offers) > 0 {
		o := w.offers.pop()
		if w.done[o.to] == waiting {
			w.taken = o
			return Step{o.to, o.from, o.weight}, true
		}
		w.offer(o.from, o.turn)
	}
	w.taken.to = kernel.None
	return Step{}, false
}

// An offer is an edge from a point visited at some turn to one that was waiting.
type offer struct {
	weight   float64
	row      uint32
	turn     uint32
	from, to uint32
}

// before orders offers by weight, then by the row they lead to, then by turn.
func (o offer) before(p offer) bool {
	if o.weight != p.weight {
		return o.weight < p.weight
	}
	if o.row != p.row {
		return o.row < p.row
	}
	return o.turn < p.turn
}

// offers are a heap, the first of them at the root.
type offers []offer

func (h *offers) push(o offer) {
	*h = append(*h, o)
	s := *h
	i := len(s) - 1
	for ; i > 0 && o.before(s[(i-1)/2]); i = (i - 1) / 2 {
		s[i] = s[(i-1)/2]
	}
	s[i] = o
}

func (h *offers) pop() offer {
	s := *h
	first, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	i := 0
	for {
		child := 2*i + 1
		if child >= len(s) {
			break
		}
		if child+1 < len(s) && s[child+1].before(s[child]) {
			child++
		}
		if !s[child].before(last) {
			break
		}
		s[i] = s[child]
		i = child
	}
	if len(s) > 0 {
		s[i] = last
	}
	return first
}

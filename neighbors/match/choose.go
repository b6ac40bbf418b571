package match

import (
	"cmp"
	"slices"
	"sync"

	"skyjoin/neighbors"
)

// A Pair is a match of a row of A and one of B.
type Pair struct {
	A, B     uint32
	Distance float64
}

// greedy goes through the pairs in the order of (distance, A, B) and keeps those whose
// rows are both still free. rowsA and rowsB are the numbers of rows. It reuses pairs.
func greedy(pairs []Pair, rowsA, rowsB int) []Pair {
	slices.SortFunc(pairs, func(p, q Pair) int {
		return cmp.Or(cmp.Compare(p.Distance, q.Distance), cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B))
	})
	takenA, takenB := make([]bool, rowsA), make([]bool, rowsB)
	kept := pairs[:0]
	for _, p := range pairs {
		if takenB[p.B] || takenA[p.A] {
			continue
		}
		takenA[p.A], takenB[p.B] = true, true
		kept = append(kept, p)
	}
	return kept
}

// nearest holds the nearest row of A for each row of B. Offers may come from
// several goroutines and in any order.
type nearest struct {
	locks [256]sync.Mutex // of the rows of B whose number is the same modulo 256
	a     []uint32
	dist  []float64
}

func newNearest(rowsB int) *nearest {
	n := &nearest{a: make([]uint32, rowsB), dist: make([]float64, rowsB)}
	for i := range n.a {
		n.a[i] = neighbors.None
	}
	return n
}

func (n *nearest) offer(p Pair) {
	lock := &n.locks[p.B%uint32(len(n.locks))]
	lock.Lock()
	defer lock.Unlock()
	if a := n.a[p.B]; a == neighbors.None || p.Distance < n.dist[p.B] || p.Distance == n.dist[p.B] && p.A < a {
		n.a[p.B], n.dist[p.B] = p.A, p.Distance
	}
}

func (n *nearest) pairs() []Pair {
	var pairs []Pair
	for b, a := range n.a {
		if a != neighbors.None {
			pairs = append(pairs, Pair{a, uint32(b), n.dist[b]})
		}
	}
	return pairs
}

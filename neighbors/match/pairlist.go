package match

// A pairList is a list of pairs that grows without being copied.
type pairList struct {
	chunks [][]Pair
	n      int // pairs in them
}

// largestChunk is how many pairs a chunk has at most.
const largestChunk = 1 << 14

func (l *pairList) add(p Pair) {
	last := len(l.chunks) - 1
	if last < 0 || len(l.chunks[last]) == cap(l.chunks[last]) {
		l.chunks = append(l.chunks, make([]Pair, 0, min(max(l.n, 64), largestChunk)))
		last++
	}
	l.chunks[last] = append(l.chunks[last], p)
	l.n++
}

// together returns the pairs of all lists, whose chunks it lets go of.
func together(lists []pairList) []Pair {
	n := 0
	for i := range lists {
		n += lists[i].n
	}
	all := make([]Pair, 0, n)
	for i := range lists {
		for k, chunk := range lists[i].chunks {
			all = append(all, chunk...)
			lists[i].chunks[k] = nil
		}
		lists[i] = pairList{}
	}
	return all
}

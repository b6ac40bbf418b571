package kdtree

import "math"

// shortList is the largest k whose list is kept sorted all the time. Longer
// ones are a heap until the end.
const shortList = 64

// A list keeps the k least pairs (d², row) that it has been offered.
type list struct {
	k        int
	d2       []float64
	row      []uint32
	worst    float64 // pairs that are not less than (worst, worstRow) have no place
	worstRow uint32
}

func newList(k int) *list {
	return &list{k: k, d2: make([]float64, 0, k), row: make([]uint32, 0, k)}
}

func (l *list) reset() {
	l.d2, l.row = l.d2[:0], l.row[:0]
	l.worst, l.worstRow = math.Inf(1), math.MaxUint32
}

// offer puts (d2, row) in its place, if it has one.
func (l *list) offer(d2 float64, row uint32) {
	if !(d2 < l.worst || d2 == l.worst && row < l.worstRow) {
		return
	}
	if l.k > shortList {
		l.offerHeap(d2, row)
		return
	}
	i := len(l.d2)
	if i < l.k {
		l.d2, l.row = l.d2[:i+1], l.row[:i+1]
	} else {
		i--
	}
	ds, rs := l.d2, l.row[:len(l.d2)]
	for ; i > 0 && (d2 < ds[i-1] || d2 == ds[i-1] && row < rs[i-1]); i-- {
		ds[i], rs[i] = ds[i-1], rs[i-1]
	}
	ds[i], rs[i] = d2, row
	if last := len(ds) - 1; last == l.k-1 {
		l.worst, l.worstRow = ds[last], rs[last]
	}
}

// offerHeap is offer for a heap with the worst pair at the root.
func (l *list) offerHeap(d2 float64, row uint32) {
	if len(l.d2) < l.k {
		l.d2, l.row = append(l.d2, d2), append(l.row, row)
		for i := len(l.d2) - 1; i > 0 && l.less((i-1)/2, i); i = (i - 1) / 2 {
			l.swap(i, (i-1)/2)
		}
	} else {
		l.d2[0], l.row[0] = d2, row
		l.sink(0, l.k)
	}
	if len(l.d2) == l.k {
		l.worst, l.worstRow = l.d2[0], l.row[0]
	}
}

// sink moves pair i down in the heap of the first n.
func (l *list) sink(i, n int) {
	for {
		child := 2*i + 1
		if child >= n {
			return
		}
		if child+1 < n && l.less(child, child+1) {
			child++
		}
		if !l.less(i, child) {
			return
		}
		l.swap(i, child)
		i = child
	}
}

func (l *list) less(i, j int) bool {
	return l.d2[i] < l.d2[j] || l.d2[i] == l.d2[j] && l.row[i] < l.row[j]
}

func (l *list) swap(i, j int) {
	l.d2[i], l.d2[j] = l.d2[j], l.d2[i]
	l.row[i], l.row[j] = l.row[j], l.row[i]
}

// sorted returns the pairs in order. The list must be reset afterwards.
func (l *list) sorted() ([]uint32, []float64) {
	if l.k > shortList {
		for n := len(l.d2) - 1; n > 0; n-- {
			l.swap(0, n)
			l.sink(0, n)
		}
	}
	return l.row, l.d2
}

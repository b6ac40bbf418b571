package neighbors

import (
	"slices"
	"sync"
)

const (
	// Neighbours that a segment has room for, unless one row needs more: few
	// segments are fewer ends that large pages do not fit, but they are not to be
	// much memory where many threads have one each.
	leastSegment   = 1 << 20
	mostSegment    = 1 << 22
	allSegments    = 1 << 24
	segmentOffsets = 1 << 15 // offsets of a block of them
)

// segmentRoom returns how many neighbours a segment of one of several workers
// has room for.
func segmentRoom(workers int) int {
	return max(leastSegment, min(mostSegment, allSegments/workers))
}

// A segment is memory for many lists, one after the other. Dist is nil until
// distances are asked for.
type segment struct {
	index []uint32
	dist  []float64
}

// segments are the memory of whole tables, kept for the next one.
type segments struct {
	mu              sync.Mutex
	lists, used     []segment
	offsets, filled [][]int64
}

// reuse makes all memory that was taken free again.
func (s *segments) reuse() {
	s.lists, s.used = append(s.lists, s.used...), nil
	s.offsets, s.filled = append(s.offsets, s.filled...), nil
}

// take returns an empty segment with room for n neighbours, one that was used
// before where there is one, and whether it is new.
func (s *segments) take(n int, distance bool) (g segment, isNew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.lists, func(g segment) bool { return cap(g.index) >= n }); i >= 0 {
		g = s.lists[i]
		s.lists = slices.Delete(s.lists, i, i+1)
	} else {
		g.index, isNew = make([]uint32, 0, n), true
	}
	if distance && g.dist == nil {
		g.dist, isNew = make([]float64, 0, cap(g.index)), true
	}
	s.used = append(s.used, g)
	if !distance {
		g.dist = nil
	}
	return g, isNew
}

// takeOffsets returns an empty block with room for n offsets.
func (s *segments) takeOffsets(n int) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var o []int64
	if i := slices.IndexFunc(s.offsets, func(o []int64) bool { return cap(o) >= n }); i >= 0 {
		o = s.offsets[i]
		s.offsets = slices.Delete(s.offsets, i, i+1)
	} else {
		o = make([]int64, 0, n)
	}
	s.filled = append(s.filled, o)
	return o
}

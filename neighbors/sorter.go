package neighbors

import (
	"math/bits"
	"slices"
)

// A sorter orders lists by row.
type sorter struct {
	keys []uint64 // the row, with its index in the list in the low half
	dist []float64
	by   []uint64 // keys in the order of their buckets
	ends []uint32 // where buckets end
}

// order writes the elements of a list whose rows are at least least to index and
// dist, ordered by row, and returns how many there are. There must be room for all.
// Of lists without distances dist is nil. list and index may be the same.
func (s *sorter) order(index []uint32, dist []float64, list []uint32, from []float64, least uint32) int {
	s.keys = slices.Grow(s.keys[:0], len(list))[:len(list)]
	n := 0
	for k, q := range list {
		s.keys[n] = uint64(q)<<32 | uint64(k)
		if q >= least { // without a branch, which could not be predicted
			n++
		}
	}
	keys := s.sorted(s.keys[:n])
	for i, key := range keys {
		index[i] = uint32(key >> 32)
	}
	if dist != nil {
		for i, key := range keys {
			dist[i] = from[uint32(key)]
		}
	}
	return n
}

// sort orders a list in place.
func (s *sorter) sort(index []uint32, dist []float64) {
	s.dist = append(s.dist[:0], dist...)
	s.order(index, dist, index, s.dist, 0)
}

// Lists of fewer than leastBuckets are sorted without buckets, and those of
// which a bucket has more than mostOfBucket.
const (
	leastBuckets = 16
	mostOfBucket = 16
)

// sorted returns the keys in order, in their memory or the sorter's. Row numbers of
// neighbours are usually unrelated to positions in space and so are evenly
// distributed: as many buckets as rows nearly sort them, in a third of the time that
// comparisons take.
func (s *sorter) sorted(keys []uint64) []uint64 {
	n := len(keys)
	if n < leastBuckets {
		slices.Sort(keys)
		return keys
	}
	low, high := keys[0], keys[0]
	for _, k := range keys {
		low, high = min(low, k), max(high, k)
	}
	low &^= 1<<32 - 1
	shift := max(bits.Len64(high-low)-bits.Len(uint(n)), 0)
	buckets := int((high-low)>>shift) + 1 // at most 2n
	s.ends = slices.Grow(s.ends[:0], buckets)[:buckets]
	clear(s.ends)
	for _, k := range keys {
		s.ends[(k-low)>>shift]++
	}
	var end, most uint32
	for i, c := range s.ends {
		most = max(most, c)
		s.ends[i] = end // the beginning of the bucket; moves to its end below
		end += c
	}
	if most > mostOfBucket {
		slices.Sort(keys)
		return keys
	}
	s.by = slices.Grow(s.by[:0], n)[:n]
	for _, k := range keys {
		at := &s.ends[(k-low)>>shift]
		s.by[*at] = k
		*at++
	}
	for i := 1; i < n; i++ { // insertion sort within the buckets
		k := s.by[i]
		at := i
		for ; at > 0 && s.by[at-1] > k; at-- {
			s.by[at] = s.by[at-1]
		}
		s.by[at] = k
	}
	return s.by
}

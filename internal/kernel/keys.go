package kernel

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

// Candidates are put in order by keys: the bits of d², which for numbers that
// are not negative have their order, with the place of the candidate in its list
// instead of the last slotBits. Keys that differ in those only do not tell.
const (
	slotBits = 12
	keyBlock = 64 // keys that are sorted at once
	fewOf    = 4  // so many times as many candidates as are asked for need not be sorted
)

// A keyRoom is room for the keys of a list, in blocks of keyBlock each with one
// behind that is greater than all: on the stack, it would be cleared for every
// list.
type keyRoom struct {
	from, to [(MaxLeast/keyBlock + 1) * (keyBlock + 1)]uint64
}

var keyRooms = sync.Pool{New: func() any { return new(keyRoom) }}

// A keySorter writes the keys of the candidates from first on, keyBlock of them
// or what there is, in order to keys; one with the ID skip gets none. It returns
// how many keys there are; what is behind them, up to keyBlock, is overwritten
// with anything.
type keySorter func(dist []float64, id []uint32, first int, skip uint32, keys []uint64) int

// leastByKeys fills a list with the least of many candidates: blocks that are
// sorted are merged two by two. There must be enough.
func leastByKeys(dist []float64, id []uint32, skip uint32, sort keySorter, outDist []float64, outID []uint32) {
	room := keyRooms.Get().(*keyRoom)
	defer keyRooms.Put(room)
	k := len(outDist)
	from, to := room.from[:], room.to[:]
	var length [MaxLeast / keyBlock]int // of the sorted runs, each with a key behind
	runs, at := 0, 0
	for first := 0; first < len(dist); first += keyBlock {
		n := sort(dist, id, first, skip, from[at:at+keyBlock])
		from[at+n] = math.MaxUint64
		length[runs] = n
		runs, at = runs+1, at+n+1
	}
	for runs > 1 {
		read, write, merged := 0, 0, 0
		for r := 0; r < runs; r += 2 {
			if r+1 == runs {
				copy(to[write:], from[read:read+length[r]+1])
				length[merged] = length[r]
			} else {
				n := length[r] + length[r+1]
				mergeKeys(to[write:write+n], from[read:], from[read+length[r]+1:])
				to[write+n] = math.MaxUint64
				read += n + 2
				length[merged] = n
			}
			write += length[merged] + 1
			merged++
		}
		runs, from, to = merged, to, from
	}
	keys := from[:length[0]]
	// In runs of keys that do not tell, d² and IDs do.
	for m := 0; m < min(k, len(keys)-1); {
		end := m + 1
		for end < len(keys) && (keys[end]^keys[m])>>slotBits == 0 {
			end++
		}
		if end > m+1 {
			orderClose(keys[m:end], dist, id)
		}
		m = end
	}
	for m, key := range keys[:k] {
		place := key % MaxLeast
		outDist[m], outID[m] = dist[place], id[place]
	}
}

// orderClose puts keys in the order of the (d², ID) of their candidates.
func orderClose(keys []uint64, dist []float64, id []uint32) {
	slices.SortFunc(keys, func(a, b uint64) int {
		a, b = a%MaxLeast, b%MaxLeast
		switch {
		case dist[a] < dist[b] || dist[a] == dist[b] && id[a] < id[b]:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
}

// mergeKeys fills to with the keys of a and b, both of which ascend and have a
// key behind that is greater than all.
func mergeKeys(to, a, b []uint64) {
	i, j := 0, 0
	for m := range to {
		x, y := a[i], b[j]
		_, less := bits.Sub64(x, y, 0)
		to[m] = y ^ (x^y)&-less
		i += int(less)
		j += int(1 - less)
	}
}

// keysOf is a keySorter that leaves keys in the order of the candidates.
func keysOf(dist []float64, id []uint32, first int, skip uint32, keys []uint64) int {
	n := 0
	for m := first; m < min(first+keyBlock, len(dist)); m++ {
		keys[n] = math.Float64bits(dist[m])&^(MaxLeast-1) | uint64(m)
		n += int(min(1, id[m]^skip))
	}
	return n
}

// sortKeysGeneric is the keySorter without vectors.
func sortKeysGeneric(dist []float64, id []uint32, first int, skip uint32, keys []uint64) int {
	n := keysOf(dist, id, first, skip, keys)
	slices.Sort(keys[:n])
	return n
}

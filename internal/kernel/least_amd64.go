//go:build !purego

package kernel

import (
	"math"
	"math/bits"
	"sync"
)

const (
	slotBits  = 9  // of a key: the place of its candidate in the list
	leastSort = 64 // keys that a network sorts
)

// The places of the longest list fit a key.
var _ = [1]struct{}{}[MaxLeast-1<<slotBits]

// none is what skips points to where no ID is left out.
var none = None

// leastVector sorts lists by keys, the bits of d² with the place of the
// candidate instead of the last ones. Where that is not the order of d² any
// more, and where IDs decide, it leaves a list to leastOf.
func leastVector(dist []float64, id []uint32, count, skip []uint32, k int, outDist []float64, outID []uint32) {
	checkLeast(dist, id, count, skip, k, outDist, outID)
	need := leastNeed(skip, k)
	var keys [leastSort]uint64
	a := args{keys: &keys[0], last: k, end: need, skips: &none}
	for i, at := 0, 0; i < len(count); i++ {
		if n := len(count) - i; at < len(dist) && k <= leastSort {
			a.dist, a.id, a.count = &dist[at], &id[at], &count[i]
			a.outDist, a.out, a.nq = &outDist[i*k], &outID[i*k], n
			if skip != nil {
				a.skips, a.skipStep = &skip[i], 4
			}
			call(leastAVX512, &a)
			for range n - a.nq {
				at += int(count[i])
				i++
			}
			if i == len(count) {
				return
			}
		}
		if n := int(count[i]); n >= need && n <= MaxLeast {
			leave := None
			if skip != nil {
				leave = skip[i]
			}
			list, ids := dist[at:at+n], id[at:at+n]
			to, toID := outDist[i*k:(i+1)*k], outID[i*k:(i+1)*k]
			switch {
			case n <= leastSort:
				leastOfClose(list, ids, &keys, to, toID)
			case !leastOfMany(list, ids, leave, to, toID):
				leastOf(list, ids, leave, to, toID)
			}
		}
		at += int(count[i])
	}
}

// leastOfClose puts a list in order that the network has sorted by its keys,
// of which some differ in the last bits only. It leaves the keys in 2, 4 or 8
// registers, the next one mostly in the next register.
func leastOfClose(dist []float64, id []uint32, keys *[leastSort]uint64, outDist []float64, outID []uint32) {
	registers := 8
	for registers > 2 && len(dist) <= 4*registers {
		registers /= 2
	}
	type candidate struct {
		d2 float64
		id uint32
	}
	var sorted [leastSort]candidate
	n := 0
	for i := range 8 * registers {
		key := keys[i%registers*8+i/registers]
		if key>>63 == 1 {
			break // there are no candidates behind
		}
		place := key & (1<<slotBits - 1)
		c := candidate{dist[place], id[place]}
		at := n
		for ; at > 0 && (sorted[at-1].d2 > c.d2 || sorted[at-1].d2 == c.d2 && sorted[at-1].id > c.id); at-- {
			sorted[at] = sorted[at-1]
		}
		sorted[at] = c
		n++
	}
	for m, c := range sorted[:len(outDist)] {
		outDist[m], outID[m] = c.d2, c.id
	}
}

// A keyRoom is room for the keys of a list of many candidates: on the stack, it
// would be cleared for every one.
type keyRoom struct {
	block  [leastSort + 1]uint64 // the last key of a block is behind all others
	merged [2][MaxLeast + 2]uint64
}

var keyRooms = sync.Pool{New: func() any {
	r := &keyRoom{}
	r.block[leastSort] = math.MaxUint64
	return r
}}

// leastOfMany sorts a list of more candidates than the network takes, block by
// block. It returns false if keys do not tell the order.
func leastOfMany(dist []float64, id []uint32, skip uint32, outDist []float64, outID []uint32) bool {
	room := keyRooms.Get().(*keyRoom)
	defer keyRooms.Put(room)
	k := len(outDist)
	sorted, other := &room.merged[0], &room.merged[1]
	a := args{dist: &dist[0], id: &id[0], skips: &skip}
	a.keys, a.nq = &sorted[0], leastSort
	call(sortKeysAVX512, &a)
	n := leastSort
	for a.first = leastSort; a.first < len(dist); a.first += leastSort {
		a.keys, a.nq = &room.block[0], min(leastSort, len(dist)-a.first)
		call(sortKeysAVX512, &a)
		sorted[n] = math.MaxUint64
		n = min(n+leastSort, k+1)
		mergeKeys(other[:n], sorted[:], room.block[:])
		sorted, other = other, sorted
	}
	// One more than asked for, for its order matters too.
	for m, key := range sorted[:min(k+1, n)] {
		if m > 0 && (key^sorted[m-1])>>slotBits == 0 {
			return false
		}
	}
	for m, key := range sorted[:k] {
		place := key & (1<<slotBits - 1)
		outDist[m], outID[m] = dist[place], id[place]
	}
	return true
}

// mergeKeys fills to with the least keys of a and b, both of which ascend.
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

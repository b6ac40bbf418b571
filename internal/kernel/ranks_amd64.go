//go:build !purego

package kernel

import (
	"math"
	"slices"
	"sync"
)

const (
	noPlace   = math.MaxUint16 // where no candidate has that rank
	rankBlock = 2 * keyBlock   // candidates of a list that is ranked
)

// A rankRoom is room for the ranks of a list, and for what the kernel reads and
// writes beyond its end: on the stack, it would be cleared for every call.
type rankRoom struct {
	dist  [rankBlock]float64
	key   [rankBlock]uint64
	rank  [rankBlock]uint64
	place [rankBlock]uint16 // of the candidate with each rank
}

var rankRooms = sync.Pool{New: func() any { return new(rankRoom) }}

// leastRanks orders lists by how many candidates are less than each, which
// takes fewer steps than insertion, though their number is a square, and no
// branches. Where IDs decide it leaves a list to leastOf; longer lists are put in
// order by their keys.
func leastRanks(dist []float64, id []uint32, count, skip []uint32, k int, outDist []float64, outID []uint32) {
	checkLeast(dist, id, count, skip, k, outDist, outID)
	need, most := leastNeed(skip, k), MostLeast(k)
	room := rankRooms.Get().(*rankRoom)
	defer rankRooms.Put(room)
	keying := keying{of: keysOf, sort: room.sortKeys}
	for i, c := range count {
		if n := int(c); n >= need && n <= most {
			leave := None
			if skip != nil {
				leave = skip[i]
			}
			to, toID := outDist[i*k:(i+1)*k], outID[i*k:(i+1)*k]
			switch {
			case n > rankBlock:
				leastByKeys(dist[:n], id[:n], leave, &keying, to, toID)
			case !room.least(dist[:n], id[:n], leave, to, toID):
				leastOf(dist[:n], id[:n], leave, to, toID)
			}
		}
		dist, id = dist[c:], id[c:]
	}
}

// least fills a list with the least candidates. It returns false if ranks do
// not tell their order, as several have the same d².
func (r *rankRoom) least(dist []float64, id []uint32, skip uint32, outDist []float64, outID []uint32) bool {
	n := copy(r.dist[:], dist)
	a := args{dist: &r.dist[0], keys: &r.rank[0], nq: n}
	call(ranksAVX2, &a)
	for i := range r.place[:n] {
		r.place[i] = noPlace
	}
	for i, rank := range r.rank[:n] {
		r.place[rank%rankBlock] = uint16(i)
	}
	m := 0
	for _, place := range r.place[:n] {
		if place == noPlace {
			return false // the one before has company
		}
		if m == len(outDist) {
			break
		}
		if x := id[place]; x != skip {
			outDist[m], outID[m] = dist[place], x
			m++
		}
	}
	return m == len(outDist)
}

// sortKeys sorts up to keyBlock keys by their ranks as numbers. Beyond infinity
// they are none.
func (r *rankRoom) sortKeys(keys []uint64) {
	copy(r.key[:], keys)
	most := uint64(0)
	for i, key := range keys {
		r.dist[i] = math.Float64frombits(key)
		most = max(most, key)
	}
	if most >= math.Float64bits(math.Inf(1)) {
		slices.Sort(keys)
		return
	}
	a := args{dist: &r.dist[0], keys: &r.rank[0], nq: len(keys)}
	call(ranksAVX2, &a)
	for i, key := range r.key[:len(keys)] {
		keys[r.rank[i]%rankBlock] = key
	}
}

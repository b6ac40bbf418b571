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
	bucket   = 20 // keys that a bucket is to have
)

// A keyRoom is room for the keys of a list, and those in buckets: on the stack,
// it would be cleared for every list.
type keyRoom struct {
	keys   [MaxLeast + Slack]uint64
	sorted [MaxLeast]uint64
	sample [keyBlock]uint64
	at     [MaxLeast]uint16 // the bucket of each key
	end    [MaxLeast/bucket + 1]uint16
}

var keyRooms = sync.Pool{New: func() any { return new(keyRoom) }}

// A keying is how keys are made and sorted.
type keying struct {
	// of writes the keys of all candidates, but for that to skip and those behind
	// the pivot, and returns how many there are. keys have Slack more.
	of func(dist []float64, id []uint32, skip uint32, pivot uint64, keys []uint64) int
	// sort sorts up to keyBlock keys.
	sort func(keys []uint64)
}

var keyingGeneric = &keying{of: keysOf, sort: slices.Sort[[]uint64]}

// leastByKeys fills a list with the least of many candidates, of which there
// must be enough. Buckets of a part of the range of d² each have few keys, which
// are sorted at once; those behind the list are not sorted at all.
func leastByKeys(dist []float64, id []uint32, skip uint32, f *keying, outDist []float64, outID []uint32) {
	room := keyRooms.Get().(*keyRoom)
	defer keyRooms.Put(room)
	k := len(outDist)
	n := f.of(dist, id, skip, room.pivot(dist, k, f), room.keys[:])
	if n < k {
		n = f.of(dist, id, skip, math.MaxUint64, room.keys[:])
	}
	sorted := room.sort(n, k, f)
	if !pick(sorted, dist, id, outDist, outID) {
		orderClose(sorted, dist, id)
		pick(sorted, dist, id, outDist, outID)
	}
}

// pick fills a list with the candidates of the first keys, and reports whether
// keys that are in order tell that of these candidates.
func pick(keys []uint64, dist []float64, id []uint32, outDist []float64, outID []uint32) bool {
	k := len(outDist)
	told, before := true, ^keys[0]
	outID = outID[:k]
	for m, key := range keys[:k] {
		place := key % MaxLeast
		outDist[m], outID[m] = dist[place], id[place]
		if (key^before)>>slotBits == 0 {
			told = false
		}
		before = key
	}
	return told && (k == len(keys) || (keys[k]^before)>>slotBits != 0)
}

// sort returns the first k of n keys in order, and those behind that do not tell
// from the last of them.
func (r *keyRoom) sort(n, k int, f *keying) []uint64 {
	keys := r.keys[:n]
	if n <= keyBlock {
		f.sort(keys)
		return keys
	}
	if n <= 2*keyBlock {
		f.sort(keys[:keyBlock])
		f.sort(keys[keyBlock:])
		return r.merge(n, k)
	}
	sorted := r.sorted[:n]
	buckets := r.distribute(keys, sorted)
	if buckets == 0 {
		slices.Sort(keys)
		return keys
	}
	start := 0
	for _, end := range r.end[:buckets] {
		if some := sorted[start:end]; len(some) > keyBlock {
			slices.Sort(some)
		} else if len(some) > 1 {
			f.sort(some)
		}
		if start = int(end); start >= k {
			break
		}
	}
	return sorted[:start]
}

// merge does what sort does for keys in order in two blocks.
func (r *keyRoom) merge(n, k int) []uint64 {
	some := min(n, k+1)
	mergeKeys(r.sorted[:some], r.keys[:keyBlock], r.keys[keyBlock:n])
	if some == n || (r.sorted[k]^r.sorted[k-1])>>slotBits != 0 {
		return r.sorted[:some]
	}
	mergeKeys(r.sorted[:n], r.keys[:keyBlock], r.keys[keyBlock:n])
	return r.sorted[:n]
}

// mergeKeys fills to with the least keys of a and b, both of which ascend.
func mergeKeys(to, a, b []uint64) {
	i, j := 0, 0
	m := 0
	for ; m < len(to) && i < len(a) && j < len(b); m++ {
		x, y := a[i], b[j]
		_, less := bits.Sub64(x, y, 0)
		to[m] = y ^ (x^y)&-less
		i += int(less)
		j += int(1 - less)
	}
	m += copy(to[m:], a[i:])
	copy(to[m:], b[j:])
}

// pivot returns a key that a sample lets expect somewhat behind the first k,
// where there are many candidates. Keys that do not tell are all on one side.
func (r *keyRoom) pivot(dist []float64, k int, f *keying) uint64 {
	if len(dist) <= 2*max(k, keyBlock) {
		return math.MaxUint64
	}
	sample := r.sample[:]
	for i := range sample {
		m := i * len(dist) / keyBlock
		sample[i] = keyOf(dist[m], m)
	}
	f.sort(sample)
	part := float64(k) / float64(len(dist)) * keyBlock
	return sample[min(keyBlock-1, int(part+2.5*math.Sqrt(part)+2))] | (MaxLeast - 1)
}

func keyOf(d2 float64, place int) uint64 {
	return math.Float64bits(d2)&^(MaxLeast-1) | uint64(place)
}

// keysOf is the of of keyings without vectors.
func keysOf(dist []float64, id []uint32, skip uint32, pivot uint64, keys []uint64) int {
	n := 0
	for m, d2 := range dist {
		key := keyOf(d2, m)
		keys[n] = key
		_, behind := bits.Sub64(pivot, key, 0)
		n += int(uint64(min(1, id[m]^skip)) &^ behind)
	}
	return n
}

// distribute puts keys in buckets, which follow each other in sorted, sets their
// ends, and returns how many there are: none if their range has no parts. Keys
// that do not tell are in one bucket.
func (r *keyRoom) distribute(keys, sorted []uint64) int {
	least, most := uint64(math.MaxUint64), uint64(0)
	for _, key := range keys {
		least, most = min(least, key), max(most, key)
	}
	buckets := len(keys) / bucket
	low, high := number(least), number(most)
	scale := float64(buckets) / (high - low)
	// Keys of infinities are no numbers.
	if !(high-low <= math.MaxFloat64) || !(scale <= math.MaxFloat64) {
		return 0
	}
	end := r.end[:buckets]
	clear(end)
	for i, key := range keys {
		b := min(int((number(key)-low)*scale), buckets-1)
		r.at[i] = uint16(b)
		end[b]++
	}
	start := uint16(0)
	for b, n := range end {
		end[b] = start
		start += n
	}
	for i, key := range keys {
		b := r.at[i]
		sorted[end[b]] = key
		end[b]++
	}
	return buckets
}

// number is d² of a key, but for the bits of the place.
func number(key uint64) float64 { return math.Float64frombits(key &^ (MaxLeast - 1)) }

// orderClose puts keys that are in order up to the places of their candidates
// in the order of (d², ID).
func orderClose(keys []uint64, dist []float64, id []uint32) {
	for m := 1; m < len(keys); m++ {
		if (keys[m]^keys[m-1])>>slotBits != 0 {
			continue
		}
		start := m - 1
		for m < len(keys) && (keys[m]^keys[start])>>slotBits == 0 {
			m++
		}
		slices.SortFunc(keys[start:m], func(a, b uint64) int {
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
}

// MaxLeast is the length of the longest lists that Least takes for any k.
const MaxLeast = 1 << slotBits

//go:build !purego

package kernel

import "unsafe"

// none is what skips points to where no ID is left out.
var none = None

// leastVector sorts lists by keys, the bits of d² with the place of the
// candidate instead of the last ones. Where that is not the order of d² any
// more, and where IDs decide, it leaves a list to leastOf.
func leastVector(dist []float64, id []uint32, count, skip []uint32, k int, outDist []float64, outID []uint32) {
	checkLeast(dist, id, count, skip, k, outDist, outID)
	need, most := leastNeed(skip, k), MostLeast(k)
	var keys [keyBlock]uint64
	a := args{keys: &keys[0], last: k, end: need, skips: &none}
	for i, at := 0, 0; i < len(count); i++ {
		if n := len(count) - i; at < len(dist) && k <= keyBlock {
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
		if n := int(count[i]); n >= need && n <= most {
			leave := None
			if skip != nil {
				leave = skip[i]
			}
			list, ids := dist[at:at+n], id[at:at+n]
			to, toID := outDist[i*k:(i+1)*k], outID[i*k:(i+1)*k]
			switch {
			case n <= keyBlock:
				leastOfClose(list, ids, &keys, to, toID)
			default:
				leastByKeys(list, ids, leave, sortKeysVector, to, toID)
			}
		}
		at += int(count[i])
	}
}

// leastOfClose puts a list in order that the network has sorted by its keys,
// of which some differ in the last bits only. It leaves the keys in 2, 4 or 8
// registers, the next one mostly in the next register.
func leastOfClose(dist []float64, id []uint32, keys *[keyBlock]uint64, outDist []float64, outID []uint32) {
	registers := registers(len(dist))
	type candidate struct {
		d2 float64
		id uint32
	}
	var sorted [keyBlock]candidate
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

// sortKeysVector is a keySorter with a network.
func sortKeysVector(keys []uint64, room *[keyBlock]uint64) {
	a := args{dist: (*float64)(unsafe.Pointer(&keys[0])), keys: &room[0], nq: len(keys)}
	call(sortKeysAVX512, &a)
	lanes := registers(len(keys))
	if lanes == 8 {
		copy(keys, room[:])
		return
	}
	at := 0
	for lane := 0; at < len(keys); lane++ {
		for i := lane; i < 8*lanes && at < len(keys); i += 8 {
			keys[at] = room[i]
			at++
		}
	}
}

// registers returns how many the network sorts so many keys in. The next key is
// mostly in the next register.
func registers(n int) int {
	switch {
	case n <= 16:
		return 2
	case n <= 32:
		return 4
	}
	return 8
}

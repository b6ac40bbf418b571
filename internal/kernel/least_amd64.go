//go:build !purego

package kernel

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
			if n <= keyBlock {
				leastOfClose(list, ids, &keys, to, toID)
			} else {
				leastByKeys(list, ids, leave, keyingAVX512, to, toID)
			}
		}
		at += int(count[i])
	}
}

// leastOfClose puts a list in order that the network has sorted by its keys,
// of which some differ in the last bits only. It leaves the keys in 2, 4 or 8
// registers, the next one mostly in the next register.
func leastOfClose(dist []float64, id []uint32, keys *[keyBlock]uint64, outDist []float64, outID []uint32) {
	registers := 8
	for registers > 2 && len(dist) <= 4*registers {
		registers /= 2
	}
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

// keyingAVX512 makes keys eight at a time, and sorts them by a network.
var keyingAVX512 = &keying{
	of: func(dist []float64, id []uint32, skip uint32, pivot uint64, keys []uint64) int {
		a := args{dist: &dist[0], id: &id[0], skips: &skip, firstKey: pivot, keys: &keys[0], nq: len(dist)}
		call(makeKeysAVX512, &a)
		return a.n
	},
	sort: func(keys []uint64) {
		a := args{keys: &keys[0], nq: len(keys)}
		call(sortKeysAVX512, &a)
	},
}

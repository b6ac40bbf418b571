package kernel

import "sort"

// nearestBlock is the number of candidates that are compared with one bound:
// fewer, and the bound tightens sooner; more, and they cost less.
const nearestBlock = 64

func nearestGeneric(q *Points, i int, d *Points, runs []Run, skip uint32, k int, dist []float64, id []uint32) {
	checkNearest(q, i, d, runs, k, dist, id)
	var buffer [nearestBlock]float64
	dist, id = dist[:k], id[:k]
	for _, r := range runs {
		for j := int(r.Lo); j < int(r.Hi); j += nearestBlock {
			sum := buffer[:min(nearestBlock, int(r.Hi)-j)]
			squares(q, i, d, j, sum)
			for m, d2 := range sum {
				if d2 <= dist[k-1] && d.ID[j+m] != skip {
					insert(d2, d.ID[j+m], dist, id)
				}
			}
		}
	}
}

// insert puts a candidate into a full list in order of (d², ID), whose last
// element drops out; that may be the candidate.
func insert(d2 float64, candidate uint32, dist []float64, id []uint32) {
	after := func(p int) bool { return dist[p] > d2 || dist[p] == d2 && id[p] > candidate }
	last := len(dist) - 1
	if last < 32 {
		if !after(last) {
			return
		}
		p := last
		for ; p > 0 && after(p-1); p-- {
			dist[p], id[p] = dist[p-1], id[p-1]
		}
		dist[p], id[p] = d2, candidate
		return
	}
	if p := sort.Search(len(dist), after); p <= last {
		copy(dist[p+1:], dist[p:last])
		copy(id[p+1:], id[p:last])
		dist[p], id[p] = d2, candidate
	}
}

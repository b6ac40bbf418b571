package mst

import (
	"cmp"
	"math"
	"slices"

	"skyjoin/internal/each"
	"skyjoin/internal/par"
)

// bucketEdges is the number of edges that are worth a bucket of their own.
const bucketEdges = 1 << 12

// SortEdges sorts edges by height, then by the rows of A, then of B. rows holds
// the row of every position.
func SortEdges(edges []Edge, rows []uint32, threads int) {
	spare := make([]Edge, len(edges))
	bounds := []int{0, len(edges)}
	if threads > 1 && len(edges) > bucketEdges {
		bounds = scatter(edges, spare, threads)
		edges, spare = spare, edges
	}
	portions := par.NewPortions(threads, len(bounds)-1, 1)
	par.Chunks(threads, threads, func(worker, _, _ int) {
		for {
			k, _, ok := portions.Next(worker)
			if !ok {
				return
			}
			lo, hi := bounds[k], bounds[k+1]
			radix(edges[lo:hi], spare[lo:hi])
			if len(bounds) > 2 {
				copy(spare[lo:hi], edges[lo:hi])
				breakTies(spare[lo:hi], rows)
			} else {
				breakTies(edges[lo:hi], rows)
			}
		}
	})
}

// Edges returns the edges of given ends, that of the lower row first, which are sorted
// by height already, in the order of SortEdges.
func Edges(ends [][2]uint32, heights []float64, rows []uint32, threads int) []Edge {
	edges := make([]Edge, len(ends))
	par.Chunks(threads, len(ends), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			edges[i] = Edge{heights[i], ends[i][0], ends[i][1]}
		}
	})
	// Edges of one height are in one chunk, that in which they begin.
	begins := func(i int) int {
		for i > 0 && i < len(edges) && heights[i] == heights[i-1] {
			i++
		}
		return i
	}
	par.Chunks(threads, len(ends), func(_, lo, hi int) {
		if lo, hi = begins(lo), begins(hi); lo < hi {
			breakTies(edges[lo:hi], rows)
		}
	})
	return edges
}

// scatter writes edges to the buckets of out that their heights are in, and
// returns where these begin, and the end.
func scatter(edges, out []Edge, threads int) []int {
	buckets := min(len(edges)/bucketEdges+1, 16*threads)
	sample := make([]float64, 0, 64*buckets)
	for i := range cap(sample) {
		sample = append(sample, edges[par.Bound(i, cap(sample), len(edges))].Height)
	}
	slices.Sort(sample)
	split := each.To(buckets-1, func(i int) float64 { return sample[64*(i+1)] })
	// Edges of one height share a bucket.
	bucket := func(e Edge) int {
		lo, hi := 0, len(split)
		for lo < hi {
			if mid := (lo + hi) / 2; split[mid] <= e.Height {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		return lo
	}
	at := make([][]int, threads)
	par.Chunks(threads, len(edges), func(chunk, lo, hi int) {
		at[chunk] = make([]int, buckets)
		for _, e := range edges[lo:hi] {
			at[chunk][bucket(e)]++
		}
	})
	bounds := make([]int, buckets+1)
	sum := 0
	for b := range buckets {
		bounds[b] = sum
		for _, count := range at {
			count[b], sum = sum, sum+count[b]
		}
	}
	bounds[buckets] = sum
	par.Chunks(threads, len(edges), func(chunk, lo, hi int) {
		to := at[chunk]
		for _, e := range edges[lo:hi] {
			b := bucket(e)
			out[to[b]] = e
			to[b]++
		}
	})
	return bounds
}

// radix sorts edges by height, which is not negative: the bits of such numbers
// are in their order. spare is as long.
func radix(edges, spare []Edge) {
	var count [8][256]int
	for _, e := range edges {
		key := math.Float64bits(e.Height)
		for d := range count {
			count[d][key>>(8*d)&0xff]++
		}
	}
	from, to := edges, spare
	for d := range count {
		c := &count[d]
		if len(edges) == 0 || c[math.Float64bits(edges[0].Height)>>(8*d)&0xff] == len(edges) {
			continue // all have the same digit
		}
		sum := 0
		for i, n := range c {
			c[i] = sum
			sum += n
		}
		for _, e := range from {
			digit := math.Float64bits(e.Height) >> (8 * d) & 0xff
			to[c[digit]] = e
			c[digit]++
		}
		from, to = to, from
	}
	if len(edges) > 0 && &from[0] != &edges[0] {
		copy(edges, from)
	}
}

// breakTies sorts edges of equal heights, which follow each other, by rows.
func breakTies(edges []Edge, rows []uint32) {
	for lo := 0; lo < len(edges); {
		hi := lo + 1
		for hi < len(edges) && edges[hi].Height == edges[lo].Height {
			hi++
		}
		if hi > lo+1 {
			slices.SortFunc(edges[lo:hi], func(a, b Edge) int {
				return cmp.Or(cmp.Compare(rows[a.A], rows[b.A]), cmp.Compare(rows[a.B], rows[b.B]))
			})
		}
		lo = hi
	}
}

package grid

import (
	"math"
	"math/bits"
	"unsafe"

	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// digit is the number of bits of a key that one pass of the radix sort sorts.
const digit = 11

// A builder sorts (key, row) by key, rows of equal keys ascending, in parallel
// passes that do not depend on the number of threads in their result.
type builder struct {
	threads      int
	n            int
	keys, keys2  []uint64
	rows, rows2  []uint32 // with kernel.Slack elements behind
	largest      uint64
	chunkLargest []uint64
}

// newBuilder returns a builder that keeps its keys in space as far as they fit:
// the room of the coordinates, zero still, which are not needed until the keys
// are not any more. A float64 and a uint64 have the same size and alignment,
// and neither has pointers.
func newBuilder(n, threads int, space []float64) *builder {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(space))), len(space))
	b := &builder{
		threads: threads, n: n, keys: words[:n],
		rows: make([]uint32, n+kernel.Slack), rows2: make([]uint32, n+kernel.Slack),
		chunkLargest: make([]uint64, threads),
	}
	if len(words) >= 2*n {
		b.keys2 = words[n : 2*n]
	} else {
		b.keys2 = make([]uint64, n)
	}
	return b
}

// keysOf computes the key of every row.
func (b *builder) keysOf(g *Geometry, s Source) {
	const block = 1024
	par.Chunks(b.threads, b.n, func(c, lo, hi int) {
		var x [block]float64
		for ; lo < hi; lo += block {
			end := min(lo+block, hi)
			key := b.keys[lo:end]
			for i := range g.axes {
				a := &g.axes[i]
				s.Columns[a.column].Copy(x[:end-lo], lo)
				a.add(key, x[:end-lo])
			}
			for i, k := range key {
				b.rows[lo+i] = uint32(lo + i)
				b.chunkLargest[c] = max(b.chunkLargest[c], k)
			}
		}
	})
	for _, k := range b.chunkLargest {
		b.largest = max(b.largest, k)
	}
}

// sort is a least significant digit radix sort.
func (b *builder) sort() {
	counts := make([][1 << digit]uint32, b.threads)
	for shift := 0; shift < bits.Len64(b.largest); shift += digit {
		par.Chunks(b.threads, b.n, func(c, lo, hi int) {
			count := &counts[c]
			clear(count[:])
			for _, k := range b.keys[lo:hi] {
				count[k>>shift&(1<<digit-1)]++
			}
		})
		sum := uint32(0)
		for v := range 1 << digit {
			for c := range counts {
				k := counts[c][v]
				counts[c][v] = sum
				sum += k
			}
		}
		par.Chunks(b.threads, b.n, func(c, lo, hi int) {
			at := &counts[c]
			for i, k := range b.keys[lo:hi] {
				v := k >> shift & (1<<digit - 1)
				to := at[v]
				at[v]++
				b.keys2[to] = k
				b.rows2[to] = b.rows[lo+i]
			}
		})
		b.keys, b.keys2 = b.keys2, b.keys
		b.rows, b.rows2 = b.rows2, b.rows
	}
}

// cells returns the distinct keys, with a sentinel behind, and where each
// begins, with the end behind.
func (b *builder) cells() (keys []uint64, start []uint32) {
	first := func(i int) bool { return i == 0 || b.keys[i] != b.keys[i-1] }
	counts := make([]int, b.threads+1)
	par.Chunks(b.threads, b.n, func(c, lo, hi int) {
		for i := lo; i < hi; i++ {
			if first(i) {
				counts[c+1]++
			}
		}
	})
	for c := range b.threads {
		counts[c+1] += counts[c]
	}
	total := counts[b.threads]
	keys, start = make([]uint64, total+1), make([]uint32, total+1)
	par.Chunks(b.threads, b.n, func(c, lo, hi int) {
		k := counts[c]
		for i := lo; i < hi; i++ {
			if first(i) {
				keys[k], start[k] = b.keys[i], uint32(i)
				k++
			}
		}
	})
	keys[total], start[total] = math.MaxUint64, uint32(b.n)
	return keys, start
}

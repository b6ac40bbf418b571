package grid

import (
	"context"
	"math"
	"math/bits"
	"unsafe"

	"skyjoin/internal/fresh"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// A builder sorts rows by the key of their cell, rows of equal keys ascending,
// in parallel passes that do not depend on the number of threads in their
// result. Key and row are one word, the row in its low bits, wherever they fit
// one, which they do but for an extreme number of cells.
type builder struct {
	threads int
	n       int
	low     int      // bits of a word below the key
	top     int      // of the bits that a word uses
	words   []uint64 // one for each row
	other   []uint64 // as many more
}

// newBuilder returns a builder that keeps its words in space as far as they
// fit: the room of the coordinates, zero still, which are not needed until the
// words are not any more. A float64 and a uint64 have the same size and
// alignment, and neither has pointers.
func newBuilder(g *Geometry, n, threads int, space []float64) *builder {
	room := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(space))), len(space))
	b := &builder{threads: threads, n: n, words: room[:n], low: bits.Len(uint(max(n-1, 0)))}
	if b.top = b.low + bits.Len64(g.maxKey()); b.top > 64 {
		b.low = 0
	}
	if len(room) >= 2*n {
		b.other = room[n : 2*n]
	} else {
		b.other = fresh.Make[uint64](threads, n)
	}
	return b
}

// key computes the word of every row, of which only the key if both do not fit.
func (b *builder) key(g *Geometry, s Source) {
	const block = 1024
	wide := b.wide()
	par.Chunks(b.threads, b.n, func(c, lo, hi int) {
		var x [block]float64
		for ; lo < hi; lo += block {
			end := min(lo+block, hi)
			word := b.words[lo:end]
			for i := range g.axes {
				a := &g.axes[i]
				s.Columns[a.column].Copy(x[:end-lo], lo)
				a.add(word, x[:end-lo])
			}
			if wide {
				continue
			}
			for i, k := range word {
				word[i] = k<<b.low | uint64(lo+i)
			}
		}
	})
}

// wide reports whether a key and a row do not fit one word.
func (b *builder) wide() bool { return b.top > 64 }

// sort sorts the words and returns the rows in their order, with kernel.Slack
// elements behind.
func (b *builder) sort() []uint32 {
	rows := fresh.Make[uint32](b.threads, b.n+kernel.Slack)
	if b.wide() {
		for i := range b.n {
			rows[i] = uint32(i)
		}
		b.words, rows = sortByKey(b.threads, b.words, b.other, rows)
		return rows
	}
	b.words = radixSort(b.threads, b.words, b.other, b.low, b.top)
	mask := uint64(1)<<b.low - 1
	par.Chunks(b.threads, b.n, func(_, lo, hi int) {
		for i, w := range b.words[lo:hi] {
			rows[lo+i] = uint32(w & mask)
		}
	})
	return rows
}

// cells returns the distinct keys of the sorted words, with those behind that
// kernel.Cells wants, and where each begins, with the end behind.
func (b *builder) cells() (keys []uint64, start []uint32) {
	counts := make([]int, b.threads+1)
	par.Chunks(b.threads, b.n, func(c, lo, hi int) {
		last := b.before(lo)
		for _, w := range b.words[lo:hi] {
			if k := w >> b.low; k != last {
				last = k
				counts[c+1]++
			}
		}
	})
	for c := range b.threads {
		counts[c+1] += counts[c]
	}
	total := counts[b.threads]
	keys, start = fresh.Make[uint64](b.threads, total+kernel.WindowSlack), fresh.Make[uint32](b.threads, total+1)
	par.Chunks(b.threads, b.n, func(c, lo, hi int) {
		k, last := counts[c], b.before(lo)
		for i, w := range b.words[lo:hi] {
			if key := w >> b.low; key != last {
				keys[k], start[k] = key, uint32(lo+i)
				last = key
				k++
			}
		}
	})
	for i := total; i < len(keys); i++ {
		keys[i] = kernel.NoKey
	}
	start[total] = uint32(b.n)
	return keys, start
}

// before returns the key before that of word i, for the first one that no key
// is equal to.
func (b *builder) before(i int) uint64 {
	if i == 0 {
		return math.MaxUint64
	}
	return b.words[i-1] >> b.low
}

// Build sorts the points of a source into the cells of the geometry.
func (g *Geometry) Build(ctx context.Context, s Source, threads int) (*Grid, error) {
	threads = par.Threads(threads)
	n, dim := s.Len(), len(s.Columns)
	out := &Grid{Geometry: g}
	out.Points = kernel.Points{Stride: columnStride(n), N: n, Dim: dim}
	out.Points.Data = fresh.Make[float64](threads, dim*out.Points.Stride)
	b := newBuilder(g, n, threads, out.Points.Data)
	b.key(g, s)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rows := b.sort()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out.keys, out.Start = b.cells()
	out.Points.ID = rows
	par.Chunks(threads, n, func(_, lo, hi int) {
		for j, c := range s.Columns {
			at := j * out.Points.Stride
			c.Gather(out.Points.Data[at+lo:at+hi], rows[lo:hi])
		}
	})
	return out, ctx.Err()
}

// columnStride returns the distance of two columns of n points in elements: an odd
// multiple of a cache line, so that columns do not fall on the same cache
// sets, with slack behind the last point.
func columnStride(n int) int {
	lines := (n + kernel.Slack + 7) / 8
	return (lines | 1) * 8
}

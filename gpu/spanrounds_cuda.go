//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"

	"skyjoin/internal/cuda"
)

var inf = math.Inf(1)

// spanStalled is the share of components that must find their edge in lists for lists
// alone to be looked at again.
const spanStalled = 0.05

// grow joins components until there is one.
func (f *forest) grow(ctx context.Context, joined func(points int)) {
	search := false
	for left := f.tree.n; left > 1 && f.err == nil; {
		f.do(ctx.Err)
		n := f.tree.n
		each(f.sequence, "span_round", n, f.p)
		each(f.sequence, "span_offer", n, f.p)
		if !search {
			each(f.sequence, "span_doubt", n, f.p)
		}
		each(f.sequence, "span_sure", n, f.p)
		if !search {
			sure := first(f.sequence, f.counters).Sure
			search = float64(sure) < spanStalled*float64(left)
		}
		if search {
			f.search()
		}
		for _, kernel := range []string{"span_least", "span_choose", "span_join"} {
			each(f.sequence, kernel, n, f.p)
		}
		for depth := left; depth > 1; depth /= 4 { // each jump makes chains a fifth as long
			each(f.sequence, "span_jump", n, f.p)
		}
		each(f.sequence, "span_sizes", n, f.p)
		each(f.sequence, "span_move", n, f.p)
		edges := int(first(f.sequence, f.counters).Edges)
		f.do(func() error {
			if search && n-edges >= left {
				return fmt.Errorf("%w: %d components of the spanning tree find no edge", errStuck, left)
			}
			return nil
		})
		if left = n - edges; joined != nil && f.err == nil {
			joined(edges)
		}
	}
}

// errStuck cannot be: every component has an edge to another.
var errStuck = errors.New("the GPU computed something impossible")

// search looks in the tree for the edges that lists have not settled.
func (f *forest) search() {
	n := f.tree.n
	f.levels("span_groups")
	each(f.sequence, "span_flags", n, f.p)
	f.sorter.scan(f.flags, f.sums, cuda.Buffer[uint64]{})
	entries := int(f.sorter.total(n))
	if f.p.Entries = uint32(entries); entries == 0 {
		return
	}
	each(f.sequence, "span_entries", n, f.p)
	wrapped := ""
	if f.s.box != nil {
		wrapped = "_wrapped"
	}
	warps := spanThreads / 32
	launch(f.sequence, fmt.Sprintf("span_search%s_%d", wrapped, f.tree.dim), ceilDiv(entries, warps), spanThreads, warps*(len(f.tree.count)-1)*32*8, f.p)
}

// collect copies the rows in the order of the points, their core distances and the edges
// to the host, these by height.
func (f *forest) collect(rows []uint32, core []float64, ends [][2]uint32, heights []float64) {
	q, m := f.sequence, f.tree.n-1
	v := &sortable{slice(q, f.bits, 0, m), temp[uint64](q, m), temp[uint32](q, m), temp[uint32](q, m)}
	f.sorter.sort(v, m, 63, true)
	sorted := temp[uint64](q, m)
	each(q, "span_edges", m, &spanEdgesParams{Ends: f.ends.Ptr, Order: v.values.Ptr, Out: sorted.Ptr, N: uint32(m)})
	pull(q, rows, f.tree.id)
	pull(q, core, f.core)
	pull(q, ends, cuda.Buffer[[2]uint32]{Ptr: sorted.Ptr, N: m})
	pull(q, heights, cuda.Buffer[float64]{Ptr: v.keys.Ptr, N: m})
}

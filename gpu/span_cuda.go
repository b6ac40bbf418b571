//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"

	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// Span finds the minimum spanning tree of mutual reachability on the card. It implements
// hdbscan.Spanner, which documents it.
func (j *Joiner) Span(ctx context.Context, p *neighbors.Plan, others int, alpha float64, rows []uint32, core []float64, ends [][2]uint32, heights []float64, joined func(points int)) error {
	if err := supports(p); err != nil {
		return err
	}
	near := p.Nearest()
	if near == nil || !p.Self() || others > near.K {
		return fmt.Errorf("%w: a spanning tree needs the nearest of a self-join, %d of each row", neighbors.ErrRequest, others)
	}
	n := p.Len()
	switch {
	case n < 2:
		return fmt.Errorf("%w: a spanning tree of %d rows", neighbors.ErrRequest, n)
	case near.K > maxNearest:
		return fmt.Errorf("%w: %d nearest, the GPU finds up to %d", errors.ErrUnsupported, near.K, maxNearest)
	case p.IsAngle() && fused(1+0x1p-30, 1-0x1p-30, -1):
		return fmt.Errorf("%w: this processor rounds angles otherwise", errors.ErrUnsupported)
	case j.cfg.Linear || j.cfg.Pattern != PatternDefault:
		return fmt.Errorf("%w: the published kernels have no spanning tree", errors.ErrUnsupported)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.roomy(func() error {
		r := &nearestRun{j: j, p: p, session: &session{memory: memory{stream: j.prepare}, plan: p, used: &j.used}}
		defer r.session.release()
		if err := r.plant(); err != nil {
			return err
		}
		q := begin(j.prepare)
		defer q.end()
		f := newForest(q, r, others, alpha)
		f.grow(ctx, joined)
		f.collect(rows, core, ends, heights)
		return tooLarge(j.prepare, p, treeBytes(p)+f.bytes(), q.sync())
	})
}

// fused reports whether x·y + z is rounded once, which for x·y near -z it shows.
//
//go:noinline
func fused(x, y, z float64) bool { return x*y+z != 0 }

// A forest is the spanning tree while it grows: components of points, each of which is
// joined to another by the least edge that leaves it.
type forest struct {
	*sequence
	s        *session
	tree     *tree
	p        *spanParams // of the kernels, which cgo wants alone
	core     cuda.Buffer[float64]
	bits     cuda.Buffer[uint64]
	ends     cuda.Buffer[uint64]
	flags    cuda.Buffer[uint32]
	sums     cuda.Buffer[uint32]
	counters cuda.Buffer[spanCounters]
	sorter   *sorter
}

const (
	spanThreads = 128
	spanListed  = 32      // nearest that are listed at most: as many as a warp has lanes
	nearAtOnce  = 1 << 26 // neighbours that are found at a time
)

// bytes returns the memory of a point beyond that of the tree over them.
func (f *forest) bytes() int64 { return 4*int64(f.p.Listed) + 3*8 + 1 + 10*4 + 4*8 }

// newForest finds core distances and lists, of which every point is a component.
func newForest(q *sequence, r *nearestRun, others int, alpha float64) *forest {
	s, t, k := r.session, r.tree, r.p.Nearest().K
	n := t.n
	listed := min(k, spanListed)
	f := &forest{sequence: q, s: s, tree: t, core: temp[float64](q, n), bits: temp[uint64](q, n), ends: temp[uint64](q, n),
		flags: temp[uint32](q, n), sums: temp[uint32](q, n), counters: zeros[spanCounters](q, 1), sorter: newSorter(q, n)}
	place := temp[uint32](q, n)
	each(q, "places", n, &mapParams{In: t.id.Ptr, Out: place.Ptr, N: uint32(n)})
	f.p = &spanParams{Tree: t.params(), Box: openBox(s.box), Core: f.core.Ptr, Floor: temp[float64](q, t.least.N).Ptr, Comp: temp[uint32](q, n).Ptr, Group: temp[uint32](q, t.least.N).Ptr,
		Place: place.Ptr, List: temp[uint32](q, n*listed).Ptr, Next: temp[uint8](q, n).Ptr, Beyond: temp[float64](q, n).Ptr, Weight: temp[float64](q, n).Ptr, To: temp[uint32](q, n).Ptr,
		Best: temp[uint64](q, n).Ptr, Key: temp[uint64](q, n).Ptr, From: temp[uint32](q, n).Ptr, Open: temp[uint32](q, n).Ptr, Root: temp[uint32](q, n).Ptr, Size: temp[uint32](q, n).Ptr,
		Flags: f.flags.Ptr, Sums: f.sums.Ptr, Entry: temp[uint32](q, n).Ptr, Bits: f.bits.Ptr, Ends: f.ends.Ptr, Counters: f.counters.Ptr,
		Alpha: alpha, K: uint32(k), Listed: uint32(listed), Others: uint32(others), Whole: number(listed == n-1), Dim: int32(t.dim), Angle: number(r.p.IsAngle())}
	f.list(k)
	launch(q, "span_sort", ceilDiv(n, spanThreads/32), spanThreads, 0, f.p)
	f.levels("span_floor")
	return f
}

// list finds the nearest of all points.
func (f *forest) list(k int) {
	q := begin(f.stream)
	defer q.end()
	q.err = f.err
	room := min(f.tree.n, max(nearAtOnce/k, 1))
	near, dist := temp[uint32](q, room*k), temp[float64](q, room*k)
	for lo := 0; lo < f.tree.n; lo += room {
		sp := span{lo, min(lo+room, f.tree.n)}
		f.s.launchNearest(q, f.tree, sp, near, dist)
		f.p.Near, f.p.Lo, f.p.Hi = near.Ptr, uint32(sp.lo), uint32(sp.hi)
		each(q, "span_keep", sp.hi-sp.lo, f.p)
	}
	f.err = q.err
}

// levels runs a kernel for the nodes of every level, leaves first.
func (f *forest) levels(kernel string) {
	below := f.tree.n
	for level, count := range f.tree.count {
		f.p.Level = uint32(level)
		each(f.sequence, kernel, below, f.p)
		below = count
	}
}

// openBox returns the sides of a box, +Inf without one.
func openBox(b *box) box {
	if b == nil {
		b = new(box)
		for j := range b {
			b[j] = inf
		}
	}
	return *b
}

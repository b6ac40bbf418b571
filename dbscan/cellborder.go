package dbscan

import (
	"context"
	"slices"
	"sync/atomic"

	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
)

// borderBlock is the number of candidates per kernel call, unless a single point has
// more.
const borderBlock = 1 << 14

// A borderer finds the clusters of points that are not core.
type borderer struct {
	c          *cellRun
	sweep      *grid.Sweep
	far        bool    // whether cells near core points are marked
	byPosition []int32 // labels: of core points, and of others as they are found
	taken      []int64 // rows of each cluster
	runs       []kernel.Run
	out        []uint32
	counts     []uint32
	found      *atomic.Int64
}

// borders labels the points that are not core but have core neighbours with the
// lowest cluster among these, adds them to the sizes and returns how many there are.
func (c *cellRun) borders(ctx context.Context, byPosition []int32, sizes []int64, m *meter) (int64, error) {
	var found atomic.Int64
	cores := 0
	for _, size := range sizes {
		cores += int(size)
	}
	far := 4*(len(byPosition)-cores) > c.grid.Cells() // many cells may have no core points nearby
	if far {
		if err := c.markNear(ctx); err != nil {
			return 0, err
		}
	}
	err := c.each(ctx, m, func() func(int) {
		b := &borderer{c: c, sweep: grid.NewSweep(c.grid, c.grid), byPosition: byPosition, far: far, taken: sizes, found: &found}
		return b.cell
	})
	return found.Load(), err
}

// markNear marks the cells without core points that are within reach of a cell with
// core points, or with points whose state only other tiles know.
func (c *cellRun) markNear(ctx context.Context) error {
	return c.each(ctx, nil, func() func(int) {
		sweep := grid.NewSweep(c.grid, c.grid)
		return func(cell int) { c.approach(sweep, cell) }
	})
}

// hasForeign reports whether a cell has points of other tiles.
func (c *cellRun) hasForeign(cell int) bool {
	lo, hi := c.bounds(cell)
	return c.own != nil && slices.ContainsFunc(c.grid.Rows()[lo:hi], func(row uint32) bool { return !c.own[row] })
}

// approach marks the cells near a given one.
func (c *cellRun) approach(sweep *grid.Sweep, cell int) {
	if !c.hasCore(uint32(cell)) && !c.hasForeign(cell) {
		return
	}
	sweep.Visit(cell)
	for _, run := range sweep.Cells {
		for k := run.Lo; k < run.Hi; k++ {
			if atomic.LoadUint32(&c.of[k]) == noCore {
				atomic.StoreUint32(&c.of[k], nearCore)
			}
		}
	}
}

func (b *borderer) cell(cell int) {
	c := b.c
	if b.far && c.of[cell] == noCore {
		return
	}
	lo, hi := c.bounds(cell)
	i := nextOther(c.kind, lo, hi)
	if i == hi {
		return
	}
	b.sweep.Visit(cell)
	b.runs = b.runs[:0]
	for _, run := range b.sweep.Cells {
		for k := run.Lo; k < run.Hi; k++ {
			if c.hasCore(k) {
				b.runs = kernel.Extend(b.runs, c.grid.Start[k], c.grid.Start[k+1])
			}
		}
	}
	if len(b.runs) == 0 {
		return
	}
	most := grid.Points(b.runs)
	block := max(1, borderBlock/most)
	for i < hi {
		end := i + 1
		for end < hi && end-i < block && c.kind[end] == other {
			end++
		}
		b.attach(i, end, most)
		i = nextOther(c.kind, end, hi)
	}
}

// attach labels the points [lo, hi), which have up to most candidates each.
func (b *borderer) attach(lo, hi, most int) {
	c := b.c
	if room := (hi-lo)*most + kernel.Slack; len(b.out) < room {
		b.out = make([]uint32, 2*room)
	}
	for len(b.counts) < hi-lo {
		b.counts = append(b.counts, 0)
	}
	c.fn.Emit(&c.points, lo, hi, &c.points, b.runs, c.t, b.out, nil, b.counts)
	list := b.out
	for i := lo; i < hi; i++ {
		near := list[:b.counts[i-lo]]
		list = list[len(near):]
		label := Noise
		for _, j := range near {
			if c.kind[j] != other && (label == Noise || b.byPosition[j] < label) {
				label = b.byPosition[j]
			}
		}
		if label != Noise {
			b.byPosition[i] = label
			atomic.AddInt64(&b.taken[label], 1)
			b.found.Add(1)
		}
	}
}

// nextOther returns the first position from lo on that is not core, hi if there is
// none.
func nextOther(kind []uint8, lo, hi int) int {
	for lo < hi && kind[lo] != other {
		lo++
	}
	return lo
}

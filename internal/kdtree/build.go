package kdtree

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"skyjoin/internal/column"
	"skyjoin/internal/fresh"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// A builder moves whole points, stored row by row, so that it reads memory in
// order.
type builder struct {
	t      *Tree
	dim    int
	bounds func(points, least, most []float64)
	points []float64
	rows   []uint32

	// Room for as many points: that of the coordinates of the tree, which are
	// not needed until the points have their places.
	spare     []float64
	spareRows []uint32
}

// Build makes a tree of the rows of columns.
func Build(ctx context.Context, columns []column.Column, leaf, threads int) (*Tree, error) {
	threads = par.Threads(threads)
	n, dim := columns[0].Len(), len(columns)
	t := &Tree{}
	if n > leaf {
		t.levels = bits.Len(uint((n - 1) / leaf))
	}
	leaves := 1 << t.levels
	t.Start = make([]uint32, leaves+1)
	for i := range t.Start {
		t.Start[i] = uint32(uint64(i) * uint64(n) >> t.levels)
	}
	t.box = make([]float64, (2*leaves-1)*2*dim)
	t.least = make([]uint32, 2*leaves-1)

	stride := ((n+kernel.Slack+7)/8 | 1) * 8
	t.Points = kernel.Points{Data: fresh.Make[float64](threads, dim*stride), Stride: stride, N: n, Dim: dim}
	b := &builder{
		t: t, dim: dim, bounds: kernel.Best().Bounds,
		points: fresh.Make[float64](threads, n*dim), spare: t.Points.Data,
		rows: fresh.Make[uint32](threads, n+kernel.Slack), spareRows: fresh.Make[uint32](threads, n),
	}
	par.Chunks(threads, n, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			b.rows[i] = uint32(i)
			for c := range columns {
				b.points[i*dim+c] = columns[c].At(i)
			}
		}
	})
	b.divide(ctx, new([]entry), 0, 0, threads)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t.Points.ID = b.rows
	par.Chunks(threads, n, func(_, lo, hi int) {
		for c := range dim {
			to := t.Points.Data[c*stride : c*stride+n]
			for i := lo; i < hi; i++ {
				to[i] = b.points[i*dim+c]
			}
		}
	})
	return t, nil
}

// divide computes the box of a node and divides its points among its children.
// room is the goroutine's own, for entries.
func (b *builder) divide(ctx context.Context, room *[]entry, node, level, threads int) {
	t := b.t
	from, to := t.span(node)
	lo, hi := int(from), int(to)
	split := b.measure(node, lo, hi)
	if level == t.levels || ctx.Err() != nil {
		return
	}
	left, right := 2*node+1, 2*node+2
	mid, _ := t.span(right)
	b.halve(room, split, lo, hi, int(mid))
	if threads > 1 && hi-lo > 4096 {
		par.Chunks(2, 2, func(c, _, _ int) { b.divide(ctx, new([]entry), left+c, level+1, (threads+c)/2) })
		return
	}
	b.divide(ctx, room, left, level+1, 1)
	b.divide(ctx, room, right, level+1, 1)
}

// measure sets the box and the least row of a node, and returns the dimension
// in which the box is longest.
func (b *builder) measure(node, lo, hi int) int {
	dim := b.dim
	box := b.t.box[2*dim*node : 2*dim*(node+1)]
	least, most := box[:dim], box[dim:]
	if hi > lo {
		b.bounds(b.points[lo*dim:hi*dim], least, most)
	} else {
		for c := range dim {
			least[c], most[c] = math.Inf(1), math.Inf(-1)
		}
	}
	row := uint32(math.MaxUint32)
	for _, r := range b.rows[lo:hi] {
		row = min(row, r)
	}
	b.t.least[node] = row
	longest := 0
	for c := range dim {
		if most[c]-least[c] > most[longest]-least[longest] {
			longest = c
		}
	}
	return longest
}

// smallRange is the number of points up to which ranges are selected from
// directly, without a look at a sample first.
const smallRange = 256

// A sample of a range is so many coordinates, and margin is how far, in places
// of the sample, a quantile of the range is expected to lie from that of the
// sample: about three standard deviations of the median.
type sample struct{ size, margin int }

const largestSample = 256

// sampleOf returns the sample for a range of n points: its cost should be small
// beside that of a look at all of them.
func sampleOf(n int) sample {
	if n > 4096 {
		return sample{largestSample, 24}
	}
	return sample{64, 10}
}

// halve permutes the points [lo, hi) such that those before mid are less, by
// (coordinate c, row), than those from mid on, and otherwise stay in order.
//
// It finds the point that belongs at mid first, from coordinates alone, and
// then moves points once. Both loops are without branches on the outcome of
// comparisons, which nothing could predict.
func (b *builder) halve(room *[]entry, c, lo, hi, mid int) {
	pivot := b.nth(room, c, lo, hi, mid-lo)
	move := partition
	switch b.dim {
	case 2:
		move = partition2
	case 3:
		move = partition3
	}
	left := move(c, b.dim, b.points[lo*b.dim:hi*b.dim], b.spare[lo*b.dim:hi*b.dim], b.rows[lo:hi], b.spareRows[lo:hi], pivot)
	copy(b.points[(lo+left)*b.dim:hi*b.dim], b.spare[lo*b.dim:])
	copy(b.rows[lo+left:hi], b.spareRows[lo:])
}

// nth returns the point of [lo, hi) that n others are less than.
func (b *builder) nth(room *[]entry, c, lo, hi, n int) entry {
	if hi-lo > smallRange {
		if e, ok := b.nthBySample(room, c, lo, hi, n); ok {
			return e
		}
	}
	all := slices.Grow((*room)[:0], hi-lo)[:hi-lo]
	*room = all
	for i := range all {
		all[i] = entry{b.points[(lo+i)*b.dim+c], b.rows[lo+i]}
	}
	return selectEntry(all, n)
}

// nthBySample takes two coordinates from a sample that should be just below and
// just above that of the point looked for, and selects from what lies between.
// It returns false if they are not, or many points lie there.
func (b *builder) nthBySample(room *[]entry, c, lo, hi, n int) (entry, bool) {
	size := hi - lo
	look := sampleOf(size)
	var buffer [largestSample]float64
	sample := buffer[:look.size]
	// Equal steps would follow a pattern of the points: add a Weyl sequence.
	step, phase := float64(size)/float64(look.size), 0.0
	for i := range sample {
		phase += 1 / math.Phi
		phase -= math.Floor(phase)
		sample[i] = b.points[(lo+min(int((float64(i)+phase)*step), size-1))*b.dim+c]
	}
	slices.Sort(sample)
	at := int(float64(n) / float64(size) * float64(look.size))
	least, most := math.Inf(-1), math.Inf(1)
	if at > look.margin {
		least = sample[at-look.margin]
	}
	if at+look.margin < look.size {
		most = sample[at+look.margin]
	}
	between := slices.Grow((*room)[:0], size/2+1)[:size/2+1]
	*room = between
	below, k := 0, 0
	for i := lo; i < hi; i++ {
		x := b.points[i*b.dim+c]
		between[k] = entry{x, b.rows[i]}
		below += bit(x < least)
		k += bit(x >= least) & bit(x <= most)
		if k == len(between) {
			return entry{}, false
		}
	}
	if n < below || n >= below+k {
		return entry{}, false
	}
	return selectEntry(between[:k], n-below), true
}

// selectEntry returns the entry that n others are less than. It permutes all.
func selectEntry(all []entry, n int) entry {
	for rounds := 4 * bits.Len(uint(len(all))); len(all) > 16; rounds-- {
		if rounds == 0 { // a pattern that is against this
			slices.SortFunc(all, entry.compare)
			return all[n]
		}
		// The middle of three suits points that are in order, too.
		pivot := middle(all[0], all[len(all)/2], all[len(all)-1])
		k := 0
		for i, e := range all {
			all[i] = all[k]
			all[k] = e
			k += before(e.x, e.row, pivot)
		}
		switch {
		case n < k:
			all = all[:k]
		case k == 0: // the pivot is the least
			if n == 0 {
				return pivot
			}
			// Rows differ, so the least is one.
			i := slices.Index(all, pivot)
			all[i] = all[0]
			all, n = all[1:], n-1
		default:
			all, n = all[k:], n-k
		}
	}
	for i := 1; i < len(all); i++ {
		for j := i; j > 0 && all[j].less(all[j-1]); j-- {
			all[j], all[j-1] = all[j-1], all[j]
		}
	}
	return all[n]
}

// middle returns the entry between the two others.
func middle(a, b, c entry) entry {
	if b.less(a) {
		a, b = b, a
	}
	if c.less(b) {
		b = c
		if b.less(a) {
			b = a
		}
	}
	return b
}

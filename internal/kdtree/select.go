package kdtree

import (
	"math"
	"math/bits"
	"slices"
)

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

package kernel

// A Histogram counts pairs by d². It belongs to one goroutine; Hist adds to
// it.
type Histogram struct {
	bins  *Bins
	pairs uint64   // that were looked at
	count []uint64 // by the number of edges ≤ d²; that of pairs beyond the last edge means nothing

	// The assembly counts in 32 bits, in several copies, from a buffer.
	small   []uint32
	pending uint64 // the most that small can hold
	buffer  []float64

	// Of Linear: the bins of a call, and the candidates near an edge.
	found, near []uint32
}

const (
	// histCopies and histStride, in counters, are as in the generator.
	histCopies = 8
	histStride = maxBins + 128

	// histBuffer is the number of candidates of one call: their d² stay in
	// the nearest cache.
	histBuffer = 1024
)

// NewHistogram returns an empty histogram.
func NewHistogram(b *Bins) *Histogram {
	return &Histogram{bins: b, count: make([]uint64, b.n+2)}
}

// Counts returns how many pairs have been added to each bin, below the first
// and not below the last edge.
func (h *Histogram) Counts() (bins []uint64, under, over uint64) {
	h.flush()
	bins, under = append([]uint64(nil), h.count[1:h.bins.n+1]...), h.count[0]
	over = h.pairs - under
	for _, n := range bins {
		over -= n
	}
	return bins, under, over
}

// Take adds the counts of the bins to sum, of which there is one for each, and
// empties the histogram.
func (h *Histogram) Take(sum []uint64) {
	h.flush()
	for i, n := range h.count[1 : h.bins.n+1] {
		sum[i] += n
	}
	clear(h.count)
	h.pairs = 0
}

// flush moves the small counters to the large ones.
func (h *Histogram) flush() {
	if h.pending == 0 {
		return
	}
	for c := range histCopies {
		for i := range h.count {
			s := &h.small[c*histStride+i]
			h.count[i] += uint64(*s)
			*s = 0
		}
	}
	h.pending = 0
}

// expect notes that n more pairs are looked at, less than 2³², and makes the
// small counters ready for them. (What a call
// adds to fill up its last round of copies goes beyond the last edge.)
func (h *Histogram) expect(n int) {
	if h.small == nil {
		h.small = make([]uint32, histCopies*histStride)
		h.buffer = make([]float64, histBuffer+Slack)
	}
	if h.pending+uint64(n) > 1<<32-1 {
		h.flush()
	}
	h.pending += uint64(n)
	h.pairs += uint64(n)
}

// histPairs returns the number of pairs of queries [lo, hi) with total points
// in runs, and their own later ones up to end. It panics if they do not fit
// the block.
func histPairs(q *Points, lo, hi, end int, d *Points, runs []Run) (total, pairs int) {
	total = check(q, lo, hi, d, runs)
	if end != 0 && (q != d || end < hi || end > d.N) {
		misfitOwn(lo, hi, end, d)
	}
	pairs = (hi - lo) * total
	if end > 0 {
		pairs += (hi-lo)*(end-hi) + (hi-lo)*(hi-lo-1)/2
	}
	return total, pairs
}

func histGeneric(q *Points, lo, hi, end int, d *Points, runs []Run, h *Histogram) {
	_, pairs := histPairs(q, lo, hi, end, d, runs)
	h.pairs += uint64(pairs)
	var buffer [block]float64
	for i := lo; i < hi; i++ {
		if i+1 < end {
			histRun(q, i, d, Run{uint32(i + 1), uint32(end)}, h, buffer[:])
		}
		for _, r := range runs {
			histRun(q, i, d, r, h, buffer[:])
		}
	}
}

func histRun(q *Points, i int, d *Points, r Run, h *Histogram, buffer []float64) {
	for j := int(r.Lo); j < int(r.Hi); j += block {
		sum := buffer[:min(block, int(r.Hi)-j)]
		squares(q, i, d, j, sum)
		h.bins.count(sum, h.count)
	}
}

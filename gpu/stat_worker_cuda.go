//go:build cuda && linux

package gpu

import (
	"math"
	"slices"

	"skyjoin/internal/cuda"
	"skyjoin/internal/exact"
	"skyjoin/internal/pairfunc"
)

// A statWorker does pieces of a stat on one stream. All its methods run on the
// stream's thread.
type statWorker struct {
	memory
	*stat
	l       *lane
	p       pairsParams
	a, b    statPart
	count   cuda.Buffer[uint64]
	cursor  cuda.Buffer[uint64]
	pool    cuda.Buffer[uint64]
	found   []uint64
	values  cuda.Buffer[float64]
	others  cuda.Buffer[uint32]
	numbers cuda.Buffer[uint64]
	words   cuda.Buffer[int64]
}

// A statPart is rows of one side on the device.
type statPart struct {
	x      cuda.Buffer[float64] // [column][stride]
	stride int
	lo, hi int
}

func (part *statPart) load(st *cuda.Stream, columns [][]float64, lo, hi int) error {
	if part.lo == lo && part.hi == hi {
		return nil
	}
	part.lo, part.hi = lo, hi
	for c, v := range columns {
		if err := cuda.Upload(st, part.x.Slice(c*part.stride, c*part.stride+hi-lo), v[lo:hi]); err != nil {
			return err
		}
	}
	return nil
}

// wordsOf is the counters of a sum: its words, and the numbers of NaN, +Inf and
// -Inf.
const wordsOf = exact.Words + 3

func (w *statWorker) setUp(work [][]piece) error {
	queries, points := 0, 0
	for _, pieces := range work {
		for _, p := range pieces {
			queries, points = max(queries, p.q1-p.q0), max(points, p.d1-p.d0)
		}
	}
	m := &w.memory
	w.a.stride, w.b.stride = (queries+31)&^31, (points+31)&^31
	err := firstError(into(&w.a.x, m, len(w.stat.a)*w.a.stride), into(&w.b.x, m, len(w.stat.b)*w.b.stride),
		into(&w.count, m, max(int(w.p.Bins)+2, wordsOf)), put(m, &w.p.Edge, w.edges))
	if err != nil {
		return err
	}
	w.p.Query, w.p.Data, w.p.Count = w.a.x.Ptr, w.b.x.Ptr, w.count.Ptr
	w.p.QueryStride, w.p.DataStride = uint32(w.a.stride), uint32(w.b.stride)
	if err := cuda.Clear(w.stream, w.count, 0); err != nil || !w.job.PerRow {
		return err
	}
	switch w.job.Reduction {
	case pairfunc.Count:
		err = into(&w.numbers, m, queries)
		w.p.RowCount = w.numbers.Ptr
	case pairfunc.Sum:
		err = into(&w.words, m, queries*wordsOf)
		w.p.RowWords = w.words.Ptr
	default:
		err = firstError(into(&w.values, m, queries), into(&w.others, m, queries))
		w.p.RowValue, w.p.RowOther = w.values.Ptr, w.others.Ptr
	}
	return err
}

// do meets the pairs of pieces that share their queries.
func (w *statWorker) do(pieces []piece) error {
	n := pieces[0].q1 - pieces[0].q0
	if w.job.PerRow {
		err := firstError(cuda.Clear(w.stream, w.numbers, 0), cuda.Clear(w.stream, w.words, 0),
			cuda.Clear(w.stream, w.values, 0xff), cuda.Clear(w.stream, w.others, 0xff)) // values: NaN
		if err != nil {
			return err
		}
	}
	for _, pc := range pieces {
		if err := firstError(w.a.load(w.stream, w.stat.a, pc.q0, pc.q1), w.b.load(w.stream, w.stat.b, pc.d0, pc.d1)); err != nil {
			return err
		}
		p := &w.p
		p.Queries, p.QueryRow, p.Points, p.DataRow, p.Mode = uint32(n), uint32(pc.q0), uint32(pc.d1-pc.d0), uint32(pc.d0), pc.mode
		if err := firstError(w.meet(), w.stream.Sync()); err != nil {
			return err
		}
	}
	if w.job.PerRow {
		return w.takeRows(pieces[0].q0, n)
	}
	return nil
}

// launch starts a kernel with shared bytes before the tiles.
func (w *statWorker) launch(output string, shared, vector int) error {
	return w.start(w.job.KernelName(output), shared, vector)
}

func (w *statWorker) start(kernel string, shared, vector int) error {
	p := w.p
	threads := w.threads()
	p.Tile = uint32(shared+15) &^ 15
	tiles := threads * vector * len(w.stat.b) * 8
	return cuda.Launch(w.stream, kernel, ceilDiv(int(p.Queries), threads*vector), threads, int(p.Tile)+tiles, &p)
}

// threads is the size of blocks: that many points of all columns fit 48 KiB.
func (w *statWorker) threads() int {
	threads := pairsThreads / 2
	for threads > 32 && (threads*pairsVector*len(w.stat.b)*8 > 48<<10 || ceilDiv(int(w.p.Queries), threads*pairsVector) < w.stream.Context().Device.Processors) {
		threads /= 2
	}
	return threads
}

func (w *statWorker) meet() error {
	switch {
	case w.job.PerRow:
		return w.launch("rows", 0, 1)
	case w.job.Reduction == pairfunc.Count:
		return w.launch("count", 0, pairsVector)
	case w.job.Reduction == pairfunc.Histogram:
		return w.histogram()
	case w.job.Reduction == pairfunc.Pairs:
		return w.list()
	}
	// Word by word the sums of few launches fit; take them over after each.
	words := make([]uint64, wordsOf)
	err := firstError(cuda.Clear(w.stream, w.count, 0), w.launch("sum", 0, pairsVector), cuda.Download(w.stream, words, w.count), w.stream.Sync())
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	addWords(&w.sum, words)
	return nil
}

// addWords adds a sum as kernels leave it.
func addWords[T int64 | uint64](sum *exact.Accumulator, words []T) {
	var of [exact.Words]int64
	for k := range of {
		of[k] = int64(words[k])
	}
	sum.AddWords(&of)
	sum.Special(words[exact.Words] != 0, words[exact.Words+1] != 0, words[exact.Words+2] != 0)
}

// histogram counts in shared memory where the counters fit, in as many copies
// as keep two blocks on a processor.
func (w *statWorker) histogram() error {
	counters := int(w.p.Bins) + 2
	tiles := w.threads() * pairsVector * len(w.stat.b) * 8
	room := w.stream.Context().Device.SharedPerBlock - tiles - 16
	if counters*4 > room {
		return w.launch("global", 0, pairsVector)
	}
	copies := 32
	for copies > 1 && counters*copies*4+tiles > room/2 {
		copies /= 2
	}
	w.p.Copies = uint32(copies)
	return w.launch("shared", counters*copies*4, pairsVector)
}

// list writes pairs to the direct output buffer, larger if it was too small.
func (w *statWorker) list() error {
	if w.cursor.N == 0 {
		if err := into(&w.cursor, &w.memory, 1); err != nil {
			return err
		}
		w.p.Cursor = w.cursor.Ptr
	}
	for room := leastPool; ; {
		if w.pool.N < room {
			if err := grow(w.stream, &w.pool, room); err != nil {
				return err
			}
		}
		w.p.Pairs, w.p.Capacity = w.pool.Ptr, uint64(w.pool.N)
		var used [1]uint64
		err := firstError(cuda.Clear(w.stream, w.cursor, 0), w.launch("buffer", 0, pairsVector),
			cuda.Download(w.stream, used[:], w.cursor), w.stream.Sync())
		if err != nil {
			return err
		}
		if used[0] > uint64(w.pool.N) {
			room = int(used[0])
			continue
		}
		n := len(w.found)
		w.found = slices.Grow(w.found, int(used[0]))[:n+int(used[0])]
		return firstError(cuda.Download(w.stream, w.found[n:], w.pool), w.stream.Sync())
	}
}

// takeRows brings the results of n rows from lo on to where they belong.
func (w *statWorker) takeRows(lo, n int) error {
	r := w.r
	switch w.job.Reduction {
	case pairfunc.Count:
		return firstError(cuda.Download(w.stream, r.Counts[lo:lo+n], w.numbers), w.stream.Sync())
	case pairfunc.Sum:
		words := make([]int64, n*wordsOf)
		if err := firstError(cuda.Download(w.stream, words, w.words), w.stream.Sync()); err != nil {
			return err
		}
		for i := range n {
			var sum exact.Accumulator
			addWords(&sum, words[i*wordsOf:(i+1)*wordsOf])
			r.Row[lo+i] = sum.Float()
		}
		return nil
	}
	other := make([]uint32, n)
	if err := firstError(cuda.Download(w.stream, r.Row[lo:lo+n], w.values), cuda.Download(w.stream, other, w.others), w.stream.Sync()); err != nil {
		return err
	}
	for i, o := range other {
		r.Other[lo+i] = int64(o)
		if o == math.MaxUint32 {
			r.Other[lo+i], r.Row[lo+i] = -1, math.NaN()
		}
	}
	return nil
}

// finish adds the lane's counters and pairs to those of all.
func (w *statWorker) finish() error {
	counts := make([]uint64, w.count.N)
	if err := firstError(cuda.Download(w.stream, counts, w.count), w.stream.Sync()); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.counts == nil {
		w.counts = make([]uint64, len(counts))
	}
	for k, n := range counts {
		w.counts[k] += n
	}
	w.pairs = append(w.pairs, w.found...)
	return nil
}

func (w *statWorker) free() {
	_ = firstError(w.stream.Sync(), cuda.Free(w.stream, w.pool)) // on a lost device it is gone already
	w.memory.release()
}

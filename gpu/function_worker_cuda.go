//go:build cuda && linux

package gpu

import (
	"math"
	"slices"

	"skyjoin/internal/cuda"
	"skyjoin/internal/exact"
	"skyjoin/internal/pairfunc"
)

// A functionWorker does pairs of parts of a run on one lane.
type functionWorker struct {
	*sequence
	run     *functionRun
	used    *usage
	p       pairsParams
	a, b    functionPart
	count   cuda.Buffer[uint64]
	cursor  cuda.Buffer[uint64]
	pool    cuda.Buffer[uint64]
	found   []uint64
	values  cuda.Buffer[float64]
	others  cuda.Buffer[uint32]
	numbers cuda.Buffer[uint64]
	words   cuda.Buffer[int64]
}

// A functionPart is rows of one side on the device.
type functionPart struct {
	x      cuda.Buffer[float64] // [column][stride]
	stride int
	lo, hi int
}

func (part *functionPart) load(q *sequence, columns [][]float64, lo, hi int) {
	if part.lo == lo && part.hi == hi {
		return
	}
	part.lo, part.hi = lo, hi
	for c, v := range columns {
		push(q, part.x.Slice(c*part.stride, c*part.stride+hi-lo), v[lo:hi])
	}
}

// leastPool is the initial room for pairs.
const leastPool = 1 << 22

// wordsOf is the number of counters of a sum: its words, and the counts of NaN, +Inf
// and -Inf.
const wordsOf = exact.Words + 3

func (s *functionRun) worker(l *lane) (*functionWorker, error) {
	queries, points := 0, 0
	for _, partPairs := range s.partPairs {
		for _, p := range partPairs {
			queries, points = max(queries, p.q1-p.q0), max(points, p.d1-p.d0)
		}
	}
	q := begin(l.st)
	w := &functionWorker{sequence: q, run: s, used: l.watch.used, p: s.p}
	w.a.stride, w.b.stride = (queries+31)&^31, (points+31)&^31
	w.a.x, w.b.x = temp[float64](q, len(s.a)*w.a.stride), temp[float64](q, len(s.b)*w.b.stride)
	w.count = zeros[uint64](q, max(int(w.p.Bins)+2, wordsOf))
	w.p.Edge = table(q, &q.memory, s.edges).Ptr
	w.p.Query, w.p.Data, w.p.Count = w.a.x.Ptr, w.b.x.Ptr, w.count.Ptr
	w.p.QueryStride, w.p.DataStride = uint32(w.a.stride), uint32(w.b.stride)
	if s.job.PerRow {
		switch s.job.Reduction {
		case pairfunc.Count:
			w.numbers = temp[uint64](q, queries)
			w.p.RowCount = w.numbers.Ptr
		case pairfunc.Sum:
			w.words = temp[int64](q, queries*wordsOf)
			w.p.RowWords = w.words.Ptr
		default:
			w.values, w.others = temp[float64](q, queries), temp[uint32](q, queries)
			w.p.RowValue, w.p.RowOther = w.values.Ptr, w.others.Ptr
		}
	}
	if q.err != nil {
		w.end()
	}
	return w, q.err
}

// do evaluates all rows of pairs of parts that share their queries.
func (w *functionWorker) do(i int) error {
	q, partPairs, job := w.sequence, w.run.partPairs[i], w.run.job
	n := partPairs[0].q1 - partPairs[0].q0
	fill(q, w.numbers, 0)
	fill(q, w.words, 0)
	fill(q, w.values, 0xff) // NaN
	fill(q, w.others, 0xff)
	for _, pc := range partPairs {
		w.a.load(q, w.run.a, pc.q0, pc.q1)
		w.b.load(q, w.run.b, pc.d0, pc.d1)
		p := &w.p
		p.Queries, p.QueryRow, p.Points, p.DataRow, p.Mode = uint32(n), uint32(pc.q0), uint32(pc.d1-pc.d0), uint32(pc.d0), pc.mode
		switch output := job.Outputs(w.run.method)[0]; output {
		case "shared", "global":
			w.histogram()
		case "buffer":
			w.list()
		case "sum":
			w.total()
		default:
			w.launch(output, 0)
		}
		if w.sync() != nil {
			return w.err
		}
	}
	if job.PerRow {
		w.takeRows(partPairs[0].q0, n)
	}
	return w.err
}

// launch starts the kernel with an output, and with shared bytes before the tiles.
func (w *functionWorker) launch(output string, shared int) {
	w.start(w.run.job.KernelName(w.run.method, output), shared)
}

func (w *functionWorker) start(kernel string, shared int) {
	p := w.p
	threads := w.threads()
	p.Tile = uint32(shared+15) &^ 15
	launch(w.sequence, kernel, ceilDiv(int(p.Queries), threads*w.vector()), threads, int(p.Tile)+w.tiles(threads), &p)
	w.used.launched(tilingOf(kernel, int(p.Copies)))
}

// vector is how many queries a thread has.
func (w *functionWorker) vector() int {
	if w.run.job.PerRow || w.run.cfg.Tiling == TilingNaive {
		return 1
	}
	return pairsVector
}

// tiles returns the shared memory that the tiles of a block take.
func (w *functionWorker) tiles(threads int) int {
	return threads * w.vector() * 8 * w.run.cfg.inShared(len(w.run.a), len(w.run.b))
}

// threads is the size of blocks: their tiles fit 48 KiB.
func (w *functionWorker) threads() int {
	threads := pairsThreads / 2
	for threads > 32 && (w.tiles(threads) > 48<<10 || ceilDiv(int(w.p.Queries), threads*pairsVector) < w.stream.Context().Device.Processors) {
		threads /= 2
	}
	return threads
}

// total adds up the values. The words of several launches could overflow, so those
// of each launch are added up separately.
func (w *functionWorker) total() {
	words := make([]uint64, wordsOf)
	fill(w.sequence, w.count, 0)
	w.launch("sum", 0)
	pull(w.sequence, words, w.count)
	if w.sync() == nil {
		w.run.mu.Lock()
		defer w.run.mu.Unlock()
		addWords(&w.run.sum, words)
	}
}

// addWords adds a sum in the form in which kernels leave it.
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
func (w *functionWorker) histogram() {
	tiles := w.tiles(w.threads())
	room := w.stream.Context().Device.SharedPerBlock - tiles - 16
	counters, copies := int(w.p.Bins)+2, 0
	w.sequence.do(func() (err error) {
		copies, err = w.run.cfg.copiesIn(room, counters, func() (int, error) {
			best := 32
			for best > 1 && counters*best*4+tiles > room/2 {
				best /= 2
			}
			return best, nil
		})
		return err
	})
	if copies == 0 {
		w.launch("global", 0)
		return
	}
	w.p.Copies = uint32(copies)
	w.launch("shared", counters*copies*4)
}

// list writes pairs to a pool; if they do not fit, again to a larger one.
func (w *functionWorker) list() {
	q := w.sequence
	if w.cursor.N == 0 {
		w.cursor = temp[uint64](q, 1)
		w.p.Cursor = w.cursor.Ptr
	}
	for room := leastPool; q.err == nil; {
		grow(q, &w.pool, room)
		w.p.Pairs, w.p.Capacity = w.pool.Ptr, uint64(w.pool.N)
		fill(q, w.cursor, 0)
		w.launch("buffer", 0)
		used := int(first(q, w.cursor))
		if used > w.pool.N {
			room = used
			continue
		}
		n := len(w.found)
		w.found = slices.Grow(w.found, used)[:n+used]
		pull(q, w.found[n:], w.pool)
		return
	}
}

// takeRows copies the results of n rows from lo on to their places.
func (w *functionWorker) takeRows(lo, n int) {
	q, r := w.sequence, w.run.r
	switch w.run.job.Reduction {
	case pairfunc.Count:
		pull(q, r.Counts[lo:lo+n], w.numbers)
		_ = q.sync() // err is that of the sequence
	case pairfunc.Sum:
		words := make([]int64, n*wordsOf)
		pull(q, words, w.words)
		_ = q.sync() // err is that of the sequence
		for i := range n {
			var sum exact.Accumulator
			addWords(&sum, words[i*wordsOf:(i+1)*wordsOf])
			r.Row[lo+i] = sum.Float()
		}
	default:
		other := make([]uint32, n)
		pull(q, r.Row[lo:lo+n], w.values)
		pull(q, other, w.others)
		_ = q.sync() // err is that of the sequence
		for i, o := range other {
			r.Other[lo+i] = int64(o)
			if o == math.MaxUint32 {
				r.Other[lo+i], r.Row[lo+i] = -1, math.NaN()
			}
		}
	}
}

// finish adds the lane's counters and pairs to those of all.
func (w *functionWorker) finish() error {
	counts := make([]uint64, w.count.N)
	pull(w.sequence, counts, w.count)
	if w.sync() == nil {
		w.run.add(counts, w.found)
	}
	return w.err
}

func (w *functionWorker) end() {
	_ = firstError(w.stream.Sync(), cuda.Free(w.stream, w.pool)) // on a lost device it is gone already
	w.sequence.end()
}

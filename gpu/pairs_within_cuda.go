//go:build cuda && linux

package gpu

import (
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/cuda"
)

// The statistics of 002 other than histograms: pairs within a distance, counted and
// listed. "cluster reproduce" measures them; other commands count and list pairs by the
// index, or by generated kernels.
const (
	outputRegister Output = "registers" // counts
	outputBuffer   Output = "buffer"    // lists: a pool in which warps take places
	outputPaged    Output = "paged"     // lists: a pool in which threads take pages, the paper's direct buffer
	outputTwoPass  Output = "two-pass"  // lists: counted, then written where they belong
)

// poolPage is how many pairs a page of the paged pool holds, and noPair what is in places
// of it that have none.
const (
	poolPage = 32
	noPair   = math.MaxUint64
)

// listOutputs are those of lists.
var listOutputs = []Output{outputBuffer, outputPaged, outputTwoPass}

// within sets a job up for d² <= squared.
func (j *pairsJob) within(squared float64) {
	j.p.Within = squared
	if j.cfg.float64 {
		j.real = 8
		j.finish("exact")
		return
	}
	e := extentsOf(j.sides()...)
	j.near = newNearness(e, j.query.Side, unitScale(e, j.query.Side))
	within, doubt := j.near.within(squared)
	j.p.WithinNear, j.p.Near = within, -doubt
	j.real, j.usesNear = 4, true
	j.finish("near")
}

// within returns the float32 of a bound on scaled d², and how far from it d² is
// out of doubt.
func (n *nearness) within(squared float64) (within, doubt float32) {
	d := math.Sqrt(squared) * n.scale
	off := n.far + 2*n.slope*d
	w := d * d
	within = float32(w)
	// The sum starts at -within, whose rounding comes on top.
	bound := (2*d+off)*off + float64(len(n.centre)+4)*2*unitRoundoff*w
	return within, math.Nextafter32(float32(bound*1.01), float32(math.Inf(1)))
}

// A withinWorker counts or lists pairs within the distance.
type withinWorker struct {
	*pairsWorker
	output Output
	cursor cuda.Buffer[uint64]
	pool   cuda.Buffer[uint64]
	found  []uint64
	taken  int // places of the pool in the last launch
}

func (w *withinWorker) do(i int) error {
	w.bring(i)
	w.meet()
	return w.sync()
}

// meet runs the kernels of the output.
func (w *withinWorker) meet() {
	switch {
	case w.run.cfg.width > 0:
		w.vectors()
	case w.output == outputRegister:
		w.launch("count", 0)
	case w.output == outputTwoPass:
		w.twoPass()
	default:
		w.buffered(string(w.output))
	}
}

// vectors counts with loads of as many numbers (§3.1).
func (w *withinWorker) vectors() {
	_, threads := w.grid()
	width := w.run.cfg.width
	size := threads * width
	shared := 0
	if w.run.tiling() == "shm" {
		shared = w.run.query.Dim() * size * 4
	}
	p := w.p // a copy: cgo looks for Go pointers around an argument
	launch(w.sequence, fmt.Sprintf("vectors_%s_%d", w.run.tiling(), width), ceilDiv(int(p.Queries), size), threads, shared, &p)
}

// buffered writes pairs to the pool, again to a larger one where they did not fit.
func (w *withinWorker) buffered(output string) {
	q := w.sequence
	if w.cursor.N == 0 {
		w.cursor = temp[uint64](q, 1)
		w.p.Cursor, w.p.Page = w.cursor.Ptr, poolPage
	}
	for room := leastPool; q.err == nil; {
		w.reserve(room)
		fill(q, w.cursor, 0)
		w.launch(output, 0)
		used := int(first(q, w.cursor))
		if used <= w.pool.N {
			w.take(used)
			return
		}
		room = used
	}
}

// twoPass counts the pairs of every thread, then writes them.
func (w *withinWorker) twoPass() {
	q := w.sequence
	blocks, threads := w.grid()
	n := blocks * threads
	found, offset := temp[uint32](q, n), temp[uint64](q, n+1)
	w.p.Found, w.p.Offset = found.Ptr, offset.Ptr
	w.launch("found", 0)
	newSorter(q, n).scan(found, cuda.Buffer[uint32]{}, offset)
	total := int(first(q, slice(q, offset, n, n+1)))
	w.reserve(max(total, 1))
	w.launch("fill", 0)
	w.take(total)
}

func (w *withinWorker) reserve(n int) {
	grow(w.sequence, &w.pool, n)
	w.p.Pairs, w.p.Capacity = w.pool.Ptr, uint64(w.pool.N)
}

func (w *withinWorker) take(n int) {
	w.taken = n
	got := make([]uint64, n)
	pull(w.sequence, got, w.pool)
	if w.sync() == nil {
		w.found = append(w.found, slices.DeleteFunc(got, func(p uint64) bool { return p == noPair })...)
	}
}

func (w *withinWorker) finish() error {
	if err := w.pairsWorker.finish(); err != nil {
		return err
	}
	w.run.add(make([]uint64, w.count.N), w.found)
	return nil
}

func (w *withinWorker) end() {
	_ = firstError(w.stream.Sync(), cuda.Free(w.stream, w.pool))
	w.pairsWorker.end()
}

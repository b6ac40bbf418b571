//go:build cuda && linux

package gpu

import (
	"context"
	"math"

	"skyjoin/internal/cuda"
	"skyjoin/internal/pairfunc"
	"skyjoin/internal/space"
)

// A pairsRun is a job cut into pairs of parts.
type pairsRun struct {
	*pairsJob
	lanes     []*lane
	partPairs []partPair
	size      int // of a part
	totals
}

// newPairsRun cuts a job into pairs of parts for the lanes of cards.
func newPairsRun(cards []*Joiner, lanes []*lane, job *pairsJob) *pairsRun {
	// The exact and the near form of both parts of a lane.
	perPoint := 2 * 12 * job.query.Dim() * len(cards[0].lanes)
	size := partSize(job.cfg, job.query.Len(), job.data.Len(), len(cards), partRoom(cards), perPoint)
	return &pairsRun{pairsJob: job, lanes: lanes, partPairs: partPairs(job.query.Len(), job.data.Len(), size, job.self, false), size: size}
}

// runPairs lets the lanes of all cards do the pairs of parts of a job. It returns
// the counters, the first of which is for pairs below the first edge.
func runPairs(ctx context.Context, cards []*Joiner, job *pairsJob) ([]uint64, error) {
	lanes, free := occupy(cards)
	defer free()
	run := newPairsRun(cards, lanes, job)
	err := dealOut(ctx, lanes, len(run.partPairs), run.worker)
	return run.counts, err
}

// A pairsWorker does pairs of parts of a run on one lane.
type pairsWorker struct {
	*sequence
	run         *pairsRun
	stride      int
	query, data pairsPart
	raw         cuda.Buffer[float32] // float32 columns in transit
	count       cuda.Buffer[uint64]
	p           pairsParams
	used        *usage
}

// vectorSlack is how many numbers a load of a vector may read beyond the last.
const vectorSlack = 3

// A pairsPart is one part of one side on the device.
type pairsPart struct {
	exact  cuda.Buffer[float64] // [dim][stride]
	near   cuda.Buffer[float32]
	lo, hi int // rows in it
}

func (r *pairsRun) worker(l *lane) (*pairsWorker, error) {
	q := begin(l.st)
	size := min(r.size, max(r.query.Len(), r.data.Len()))
	w := &pairsWorker{sequence: q, run: r, p: r.p, stride: (size + vectorSlack + 31) &^ 31, used: l.watch.used}
	n := r.query.Dim() * w.stride
	for _, part := range []*pairsPart{&w.query, &w.data} {
		part.exact = temp[float64](q, n)
		if r.usesNear {
			part.near = temp[float32](q, n)
		}
	}
	for _, s := range r.sides() {
		for _, c := range s.Columns {
			if c.Float32 != nil && w.raw.N == 0 {
				w.raw = temp[float32](q, size)
			}
		}
	}
	w.count = zeros[uint64](q, int(r.p.Bins)+2)
	w.p.Count = w.count.Ptr
	w.p.QueryStride, w.p.DataStride = uint32(w.stride), uint32(w.stride)
	m := &q.memory
	w.p.Edge, w.p.Start = table(q, m, r.squared).Ptr, table(q, m, r.table.start).Ptr
	w.p.EdgeLow, w.p.EdgeHigh = table(q, m, r.low).Ptr, table(q, m, r.high).Ptr
	if q.err != nil {
		q.end()
	}
	return w, q.err
}

// load copies rows [lo, hi) to the device, unless they are there.
func (w *pairsWorker) load(part *pairsPart, s *space.Space, lo, hi int) {
	if part.lo == lo && part.hi == hi {
		return
	}
	n, q := hi-lo, w.sequence
	part.lo, part.hi = lo, hi
	for c, col := range s.Columns {
		at := part.exact.Slice(c*w.stride, c*w.stride+n)
		if col.Float32 == nil {
			push(q, at, col.Float64[lo:hi])
			continue
		}
		push(q, w.raw, col.Float32[lo:hi])
		each(q, "widen", n, &mapParams{In: w.raw.Ptr, Out: at.Ptr, N: uint32(n)})
	}
	if w.run.usesNear {
		p := pairsNearParams{In: part.exact.Ptr, Out: part.near.Ptr, Scale: w.run.near.scale, Stride: uint32(w.stride), N: uint32(n), Dim: w.run.p.Dim}
		copy(p.Centre[:], w.run.near.centre)
		each(q, "pairs_near", n, &p)
	}
}

// bring copies the points of a pair of parts to the device.
func (w *pairsWorker) bring(i int) {
	pc := w.run.partPairs[i]
	w.load(&w.query, w.run.query, pc.q0, pc.q1)
	data := &w.query
	if pc.mode == pairsCross {
		data = &w.data
		w.load(data, w.run.data, pc.d0, pc.d1)
	}
	p := &w.p
	p.Query, p.QueryNear, p.Queries, p.QueryRow = w.query.exact.Ptr, w.query.near.Ptr, uint32(pc.q1-pc.q0), uint32(pc.q0)
	p.Data, p.DataNear, p.Points, p.DataRow = data.exact.Ptr, data.near.Ptr, uint32(pc.d1-pc.d0), uint32(pc.d0)
	p.Mode = pc.mode
}

// do counts by distance the pairs of rows of a pair of parts.
func (w *pairsWorker) do(i int) error {
	w.bring(i)
	w.histogram()
	return w.sync()
}

// finish adds the counters to those of all lanes.
func (w *pairsWorker) finish() error {
	counts := make([]uint64, w.count.N)
	pull(w.sequence, counts, w.count)
	if w.sync() == nil {
		w.run.add(counts, nil)
	}
	return w.err
}

// grid returns the blocks and threads of a launch.
func (w *pairsWorker) grid() (blocks, threads int) {
	threads = w.run.threads(int(w.p.Queries), &w.stream.Context().Device)
	each := threads * pairsVector
	if w.run.tiling() == "naive" {
		each = threads
	}
	return ceilDiv(int(w.p.Queries), each), threads
}

// tiles returns the shared memory that the tiles of a block take.
func (w *pairsWorker) tiles(threads int) int {
	dim := w.run.query.Dim()
	return threads * pairsVector * w.run.real * w.run.cfg.inShared(dim, dim)
}

func (w *pairsWorker) launch(output string, shared int) {
	blocks, threads := w.grid()
	w.p.Tile = uint32(shared+15) &^ 15
	p := w.p // a copy: cgo looks for Go pointers around an argument
	kernel := w.run.name(output)
	launch(w.sequence, kernel, blocks, threads, int(p.Tile)+w.tiles(threads), &p)
	w.used.launched(tilingOf(kernel, int(p.Copies)))
}

// histogram counts in shared memory if it can hold the counters.
func (w *pairsWorker) histogram() {
	_, threads := w.grid()
	room := w.stream.Context().Device.SharedPerBlock - w.tiles(threads) - 16
	counters, copies := int(w.p.Bins)+2, 0
	w.sequence.do(func() (err error) {
		copies, err = w.run.cfg.copiesIn(room, counters, func() (int, error) { return w.chooseCopies(threads) })
		return err
	})
	if copies == 0 {
		w.launch("global", 0)
		return
	}
	w.p.Copies = uint32(copies)
	w.launch("shared", counters*copies*4)
}

// chooseCopies returns the number of copies of the histogram for which the
// model says that the kernel is fastest.
func (w *pairsWorker) chooseCopies(threads int) (int, error) {
	best, least := 1, math.Inf(1)
	counters := int(w.p.Bins) + 2
	for copies := 1; copies <= 32; copies *= 2 {
		bytes := (counters*copies*4+15)&^15 + w.tiles(threads)
		if bytes > w.stream.Context().Device.SharedPerBlock {
			break
		}
		blocks, err := w.stream.Occupancy(w.run.name("shared"), threads, bytes)
		if err != nil {
			return 0, err
		}
		if t := pairfunc.CopiesTime(blocks*threads, int(w.p.Bins), 32/copies); t < least {
			best, least = copies, t
		}
	}
	return best, nil
}

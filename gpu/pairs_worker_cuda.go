//go:build cuda && linux

package gpu

import "skyjoin/internal/cuda"

// A pairsWorker does pieces of a job on one stream. All its methods run on the
// stream's thread.
type pairsWorker struct {
	memory
	l           *lane
	job         *pairsJob
	stride      int
	query, data pairsPart
	raw         cuda.Buffer[float32] // float32 columns on their way
	count       cuda.Buffer[uint64]
	cursor      cuda.Buffer[uint64]
	pool        cuda.Buffer[uint64]
	p           pairsParams
	found       []uint64
}

// leastPool is the pairs that the pool of the direct buffer begins with.
const leastPool = 1 << 22

func newPairsWorker(l *lane, job *pairsJob, size int) (*pairsWorker, error) {
	w := &pairsWorker{memory: memory{stream: l.st}, l: l, job: job, p: job.p}
	if err := w.setUp(size); err != nil {
		w.release()
		return nil, err
	}
	return w, nil
}

func (w *pairsWorker) setUp(size int) error {
	j, m := w.job, &w.memory
	size = min(size, max(j.query.Len(), j.data.Len()))
	w.stride = (size + 31) &^ 31
	n := j.query.Dim() * w.stride
	for _, part := range []*pairsPart{&w.query, &w.data} {
		if err := into(&part.exact, m, n); err != nil {
			return err
		}
		if !j.usesNear {
			continue
		}
		if err := into(&part.near, m, n); err != nil {
			return err
		}
	}
	for _, s := range j.sides() {
		for _, c := range s.Columns {
			if c.Float32 != nil && w.raw.N == 0 {
				if err := into(&w.raw, m, size); err != nil {
					return err
				}
			}
		}
	}
	if err := firstError(into(&w.count, m, int(j.p.Bins)+2), cuda.Clear(w.stream, w.count, 0)); err != nil {
		return err
	}
	w.p.Count = w.count.Ptr
	w.p.QueryStride, w.p.DataStride = uint32(w.stride), uint32(w.stride)
	return firstError(
		put(m, &w.p.Edge, j.squared), put(m, &w.p.EdgeLow, j.low), put(m, &w.p.EdgeHigh, j.high), put(m, &w.p.Start, j.table.start))
}

// put uploads a table, if there is one.
func put[T any](m *memory, at *cuda.Ptr, v []T) error {
	if len(v) == 0 {
		return nil
	}
	b, err := alloc[T](m, len(v))
	if err != nil {
		return err
	}
	*at = b.Ptr
	return cuda.Upload(m.stream, b, v)
}

// do meets the pairs of a piece.
func (w *pairsWorker) do(pc piece) error {
	j := w.job
	if err := w.load(&w.query, j.query, pc.q0, pc.q1); err != nil {
		return err
	}
	data := &w.query
	if pc.mode == pairsCross {
		data = &w.data
		if err := w.load(data, j.data, pc.d0, pc.d1); err != nil {
			return err
		}
	}
	p := &w.p
	p.Query, p.QueryNear, p.Queries, p.QueryRow = w.query.exact.Ptr, w.query.near.Ptr, uint32(pc.q1-pc.q0), uint32(pc.q0)
	p.Data, p.DataNear, p.Points, p.DataRow = data.exact.Ptr, data.near.Ptr, uint32(pc.d1-pc.d0), uint32(pc.d0)
	p.Mode = pc.mode
	return firstError([...]func() error{pairsHistogram: w.histogram, pairsCount: w.counted, pairsList: w.list}[j.kind](), w.stream.Sync())
}

// grid returns the blocks and threads of a launch.
func (w *pairsWorker) grid() (blocks, threads int) {
	threads = w.job.threads(int(w.p.Queries), &w.stream.Context().Device)
	each := threads * pairsVector
	if w.job.tiling() == "naive" {
		each = threads
	}
	return ceilDiv(int(w.p.Queries), each), threads
}

// tiles is the shared memory that the tiles of a block take.
func (w *pairsWorker) tiles(threads int) int {
	bytes := threads * pairsVector * w.job.query.Dim() * w.job.real
	switch w.job.tiling() {
	case "shm":
		return bytes
	case "both":
		return 2 * bytes
	}
	return 0
}

func (w *pairsWorker) launch(output string, shared int) error {
	blocks, threads := w.grid()
	w.p.Tile = uint32(shared+15) &^ 15
	p := w.p // by itself: cgo looks for Go pointers in what surrounds an argument
	return cuda.Launch(w.stream, w.job.name(output), blocks, threads, int(p.Tile)+w.tiles(threads), &p)
}

func (w *pairsWorker) counted() error { return w.launch("count", 0) }

// histogram counts in shared memory if it can hold the counters.
func (w *pairsWorker) histogram() error {
	cfg := w.job.cfg
	_, threads := w.grid()
	room := w.stream.Context().Device.SharedPerBlock - w.tiles(threads) - 16
	counters := int(w.p.Bins) + 2
	if cfg.Output == OutputGlobal || counters*4 > room {
		return w.launch("global", 0)
	}
	copies := cfg.Copies
	switch {
	case cfg.Output == OutputBlock:
		copies = 1
	case copies == 0:
		var err error
		if copies, err = w.chooseCopies(threads); err != nil {
			return err
		}
	}
	for counters*copies*4 > room {
		copies /= 2
	}
	w.p.Copies = uint32(copies)
	return w.launch("shared", counters*copies*4)
}

// list writes pairs by the configured output.
func (w *pairsWorker) list() error {
	if w.job.cfg.Output == OutputTwoPass {
		return w.twoPass()
	}
	if w.cursor.N == 0 {
		if err := into(&w.cursor, &w.memory, 1); err != nil {
			return err
		}
		w.p.Cursor = w.cursor.Ptr
	}
	for room := leastPool; ; {
		if err := w.reserve(room); err != nil {
			return err
		}
		err := firstError(cuda.Clear(w.stream, w.cursor, 0), w.launch("buffer", 0))
		if err != nil {
			return err
		}
		var used [1]uint64
		if err := firstError(cuda.Download(w.stream, used[:], w.cursor), w.stream.Sync()); err != nil {
			return err
		}
		if used[0] <= uint64(w.pool.N) {
			return w.take(int(used[0]))
		}
		room = int(used[0])
	}
}

// reserve makes the pool hold n pairs.
func (w *pairsWorker) reserve(n int) error {
	if w.pool.N < n {
		if err := grow(w.stream, &w.pool, n); err != nil {
			return err
		}
	}
	w.p.Pairs, w.p.Capacity = w.pool.Ptr, uint64(w.pool.N)
	return nil
}

// take appends the first n pairs of the pool to what was found.
func (w *pairsWorker) take(n int) error {
	if n == 0 {
		return nil
	}
	if err := growPinned(w.stream, &w.l.pinnedPairs, n); err != nil {
		return err
	}
	got := w.l.pinnedPairs[:n]
	if err := firstError(cuda.Download(w.stream, got, w.pool), w.stream.Sync()); err != nil {
		return err
	}
	w.found = append(w.found, got...)
	return nil
}

// twoPass counts the pairs of every thread, then writes them.
func (w *pairsWorker) twoPass() error {
	blocks, threads := w.grid()
	n := blocks * threads
	scratch := &memory{stream: w.stream}
	defer scratch.release()
	var found cuda.Buffer[uint32]
	var offset cuda.Buffer[uint64]
	if err := firstError(into(&found, scratch, n), into(&offset, scratch, n+1)); err != nil {
		return err
	}
	w.p.Found, w.p.Offset = found.Ptr, offset.Ptr
	sums, err := newSorter(scratch, n)
	if err != nil {
		return err
	}
	var total [1]uint64
	err = firstError(w.launch("found", 0), sums.scan(w.stream, found, cuda.Buffer[uint32]{}, offset),
		cuda.Download(w.stream, total[:], offset.Slice(n, n+1)), w.stream.Sync())
	if err != nil {
		return err
	}
	if err := w.reserve(max(int(total[0]), 1)); err != nil {
		return err // the kernel would write to where the pairs were before
	}
	if err := w.launch("fill", 0); err != nil {
		return err
	}
	return w.take(int(total[0]))
}

// results returns the counters and the pairs of all pieces done.
func (w *pairsWorker) results() ([]uint64, []uint64, error) {
	counts := make([]uint64, w.count.N)
	return counts, w.found, firstError(cuda.Download(w.stream, counts, w.count), w.stream.Sync())
}

func (w *pairsWorker) release() {
	_ = firstError(w.stream.Sync(), cuda.Free(w.stream, w.pool)) // on a lost device it is gone already
	w.pool = cuda.Buffer[uint64]{}
	w.memory.release()
}

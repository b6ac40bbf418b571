//go:build cuda && linux

package gpu

import (
	"slices"
	"time"

	"skyjoin/internal/hook"
	"skyjoin/neighbors"
)

// What "cluster reproduce" measures of published kernels, beyond joins and histograms.
func init() {
	hook.Provide("gpu.ActiveLanes", (*Joiner).activeLanes)
	hook.Provide("gpu.PairSeconds", (*Joiner).pairSeconds)
	hook.Provide("gpu.Occupancy", (*Joiner).occupancy)
	hook.Provide("gpu.Single", (*Joiner).single)
	hook.Provide("gpu.Tune", (*Joiner).tune)
	hook.Provide("gpu.Rounds", (*Joiner).rounds)
}

// tune changes how the nearest are searched for within a growing distance: the first of
// them by a factor, and whether to the last row. No join may be running.
func (j *Joiner) tune(stretch float64, last bool) { j.cfg.stretch, j.cfg.last = stretch, last }

// rounds returns how many rows each batch of that search had.
func (j *Joiner) rounds() []int {
	j.used.mu.Lock()
	defer j.used.mu.Unlock()
	return slices.Clone(j.used.rounds)
}

// activeLanes runs the configured published kernel over all rows of a plan, for time
// and counting neighbours only, and again instrumented; what lanes has patterns.cu says.
func (j *Joiner) activeLanes(p *neighbors.Plan) (lanes [4]uint64, found uint64, seconds float64, err error) {
	var n laneCount
	err = j.ofAll(p, func(s *session) (err error) { n, err = s.activeLanes(j.cfg); return err })
	return [4]uint64{n.active, n.steps, n.together, n.cells}, n.found, n.seconds, err
}

// ofAll calls f on the preparing thread with all rows of a plan taken.
func (j *Joiner) ofAll(p *neighbors.Plan, f func(s *session) error) error {
	return j.prepare.Do(func() error {
		s, err := newSession(j.prepare, p, wide, nil)
		if err != nil {
			return err
		}
		defer s.release()
		if err := s.hand(p.Work().Take(p.Len(), 0)); err != nil {
			return err
		}
		return f(s)
	})
}

// laneCount is what an instrumented kernel counts.
type laneCount struct {
	active, steps uint64 // lanes that compare a candidate, in steps of warps
	together      uint64 // steps if the lanes of a warp meet after every cell
	cells         uint64 // that were looked up
	found         uint64 // neighbours
	seconds       float64
}

func (s *session) activeLanes(c Config) (n laneCount, err error) {
	q := begin(s.stream)
	defer q.end()
	pt, err := s.newPattern(c)
	if err != nil {
		return n, err
	}
	defer pt.release()
	lanes := zeros[uint64](q, 4)
	n.seconds, n.found = pt.timed(q, "count", pt.p)
	p := pt.p
	p.Count, p.Lanes = temp[uint32](q, s.query.n).Ptr, lanes.Ptr
	var counts [4]uint64
	pt.launch(q, "lanes", p, 0, len(pt.rows), 1, temp[uint32](q, 1))
	pull(q, counts[:], lanes)
	_ = q.sync() // err is that of the sequence
	n.active, n.steps, n.together, n.cells = counts[0], counts[1], counts[2], counts[3]
	return n, q.err
}

// timed runs a kernel that counts over all rows, and returns what it takes and finds.
func (pt *pattern) timed(q *sequence, kind string, p patternParams) (seconds float64, found uint64) {
	count, next, sum := temp[uint32](q, pt.s.query.n), temp[uint32](q, 1), zeros[uint64](q, 1)
	p.Count, p.Total = count.Ptr, sum.Ptr
	seconds = q.seconds(func() { pt.launch(q, kind, p, 0, len(pt.rows), 1, next) })
	found = first(q, sum)
	if pt.half {
		found *= 2
	}
	return seconds, found
}

// single runs the configured published kernel over all rows of a plan, counting only,
// with coordinates and distances in float64 and again in float32, in which pairs at about
// the radius may be told otherwise. It is for self-joins in open spaces.
func (j *Joiner) single(p *neighbors.Plan) (seconds [2]float64, found [2]uint64, err error) {
	err = j.ofAll(p, func(s *session) error {
		q := begin(s.stream)
		defer q.end()
		pt, err := s.newPattern(j.cfg)
		if err != nil {
			return err
		}
		defer pt.release()
		columns := temp[float32](q, s.data.dim*s.data.stride)
		each(q, "single_columns", columns.N, &singleParams{In: s.data.x.Ptr, Out: columns.Ptr, N: uint64(columns.N)})
		seconds[0], found[0] = pt.timed(q, "count", pt.p)
		pt.p.Single = columns.Ptr
		seconds[1], found[1] = pt.timed(q, "count_single", pt.p)
		return q.err
	})
	return seconds, found, err
}

// seconds is the time that what f starts takes on the stream.
func (q *sequence) seconds(f func()) float64 {
	_ = q.sync() // err is that of the sequence
	start := time.Now()
	f()
	_ = q.sync()
	return time.Since(start).Seconds()
}

// A pairsTrial is how the kernels over all pairs work, beyond their configuration.
type pairsTrial struct {
	Pairs
	mode int32
}

// pairSeconds is the time of the kernels over all pairs by the configured tiling and
// output, points being on the card: of a histogram of d² by the edges, or of the pairs
// up to the only edge. copies, threads and unbalanced are those of Pairs; inside is for
// pairs inside blocks alone, width for loads of as many numbers. found is how many pairs
// have been listed.
func (j *Joiner) pairSeconds(in neighbors.Input, squared []float64, copies, threads, width int, unbalanced, inside bool) (seconds float64, found, chosen int, err error) {
	t := pairsTrial{Pairs: j.cfg.Pairs, mode: pairsHalf}
	t.copies, t.threads, t.width, t.unbalanced = copies, threads, width, unbalanced
	switch {
	case inside:
		t.mode = pairsInside
	case in.Data != nil:
		t.mode = pairsCross
	}
	seconds, w, err := j.try(t, in, squared)
	if err != nil {
		return 0, 0, 0, err
	}
	return seconds, len(w.found), int(w.p.Copies), nil
}

// try runs a trial on the first lane, the second time for the time that it takes.
func (j *Joiner) try(t pairsTrial, in neighbors.Input, squared []float64) (seconds float64, w *withinWorker, err error) {
	output := t.Output
	listed := output == outputRegister || slices.Contains(listOutputs, output)
	if listed {
		t.Output = OutputDefault
	}
	job, err := newPairsJob(t.Pairs, in)
	if err != nil {
		return 0, nil, err
	}
	if listed {
		job.within(squared[0])
	} else {
		job.histogram(squared)
	}
	n, m := job.query.Len(), job.data.Len()
	run := &pairsRun{pairsJob: job, size: max(n, m), partPairs: []partPair{{0, n, 0, m, t.mode}}}
	err = j.lanes[0].st.Do(func() error {
		histograms, err := run.worker(j.lanes[0])
		if err != nil {
			return err
		}
		w = &withinWorker{pairsWorker: histograms, output: output}
		defer w.end()
		do := histograms.do
		if listed {
			do = w.do
		}
		for range 2 { // points are brought to the card, and memory is there, once
			w.found = w.found[:0]
			start := time.Now()
			if err := do(0); err != nil {
				return err
			}
			seconds = time.Since(start).Seconds()
		}
		return nil
	})
	return seconds, w, err
}

// occupancy is the part of the threads that a multiprocessor can hold which blocks of
// a kernel fill, by its registers and shared memory.
func (j *Joiner) occupancy(kernel string, threads int) (part float64, err error) {
	err = j.prepare.Do(func() error {
		blocks, err := j.prepare.Occupancy(kernel, threads, 0)
		part = float64(blocks*threads) / residentThreads
		return err
	})
	return part, err
}

// residentThreads is how many threads a multiprocessor holds, on data-centre cards since
// Volta; others hold fewer, 1,536 or 1,024.
const residentThreads = 2048

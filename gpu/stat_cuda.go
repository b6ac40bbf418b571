//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"skyjoin/internal/cuda"
	"skyjoin/internal/exact"
	"skyjoin/internal/pairfunc"
	"skyjoin/neighbors"
)

// ErrNoCompiler says that generated kernels cannot be compiled here.
var ErrNoCompiler = cuda.ErrNoCompiler

const (
	// sumRows bounds the rows of a launch that have a sum each, of 568 bytes.
	sumRows = 1 << 16
	// statColumns bounds the columns of a side: tiles of them are in shared
	// memory, the columns of a query in registers.
	statColumns = 24
)

// Reduce evaluates a job of a function of two rows by kernels that are
// generated and compiled for it. The result is that of job.Run, but for
// functions such as exp, log and pow of both rows, whose last bits differ
// between processors. The error wraps ErrNoCompiler where NVRTC is missing.
func (j *Joiner) Reduce(ctx context.Context, job *pairfunc.Job, visit func(a, b []uint32) error) (*pairfunc.Result, error) {
	return reduce(ctx, []*Joiner{j}, job, visit)
}

// reduce deals the pairs out among cards.
func reduce(ctx context.Context, cards []*Joiner, job *pairfunc.Job, visit func(a, b []uint32) error) (*pairfunc.Result, error) {
	if err := job.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", neighbors.ErrRequest, err)
	}
	s := &stat{job: job, r: &pairfunc.Result{}}
	s.a, s.b = job.RowColumns()
	if n := max(len(s.a), len(s.b)); n > statColumns {
		return nil, fmt.Errorf("%w: the function takes %d values of a row, the GPU up to %d", errors.ErrUnsupported, n, statColumns)
	}
	s.histogramTables()
	output := "rows"
	if !job.PerRow {
		output = [...]string{pairfunc.Sum: "sum", pairfunc.Count: "count", pairfunc.Histogram: "shared", pairfunc.Pairs: "buffer"}[job.Reduction]
	}
	source, name := Source(job), job.KernelName(output)
	var lanes []*lane
	for _, j := range cards {
		j.mu.Lock()
		defer j.mu.Unlock()
		if err := j.ctx.Compile(source, name); err != nil {
			return nil, err
		}
		lanes = append(lanes, j.lanes...)
	}
	if job.PerRow {
		s.rowResults()
	}
	if err := s.run(ctx, lanes, s.work(cards)); err != nil {
		return nil, err
	}
	return s.result(visit)
}

// A stat is a job on the lanes of cards.
type stat struct {
	job    *pairfunc.Job
	a, b   [][]float64
	edges  []float64 // those of the bins and +Inf
	p      pairsParams
	mu     sync.Mutex
	r      *pairfunc.Result
	sum    exact.Accumulator
	counts []uint64
	pairs  []uint64
}

// histogramTables sets up the bins: an index into even ones is guessed.
func (s *stat) histogramTables() {
	e := s.job.Edges
	if s.job.Reduction != pairfunc.Histogram {
		return
	}
	n := len(e) - 1
	s.edges = append(slices.Clone(e), math.Inf(1))
	s.p.Bins = uint32(n + 1)
	if low, inverse, ok := s.job.EvenBins(); ok {
		s.p.ValueLow, s.p.ValueInverse = low, inverse
	}
}

func (s *stat) rowResults() {
	n := s.job.A.Rows
	switch s.job.Reduction {
	case pairfunc.Count:
		s.r.Counts = make([]uint64, n)
	case pairfunc.Sum:
		s.r.Row = make([]float64, n)
	default:
		s.r.Row, s.r.Other = make([]float64, n), make([]int64, n)
	}
}

// work lists the pieces, those of one query part together where results are of
// each row.
func (s *stat) work(cards []*Joiner) [][]piece {
	j, cfg := s.job, cards[0].cfg.Pairs
	perPoint := 8 * (len(s.a) + len(s.b)) * len(cards[0].lanes)
	size := partSize(cfg, j.A.Rows, j.B.Rows, len(cards), partRoom(cards), perPoint)
	if cfg.Points == 0 {
		size = min(size, part)
	}
	if !j.PerRow {
		var all [][]piece
		for _, p := range pieces(j.A.Rows, j.B.Rows, size, j.Self, j.Ordered) {
			all = append(all, []piece{p})
		}
		return all
	}
	rows := min(size, sumRows)
	for len(cards) > 1 && j.A.Rows/rows < 4*len(cards) && rows > 1<<12 {
		rows /= 2
	}
	var all [][]piece
	for q := 0; q < j.A.Rows; q += rows {
		var one []piece
		for d := 0; d < j.B.Rows; d += size {
			p := piece{q, min(q+rows, j.A.Rows), d, min(d+size, j.B.Rows), pairsCross}
			if j.Self {
				p.mode = pairsOrdered // the kernel compares rows
			}
			one = append(one, p)
		}
		all = append(all, one)
	}
	return all
}

func (s *stat) run(ctx context.Context, lanes []*lane, work [][]piece) error {
	if s.job.A.Rows == 0 || s.job.B.Rows == 0 {
		s.counts = make([]uint64, max(int(s.p.Bins)+2, wordsOf))
		for i := range s.r.Other {
			s.r.Row[i], s.r.Other[i] = math.NaN(), -1
		}
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for i, l := range lanes {
		if i >= len(work) {
			break
		}
		wg.Go(func() {
			err := l.st.Do(func() error {
				w := &statWorker{stat: s, memory: memory{stream: l.st}, l: l, p: s.p}
				defer w.free()
				if err := w.setUp(work); err != nil {
					return err
				}
				for k := next.Add(1) - 1; k < int64(len(work)); k = next.Add(1) - 1 {
					if err := context.Cause(ctx); err != nil {
						return err
					}
					if err := w.do(work[k]); err != nil {
						return err
					}
				}
				return w.finish()
			})
			if err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// result is made of what the lanes left.
func (s *stat) result(visit func(a, b []uint32) error) (*pairfunc.Result, error) {
	r, j := s.r, s.job
	switch {
	case j.PerRow:
		for _, n := range r.Counts {
			r.Count += n
		}
	case j.Reduction == pairfunc.Sum:
		r.Sum = s.sum.Float()
	case j.Reduction == pairfunc.Count:
		r.Count = s.counts[1]
	case j.Reduction == pairfunc.Histogram:
		n := int(s.p.Bins)
		r.SetHistogram(s.counts[:n+1], s.counts[n+1])
	case j.Reduction == pairfunc.Pairs:
		slices.Sort(s.pairs)
		r.Count = uint64(len(s.pairs))
		const portion = 1 << 16
		a, b := make([]uint32, 0, portion), make([]uint32, 0, portion)
		for lo := 0; lo < len(s.pairs); lo += portion {
			a, b = a[:0], b[:0]
			for _, v := range s.pairs[lo:min(lo+portion, len(s.pairs))] {
				a, b = append(a, uint32(v>>32)), append(b, uint32(v))
			}
			if err := visit(a, b); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

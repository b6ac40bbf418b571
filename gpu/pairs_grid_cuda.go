//go:build cuda && linux

package gpu

import (
	"context"
)

type gridBins struct{ job *pairsJob }

func newGridBins(job *pairsJob, edges []float64) *gridBins { return nil }

func (j *Joiner) binGrid(ctx context.Context, g *gridBins) ([]uint64, error) { return nil, nil }

//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"

	"skyjoin/neighbors"
)

// Cards are GPUs that share statistics of all pairs: their streams take pairs of
// parts of the input, one after another. All sums are exact, so that results are
// those of a single card. Joins run on the first card.
type Cards struct {
	*Joiner
	all []*Joiner
}

// OpenCards prepares the GPUs of cfg.Devices for use, the first if there are none.
func OpenCards(cfg Config) (*Cards, error) {
	devices := cfg.Devices
	if len(devices) == 0 {
		devices = []int{0}
	}
	c := &Cards{}
	for _, d := range devices {
		cfg.Devices = []int{d}
		j, err := Open(cfg)
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		c.all = append(c.all, j)
	}
	c.Joiner = c.all[0]
	return c, nil
}

// Close releases the GPUs. Nothing may be running.
func (c *Cards) Close() error {
	var errs []error
	for _, j := range c.all {
		errs = append(errs, j.Close())
	}
	return errors.Join(errs...)
}

// BinPairs is Joiner.BinPairs on all cards.
func (c *Cards) BinPairs(ctx context.Context, in neighbors.Input, edges []float64) ([]uint64, error) {
	return binPairs(ctx, c.all, in, edges)
}

// BinPairs counts the pairs of all rows by thresholds on d²: for each i, those with
// edges[i] <= d² < edges[i+1]. A nil in.Data means a self-join: each pair of
// different rows once. Errors wrap neighbors.ErrRequest or neighbors.ErrCoordinate;
// IsFailure recognises those of the GPU.
func (j *Joiner) BinPairs(ctx context.Context, in neighbors.Input, edges []float64) ([]uint64, error) {
	return binPairs(ctx, []*Joiner{j}, in, edges)
}

// binPairs divides the pairs among cards, all of one configuration.
func binPairs(ctx context.Context, cards []*Joiner, in neighbors.Input, edges []float64) ([]uint64, error) {
	if err := checkSquaredEdges(edges); err != nil {
		return nil, err
	}
	cfg := cards[0].cfg.Pairs
	job, err := newPairsJob(cfg, in)
	if err != nil {
		return nil, err
	}
	counts := make([]uint64, len(edges)-1)
	if job.empty() {
		return counts, nil
	}
	if cfg == (Pairs{}) {
		if g := newGridBins(job, edges); g != nil {
			return binGrid(ctx, cards, g)
		}
	}
	used, first := edges, 1 // the counter of the first bin
	if edges[0] == 0 && len(edges) > 2 && !job.even(edges) {
		// Everything below the second edge is in the first bin: the others may be
		// even.
		used, first = edges[1:], 0
	}
	job.histogram(used)
	total, err := runPairs(ctx, cards, job)
	if err != nil {
		return nil, err
	}
	copy(counts, total[first:])
	return counts, nil
}

func checkSquaredEdges(edges []float64) error {
	if len(edges) < 2 {
		return fmt.Errorf("%w: %d bin edges, at least 2 are needed", neighbors.ErrRequest, len(edges))
	}
	if len(edges) > maxBins+1 {
		return fmt.Errorf("%w: %d bins, the GPU counts in up to %d", errors.ErrUnsupported, len(edges)-1, maxBins)
	}
	for i, e := range edges {
		if !(e >= 0) || math.IsInf(e, 1) || i > 0 && e < edges[i-1] {
			return fmt.Errorf("%w: squared bin edge %v, edges must be finite, not negative and ascend", neighbors.ErrRequest, e)
		}
	}
	return nil
}

const maxBins = 1 << 24

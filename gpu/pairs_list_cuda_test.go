//go:build cuda && linux

package gpu

import (
	"context"

	"skyjoin/neighbors"
)

// pairsWithin counts, or lists, the pairs with d² <= squared, as the output says:
// of a pair the row of the query in the upper half, that of the data point in the
// lower.
func pairsWithin(ctx context.Context, cards []*Joiner, cfg Pairs, in neighbors.Input, squared float64) (uint64, []uint64, error) {
	output := cfg.Output
	cfg.Output = OutputDefault
	job, err := newPairsJob(cfg, in)
	if err != nil || job.empty() {
		return 0, nil, err
	}
	job.within(squared)
	lanes, free := occupy(cards)
	defer free()
	run := newPairsRun(cards, lanes, job)
	err = dealOut(ctx, lanes, len(run.partPairs), func(l *lane) (*withinWorker, error) {
		w, err := run.worker(l)
		return &withinWorker{pairsWorker: w, output: output}, err
	})
	if err != nil {
		return 0, nil, err
	}
	return run.counts[1], run.pairs, nil
}

// CountPairs counts the pairs with d² <= squared.
func (j *Joiner) CountPairs(ctx context.Context, in neighbors.Input, squared float64) (uint64, error) {
	cfg := j.cfg.Pairs
	cfg.Output = outputRegister
	n, _, err := pairsWithin(ctx, []*Joiner{j}, cfg, in, squared)
	return n, err
}

// ListPairs lists them, in no order.
func (j *Joiner) ListPairs(ctx context.Context, in neighbors.Input, squared float64) ([]uint64, error) {
	cfg := j.cfg.Pairs
	if cfg.Output == OutputDefault {
		cfg.Output = outputBuffer
	}
	_, pairs, err := pairsWithin(ctx, []*Joiner{j}, cfg, in, squared)
	return pairs, err
}

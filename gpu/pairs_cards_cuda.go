//go:build cuda && linux

package gpu

import (
	"context"
	"errors"

	"skyjoin/internal/pairfunc"
	"skyjoin/neighbors"
)

// Cards are GPUs that share statistics of all pairs: the pairs of parts of the
// input, which their streams take one after another. Everything is added up
// exactly, so that results are those of one. Joins run on the first.
type Cards struct {
	*Joiner
	all []*Joiner
}

// OpenCards takes the GPUs of cfg.Devices into use, the first without any.
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

// Close gives the GPUs back. Nothing may be running.
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

// Reduce is Joiner.Reduce on all cards.
func (c *Cards) Reduce(ctx context.Context, job *pairfunc.Job, visit func(a, b []uint32) error) (*pairfunc.Result, error) {
	return reduce(ctx, c.all, job, visit)
}

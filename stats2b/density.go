package stats2b

import (
	"context"
	"fmt"
	"math"

	"skyjoin/internal/exact"
	"skyjoin/neighbors"
)

// A Kernel is a function of the distance divided by the bandwidth that is 0 from 1
// on. It is not normalised.
type Kernel struct {
	name string
	of   func(u float64) float64 // 0 ≤ u < 1, at most 1
}

// The kernels.
var (
	TopHat       = Kernel{"tophat", func(float64) float64 { return 1 }}
	Linear       = Kernel{"linear", func(u float64) float64 { return 1 - u }}
	Epanechnikov = Kernel{"epanechnikov", func(u float64) float64 { return 1 - float64(u*u) }}
	Quartic      = Kernel{"quartic", func(u float64) float64 { v := 1 - float64(u*u); return float64(v * v) }}
)

// String returns the name.
func (k Kernel) String() string { return k.name }

// Density returns, for every row of a, the sum of the weights of the rows of b
// closer than the bandwidth, each times the kernel of its distance; for b = nil
// that of the other rows of a. Each term is rounded once, to a multiple of 2⁻⁵²
// of the power of two above the largest weight, and the sums are exact: they
// depend neither on the joiner nor on threads. Errors wrap
// neighbors.ErrRequest, ErrCoordinate or ErrMemory.
func Density(ctx context.Context, a, b *Sample, metric neighbors.Metric, kernel Kernel, bandwidth float64, opt Options) ([]float64, error) {
	if kernel.of == nil {
		return nil, fmt.Errorf("%w: no kernel", neighbors.ErrRequest)
	}
	if err := a.check(0); err != nil {
		return nil, err
	}
	data := a
	if b != nil {
		if err := b.check(0); err != nil {
			return nil, err
		}
		data = b
	}
	in := input(a, b, metric, opt)
	p, err := neighbors.Prepare(ctx, in, neighbors.Within{Radius: bandwidth, Distance: true})
	if err != nil {
		return nil, err
	}
	scale, _ := exact.NewProductScale(data.largest(), 1) // at most the largest weight
	joiner := opt.Joiner
	if joiner == nil {
		joiner = neighbors.CPU{Threads: opt.Threads, Memory: opt.Memory}
	}
	out := make([]float64, a.Points.Len())
	err = neighbors.Visit(ctx, joiner, p, p.Work(), func(_ int, batch *neighbors.Batch) error {
		for i, row := range batch.Rows {
			var sum exact.Sum
			dist := batch.Dists(i)
			for k, j := range batch.List(i) {
				u := dist[k] / bandwidth
				if u >= 1 {
					continue
				}
				w := 1.0
				if data.Weights != nil {
					w = data.Weights[j]
				}
				sum.Add(scale.FixedProduct(w, min(math.Abs(kernel.of(u)), 1)))
			}
			out[row] = scale.Float(sum)
		}
		return nil
	})
	return out, err
}

package stats2b

import (
	"context"
	"slices"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

// A Footprint says how many rows of data lie where there are no randoms: their
// nearest random is more than three times as far away as any random is from its
// nearest other random. It uses rows at even steps, up to 2,000 of the data and
// 100,000 of the randoms, so that it costs little compared with counting pairs. Rows
// of weight 0, such as masked ones, are left out. Distances are those of the metric,
// in radians if they are angles.
type Footprint struct {
	Rows    int     // of data that were checked
	Outside int     // of these, rows where there are no randoms
	Nearest float64 // the least distance of a row of data from a random
	Spacing float64 // the largest distance of a random from its nearest other
}

const (
	footprintRows    = 2_000
	footprintRandoms = 100_000
	outsideSpacings  = 3
)

// Share returns the share of the rows that lie outside, 0 if there are none.
func (f *Footprint) Share() float64 { return float64(f.Outside) / max(float64(f.Rows), 1) }

// Compare looks for data outside of the footprint of the randoms. Fewer than two
// randoms, or randoms that are all listed twice, have no footprint: nothing is
// outside then. Errors are those of Count.
func Compare(ctx context.Context, data, randoms *Sample, metric neighbors.Metric, opt Options) (*Footprint, error) {
	for _, s := range []*Sample{data, randoms} {
		if err := s.check(0); err != nil {
			return nil, err
		}
	}
	among := atSteps(randoms.weighing(), footprintRandoms)
	rows := atSteps(data.weighing(), footprintRows)
	f := &Footprint{Rows: rows.Len()}
	if among.Len() < 2 || rows.Len() == 0 {
		return f, nil
	}
	spacing, err := kthDistances(ctx, atSteps(among, footprintRows), among, metric, 2, opt) // the first is the row itself
	if err != nil {
		return nil, err
	}
	nearest, err := kthDistances(ctx, rows, among, metric, 1, opt)
	if err != nil {
		return nil, err
	}
	for _, d := range spacing {
		f.Spacing = max(f.Spacing, d)
	}
	f.Nearest = nearest[0]
	for _, d := range nearest {
		f.Nearest = min(f.Nearest, d)
		if d > outsideSpacings*f.Spacing && f.Spacing > 0 {
			f.Outside++
		}
	}
	return f, nil
}

// weighing returns the points of the rows whose weight is not 0.
func (s *Sample) weighing() *neighbors.Points {
	if !slices.Contains(s.Weights, 0) {
		return s.Points
	}
	rows := each.Which(len(s.Weights), func(i int) bool { return s.Weights[i] != 0 })
	return s.Points.Subset(rows)
}

// atSteps returns at most n of the points, at even steps.
func atSteps(p *neighbors.Points, n int) *neighbors.Points {
	if p.Len() <= n {
		return p
	}
	rows := each.To(n, func(i int) uint32 { return uint32(uint64(i) * uint64(p.Len()) / uint64(n)) })
	return p.Subset(rows)
}

// kthDistances returns the distance of each query row to its k-th nearest row.
func kthDistances(ctx context.Context, query, data *neighbors.Points, metric neighbors.Metric, k int, opt Options) ([]float64, error) {
	in := neighbors.Input{Query: query, Data: data, Metric: metric, Threads: opt.Threads, Memory: opt.Memory}
	p, err := neighbors.Prepare(ctx, in, neighbors.Nearest{K: k})
	if err != nil {
		return nil, err
	}
	t, err := neighbors.Collect(ctx, neighbors.CPU{Threads: opt.Threads, Memory: opt.Memory}, p, 0)
	if err != nil {
		return nil, err
	}
	d := make([]float64, query.Len())
	for i := range d {
		d[i] = t.Dists(i)[k-1]
	}
	return d, nil
}

package hybrid

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"skyjoin/neighbors"
)

const (
	// probed is how many rows of the larger side the CPU is tried on, and
	// worthProbing from how many rows on that takes no time to speak of.
	probed       = 1 << 14
	worthProbing = 1 << 19

	// The search of a probe ends after this part of what the join is expected to
	// take, but not before that time.
	probeShare = 0.05
	leastProbe = 5 * time.Millisecond
)

// growing is how the time of a query grows with the number of points, as a
// power: in few dimensions a query looks at about as many leaves of a tree
// however many there are, in more at most of those of a small one. Measured from
// 2^14 to 2^21 points.
func growing(dim int) float64 {
	by := []float64{1: 0, 2: 0, 3: 0.05, 4: 0.12, 5: 0.2, 6: 0.3}
	return by[min(dim, len(by)-1)]
}

// probe measures how the CPU searches for the nearest, with a sample of the
// real points, and returns the seconds that it expects of all of them, without
// their index. What is known beforehand is no good: the time of a query depends
// on how the points are spread. That of the index depends on their number, and
// that of a small one on nothing but getting started.
//
// Where the sample is not through after the limit, the rows that are stand for
// all.
func (j *Joiner) probe(ctx context.Context, p *neighbors.Plan, limit time.Duration) (seconds float64, ok bool) {
	share := probed / float64(max(p.Len(), p.DataLen()))
	in := neighbors.Input{Metric: neighbors.Euclidean()}
	if side := p.QuerySpace().Side; side != nil {
		in.Metric = neighbors.Periodic(side...)
	}
	var err error
	if in.Query, err = some(p.QuerySpace(), share); err != nil {
		return 0, false
	}
	if !p.Self() {
		if in.Data, err = some(p.DataSpace(), share); err != nil {
			return 0, false
		}
	}
	sample, err := neighbors.Prepare(ctx, in, neighbors.Nearest{K: p.Nearest().K, Pad: true})
	if err == nil {
		err = neighbors.Index(ctx, j.CPU, sample)
	}
	var found atomic.Int64
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	if err == nil {
		err = neighbors.Visit(ctx, j.CPU, sample, sample.Work(), func(_ int, b *neighbors.Batch) error {
			found.Add(int64(len(b.Rows)))
			return nil
		})
	}
	spent := time.Since(start).Seconds()
	switch late := errors.Is(err, context.DeadlineExceeded); {
	case late && found.Load() == 0:
		return math.Inf(1), true
	case err != nil && !late || found.Load() == 0:
		return 0, false
	}
	more := float64(max(p.DataLen(), 1)) / float64(max(sample.DataLen(), 1))
	return spent * float64(p.Len()) / float64(found.Load()) * math.Pow(max(more, 1), growing(p.QuerySpace().Dim())), true
}

// some returns a share of the points of a space, evenly apart.
func some(s *neighbors.Space, share float64) (*neighbors.Points, error) {
	rows := max(int(float64(s.Len())*share), min(s.Len(), 1))
	cols := make([]neighbors.Column, s.Dim())
	for j, c := range s.Columns {
		v := make([]float64, rows)
		for i := range v {
			v[i] = c.At(min(int(float64(i)/share), s.Len()-1))
		}
		cols[j] = neighbors.Float64s(v)
	}
	return neighbors.NewPoints(cols...)
}

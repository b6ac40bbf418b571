package hybrid

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"skyjoin/internal/space"
	"skyjoin/neighbors"
)

const (
	// probed is the largest number of rows of the larger side that the CPU is tried
	// on; probedPart is how many rows each of these stands for.
	probed     = 1 << 15
	probedPart = 64

	// first is the part of them that the CPU is given first, to measure the time
	// that any search takes to start.
	first = 8

	// worthProbing is the number of rows from which the CPU is tried.
	worthProbing = 1 << 19

	// The search of a probe ends after this part of the expected time of the join,
	// but not earlier than the minimum.
	probeShare = 0.05
	leastProbe = 5 * time.Millisecond
)

// growing is the exponent of the power law by which the time of a query grows with
// the number of evenly spread points: in few dimensions a query looks at about the
// same number of leaves of a tree, however large it is; in more dimensions, at most
// of the leaves of a small one. Measured from 2^14 to 2^21 points; without the edges
// of a box it is less than half of that.
var growing = byDim{4: 0.12, 5: 0.24, 6: 0.35, 7: 0.45, 8: 0.5}

// growingUneven is the same for unevenly spread points.
var growingUneven = byDim{5: 0.09, 6: 0.19, 7: 0.25, 8: 0.3}

// probe measures how the CPU searches for the nearest in a sample of the points, and
// returns the seconds that it would take for all of them, without the index. This
// cannot be predicted: the time of a query depends on how the points are
// distributed. The time of the index depends on their number, and that of a small
// one mainly on fixed costs.
//
// If the sample is not finished within the limit, the rows that are stand for all.
func (j *Joiner) probe(ctx context.Context, p *neighbors.Plan, limit time.Duration) (seconds float64, ok bool) {
	larger := float64(max(p.Len(), p.DataLen()))
	share := min(probed/larger, 1.0/probedPart)
	in := neighbors.Input{Metric: neighbors.Euclidean()}
	if side := querySpace(p).Side; side != nil {
		in.Metric = neighbors.Periodic(side...)
	}
	var err error
	if in.Query, err = some(querySpace(p), share); err != nil {
		return 0, false
	}
	if !p.Self() {
		if in.Data, err = some(dataSpace(p), share); err != nil {
			return 0, false
		}
	}
	sample, err := neighbors.Prepare(ctx, in, neighbors.Nearest{K: p.Nearest().K, Pad: true})
	if err == nil {
		err = neighbors.Index(ctx, j.CPU, sample)
	}
	if err != nil {
		return 0, false
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	search := func(rows []uint32) (each, all float64, err error) {
		var found atomic.Int64
		start := time.Now()
		err = neighbors.Visit(ctx, j.CPU, sample, neighbors.NewWork(rows, nil), func(_ int, b *neighbors.Batch) error {
			found.Add(int64(len(b.Rows)))
			return nil
		})
		all = time.Since(start).Seconds()
		return all / float64(found.Load()), all, err
	}
	order := indexOrder(sample)
	few := len(order) / first
	each, started, err := search(order[:few])
	if err == nil {
		var rest, all float64
		if rest, all, err = search(order[few:]); !math.IsInf(rest, 1) {
			each = max((all-started)/float64(len(order)-2*few), rest/2)
			if err != nil {
				each = rest
			}
		}
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) || math.IsNaN(each) {
		return 0, false
	}
	power := growing
	if contrast(p) > 0 {
		power = growingUneven
	}
	return each * float64(p.Len()) * math.Pow(max(float64(p.DataLen())/float64(max(sample.DataLen(), 1)), 1), power.at(querySpace(p).Dim())), true
}

// some returns a part of the points of a space, at even steps.
func some(s *space.Space, share float64) (*neighbors.Points, error) {
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

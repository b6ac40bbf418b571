package hybrid

import (
	"context"
	"math"
	"time"

	"skyjoin/neighbors"
)

// probed is how many rows of the larger side the CPU is tried on, and
// worthProbing from how many rows on that takes no time to speak of.
const (
	probed       = 1 << 14
	worthProbing = 1 << 19
)

// probe measures the CPU at a Nearest plan, with a sample of the real points,
// and returns what it expects of all of them. What is known beforehand is no
// good: the way that the CPU goes depends on how the points are spread, and its
// time by a factor of ten on the dimension.
func (j *Joiner) probe(p *neighbors.Plan) (forecast, bool) {
	n, m := p.Len(), p.DataLen()
	if max(n, m) < worthProbing {
		return forecast{}, false
	}
	share := probed / float64(max(n, m))
	in := neighbors.Input{Metric: neighbors.Euclidean()}
	if side := p.QuerySpace().Side; side != nil {
		in.Metric = neighbors.Periodic(side...)
	}
	var err error
	if in.Query, err = some(p.QuerySpace(), share); err != nil {
		return forecast{}, false
	}
	if !p.Self() {
		if in.Data, err = some(p.DataSpace(), share); err != nil {
			return forecast{}, false
		}
	}
	ctx := context.Background()
	sample, err := neighbors.Prepare(ctx, in, neighbors.Nearest{K: p.Nearest().K, Pad: true})
	if err != nil {
		return forecast{}, false
	}
	start := time.Now()
	err = neighbors.Index(ctx, j.CPU, sample)
	indexed := time.Since(start).Seconds()
	if err == nil {
		err = neighbors.Visit(ctx, j.CPU, sample, sample.Work(), func(int, *neighbors.Batch) error { return nil })
	}
	all := time.Since(start).Seconds()
	if err != nil {
		return forecast{}, false
	}
	// Trees are so much deeper.
	scale := math.Log2(float64(max(m, 2))) / math.Log2(float64(max(sample.DataLen(), 2))) / share
	return forecast{begin: indexed * scale, all: all * scale}, true
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

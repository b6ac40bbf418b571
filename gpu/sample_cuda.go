//go:build cuda && linux

package gpu

import (
	"math"

	"skyjoin/internal/epsilon"
)

const (
	sampleThreads = 256
	sampleQueries = 32   // of a block
	sampleBlocks  = 2048 // to keep a card busy
)

// epsilon returns ε_min, the distance within which queries have K neighbours on
// average; 0 if it cannot be estimated. It affects how much work is done, not the
// result, and must run on the preparing thread.
func (r *nearestRun) epsilon() (float64, error) {
	if r.p.Len() == 0 || r.p.DataLen() == 0 {
		return 0, nil
	}
	if err := r.upload(); err != nil {
		return 0, err
	}
	return epsilon.Choose(r.p, r.p.Nearest().K, sampler{r})
}

// A sampler measures pairs of points on the card, whose coordinates are there.
// It implements epsilon.Sampler.
type sampler struct{ *nearestRun }

// Sum implements epsilon.Sampler.
func (s sampler) Sum(query, data []uint32, scale float64) (uint64, error) {
	out, err := s.sample("sample_sum", query, data, scale, 1)
	return out[0], err
}

// Count implements epsilon.Sampler.
func (s sampler) Count(query []uint32, scale float64) ([]uint64, error) {
	return s.sample("sample_count", query, nil, scale, epsilon.Bins)
}

// sample runs a kernel over a sample of the queries and one of the data (nil: all),
// and returns the n numbers that it writes.
func (s sampler) sample(kernel string, query, data []uint32, scale float64, n int) ([]uint64, error) {
	q := begin(s.session.stream)
	defer q.end()
	x, y := s.sides[0], s.sides[len(s.sides)-1]
	out := make([]uint64, n)
	outD := zeros[uint64](q, n)
	p := sampleParams{X: addresses(x), Y: addresses(y), Scale: scale, Queries: uint32(len(query)), Points: uint32(y[0].N), Dim: int32(len(x)),
		Query: table(q, &q.memory, query).Ptr, Data: table(q, &q.memory, data).Ptr, Out: outD.Ptr}
	for j := range p.Box {
		p.Box[j] = math.Inf(1)
	}
	if s.session.box != nil {
		p.Box = *s.session.box
	}
	if data != nil {
		p.Points = uint32(len(data))
	}
	groups := ceilDiv(len(query), sampleQueries)
	slices := max(min(ceilDiv(int(p.Points), sampleThreads), sampleBlocks/groups), 1)
	p.Slices = uint32(slices)
	launch(q, kernel, groups*slices, sampleThreads, 0, &p)
	pull(q, out, outD)
	return out, q.sync()
}

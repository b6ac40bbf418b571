//go:build cuda && linux

package gpu

import (
	"math"

	"skyjoin/internal/cuda"
	"skyjoin/internal/epsilon"
)

const (
	sampleThreads = 256
	sampleQueries = 32   // of a block
	sampleBlocks  = 2048 // to keep a card busy
)

// epsilon returns ε_min, the distance within which queries have K neighbours on
// average; 0 if there is nothing to go by. It decides how much is to be done,
// not what is found, and must run on the preparing thread.
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
	out := make([]uint64, 1)
	err := s.sample("sample_sum", query, data, scale, out)
	return out[0], err
}

// Count implements epsilon.Sampler.
func (s sampler) Count(query []uint32, scale float64) ([]uint64, error) {
	out := make([]uint64, epsilon.Bins)
	err := s.sample("sample_count", query, nil, scale, out)
	return out, err
}

// sample runs a kernel over a sample of the queries and one of the data; nil is
// all of these.
func (s sampler) sample(kernel string, query, data []uint32, scale float64, out []uint64) error {
	st := s.session.stream
	scratch := &memory{stream: st}
	defer scratch.release()
	x, y := s.sides[0], s.sides[len(s.sides)-1]
	p := sampleParams{Scale: scale, Queries: uint32(len(query)), Points: uint32(y[0].N), Dim: int32(len(x))}
	for j := range p.Box {
		p.Box[j] = math.Inf(1)
	}
	if s.session.box != nil {
		p.Box = *s.session.box
	}
	for j := range x {
		p.X[j], p.Y[j] = x[j].Ptr, y[j].Ptr
	}
	var queryD, dataD cuda.Buffer[uint32]
	var outD cuda.Buffer[uint64]
	err := firstError(into(&queryD, scratch, len(query)), into(&outD, scratch, len(out)))
	if err == nil && data != nil {
		p.Points = uint32(len(data))
		if err = into(&dataD, scratch, len(data)); err == nil {
			err = cuda.Upload(st, dataD, data)
		}
	}
	if err != nil {
		return err
	}
	p.Query, p.Data, p.Out = queryD.Ptr, dataD.Ptr, outD.Ptr
	groups := ceilDiv(len(query), sampleQueries)
	slices := max(min(ceilDiv(int(p.Points), sampleThreads), sampleBlocks/groups), 1)
	p.Slices = uint32(slices)
	return firstError(cuda.Upload(st, queryD, query), cuda.Clear(st, outD, 0),
		cuda.Launch(st, kernel, groups*slices, sampleThreads, 0, &p), cuda.Download(st, out, outD), st.Sync())
}

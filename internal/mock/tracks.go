package mock

import "fmt"

const trackRows = 5000

// newTracks makes long smooth curves, one per 5,000 rows: each coordinate is a sum
// of three waves along the track, with a jitter of 0.02. Where a track turns
// its points crowd.
func newTracks(opt Options) (source, error) {
	if opt.Dim != 0 && opt.Dim != 2 {
		return source{}, fmt.Errorf("%w: %d dimensions, tracks have 2", ErrRequest, opt.Dim)
	}
	return source{fields: coordinates(opt), fill: func(lo uint64, rows int, block []Column) {
		var t track
		row := perRow(opt.Seed, func(r *stream, n uint64, block []Column, i int) {
			if k := n / trackRows; t.number != k || i == 0 {
				t = newTrack(opt.Seed, k)
			}
			s := r.float()
			for d, col := range block {
				v := t.offset[d] + float64(0.02*r.normal())
				for _, w := range t.waves[d] {
					sin, _ := sincos(float64(360 * (float64(w.cycles*s) + w.phase)))
					v += float64(w.amplitude * sin)
				}
				col.set(i, v)
			}
		})
		row(lo, rows, block)
	}}, nil
}

// A wave is amplitude·sin(360°·(cycles·s + phase)) of the way s ∈ [0, 1).
type wave struct{ amplitude, cycles, phase float64 }

// A track has two coordinates: an offset and its waves.
type track struct {
	number uint64
	offset [2]float64
	waves  [2][3]wave
}

func newTrack(seed, k uint64) track {
	t := track{number: k}
	r := newStream(seed, ofClusters, k)
	for d := range t.offset {
		t.offset[d] = r.between(0, 100)
		for w := range t.waves[d] {
			reach := 20 / float64(1+2*w)
			t.waves[d][w] = wave{reach * r.float(), float64(1+2*w) * r.between(0.2, 1), r.float()}
		}
	}
	return t
}

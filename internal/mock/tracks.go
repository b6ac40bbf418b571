package mock

import "fmt"

// tracks are long smooth curves, one per 5,000 rows: each coordinate is a sum
// of three waves along the track, with a jitter of 0.02. Where a track turns
// its points crowd.
type tracks struct {
	seed  uint64
	names []Field
}

const trackRows = 5000

func newTracks(opt Options) (source, error) {
	if opt.Dim != 0 && opt.Dim != 2 {
		return nil, fmt.Errorf("%w: %d dimensions, tracks have 2", ErrRequest, opt.Dim)
	}
	return &tracks{opt.Seed, coordinateFields(2, opt.Float32)}, nil
}

func (t *tracks) fields() []Field     { return t.names }
func (t *tracks) clusters() []Cluster { return nil }

// A wave is amplitude·sin(360°·(cycles·s + phase)) of the way s ∈ [0, 1).
type wave struct{ amplitude, cycles, phase float64 }

// track returns the two coordinates of a track: an offset and its waves.
func (t *tracks) track(k int64) (offset [2]float64, waves [2][3]wave) {
	r := newStream(t.seed, ofClusters, uint64(k))
	for d := range offset {
		offset[d] = r.between(0, 100)
		for w := range waves[d] {
			reach := 20 / float64(1+2*w)
			waves[d][w] = wave{reach * r.float(), float64(1+2*w) * r.between(0.2, 1), r.float()}
		}
	}
	return offset, waves
}

func (t *tracks) fill(lo int64, block []Column) {
	n := max(len(block[0].Float64), len(block[0].Float32))
	current := int64(-1)
	var offset [2]float64
	var waves [2][3]wave
	for i := range n {
		row := lo + int64(i)
		if k := row / trackRows; k != current {
			current = k
			offset, waves = t.track(k)
		}
		r := newStream(t.seed, ofRows, uint64(row))
		s := r.float()
		for d, col := range block {
			v := offset[d] + float64(0.02*r.normal())
			for _, w := range waves[d] {
				sin, _ := sincos(float64(360 * (float64(w.cycles*s) + w.phase)))
				v += float64(w.amplitude * sin)
			}
			col.set(i, v)
		}
	}
}

package kernel

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// FuzzKernels compares the kernels of each instruction set with the
// definition, on coordinates and a threshold that are any bits at all.
func FuzzKernels(f *testing.F) {
	f.Add(uint64(1), uint8(2), 1.5, []byte{1, 0, 0, 0, 0, 0, 0xf8, 0x7f, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f})
	f.Add(uint64(2), uint8(3), math.Inf(1), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xef, 0x7f})
	f.Add(uint64(3), uint8(8), 0.0, []byte{})
	f.Fuzz(func(t *testing.T, seed uint64, dim uint8, threshold float64, bits []byte) {
		r := rand.New(rand.NewPCG(seed, 0))
		place := func(r *rand.Rand) float64 {
			if len(bits) >= 8 && r.IntN(2) == 0 {
				return math.Float64frombits(binary.LittleEndian.Uint64(bits[r.IntN(len(bits)-7):]))
			}
			return float64(r.IntN(3))
		}
		s := randomScene(r, 1+int(dim)%(MaxDim+1), place)
		if r.IntN(2) == 0 {
			s.t = threshold
		}
		edges := []float64{0, 1, 2}
		if e := math.Abs(threshold); !math.IsNaN(e) && !math.IsInf(e, 0) {
			edges = []float64{e / 3, e / 2, e}
		}
		for _, k := range All() {
			s.checkCount(t, k)
			s.checkEmit(t, k)
			s.checkNearestList(t, k, 1+r.IntN(40), None)
			if s.q.finite() && s.d.finite() {
				s.checkEmitNear(t, k, r, nil)
			}
			randomLists(r, 3, 90, func(r *rand.Rand) float64 {
				if x := math.Abs(place(r)); !math.IsNaN(x) {
					return x
				}
				return math.Inf(1)
			}).check(t, k, 1+r.IntN(60), r.IntN(2) == 0)
			h := NewHistogram(mustBins(t, edges))
			k.Hist(s.q, s.lo, s.hi, 0, s.d, s.runs, h)
			checkHist(t, h, edges, s.allSquares())
			end := s.hi + r.IntN(max(1, s.d.N-s.hi))
			if end <= s.d.N {
				checkHalfCounts(t, k, s.d, s.lo, s.hi, end, nil, s.t)
			}
		}
	})
}

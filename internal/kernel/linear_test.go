package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// lattice and cloud points, at an offset: with a lattice many distances are
// just those of edges.
func linearPoints(r *rand.Rand, n, dim int, offset float64, lattice bool) *Points {
	p := &Points{Stride: (n + Slack + 7) / 8 * 8, N: n, Dim: dim}
	p.Data = make([]float64, p.Stride*dim+Slack)
	for c := range dim {
		for i := range n {
			x := r.Float64() * 100
			if lattice {
				x = float64(r.IntN(100))
			}
			p.Data[c*p.Stride+i] = offset + x
		}
	}
	return p
}

// Linear counts just what Hist counts.
func TestLinear(t *testing.T) {
	if !hasLinear() {
		t.Skip("this machine, or this build, has no AVX-512")
	}
	r := rand.New(rand.NewPCG(8, 8))
	used := 0
	for dim := 1; dim <= MaxDim; dim++ {
		for _, bins := range []int{1, 10, 100, 1500} {
			for _, lattice := range []bool{false, true} {
				offset := []float64{0, -50, 1e9}[r.IntN(3)]
				q, d := linearPoints(r, 1+r.IntN(300), dim, offset, lattice), linearPoints(r, 1+r.IntN(2500), dim, offset, lattice)
				var edges []float64
				last := []float64{100, 60, 400}[r.IntN(3)]
				for i := range bins + 1 {
					edges = append(edges, SquaredEdge(last*float64(i)/float64(bins)))
				}
				b := mustBins(t, edges)
				name := fmt.Sprintf("%d dimensions, %d bins to %g, offset %g, lattice %v", dim, bins, last, offset, lattice)
				for _, own := range []bool{false, true} {
					x := q
					if own {
						x = d
					}
					l, ok := NewLinear(b, x, d)
					if !ok {
						continue
					}
					used++
					got, want := NewHistogram(b), NewHistogram(b)
					lo, hi := r.IntN(x.N), x.N
					from := uint32(r.IntN(d.N))
					run := Run{from, from + uint32(r.IntN(d.N-int(from)+1))}
					end := 0
					if own {
						end, hi = d.N, min(d.N, lo+40)
						histGeneric(x, lo, hi, end, d, nil, want)
					} else {
						histGeneric(x, lo, hi, 0, d, []Run{run}, want)
					}
					l.Hist(lo, hi, end, run, got)
					a, under, over := got.Counts()
					c, wantUnder, wantOver := want.Counts()
					if !slices.Equal(a, c) || under != wantUnder || over != wantOver {
						t.Errorf("%s, own %v: %v, %d below, %d beyond; want %v, %d, %d", name, own, a, under, over, c, wantUnder, wantOver)
					}
				}
			}
		}
	}
	if used < 80 {
		t.Errorf("%d of 128 cases had a Linear", used)
	}
}

// What float32 cannot tell, or no kernel counts, is refused.
func TestNoLinear(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	p := linearPoints(r, 100, 3, 0, false)
	for name, edges := range map[string][]float64{
		"log":        {0, 1, 4, 16},
		"from 1":     {1, 4, 9},
		"too narrow": {0, 1e-12, 4e-12},
		"uneven":     {0, 1, 4.4, 9},
	} {
		if name == "log" {
			for i := range edges {
				edges[i] *= edges[i]
			}
		}
		if _, ok := NewLinear(mustBins(t, edges), p, p); ok {
			t.Errorf("%s bins have a Linear", name)
		}
	}
	huge := linearPoints(r, 10, 2, 0, false)
	huge.Data[0] = 1e300
	if _, ok := NewLinear(mustBins(t, []float64{0, math.MaxFloat64 / 4, math.MaxFloat64}), huge, huge); ok {
		t.Error("coordinates beyond float32 have a Linear")
	}
}

//go:build cuda && linux

package gpu

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/epsilon"
	"skyjoin/neighbors"
)

// withRun calls f with a run of a plan of which nothing is on the card yet.
func withRun(t *testing.T, j *Joiner, p *neighbors.Plan, f func(*nearestRun) error) {
	t.Helper()
	r := &nearestRun{j: j, p: p, session: &session{memory: memory{stream: j.prepare}, plan: p, used: &j.used}, publishedSearch: publishedSearch{points: memory{stream: j.prepare}}}
	err := j.prepare.Do(func() error {
		defer r.points.release()
		defer r.session.release()
		return f(r)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// pointsOf makes points of a function of row and coordinate.
func pointsOf(t *testing.T, n, dim int, narrow bool, f func(i, j int) float64) *neighbors.Points {
	t.Helper()
	cols := make([]neighbors.Column, dim)
	for j := range cols {
		v, w := make([]float64, n), make([]float32, n)
		for i := range v {
			v[i] = f(i, j)
			w[i] = float32(v[i])
		}
		if cols[j] = neighbors.Float64s(v); narrow {
			cols[j] = neighbors.Float32s(w)
		}
	}
	p, err := neighbors.NewPoints(cols...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The kernels measure what the CPU measures, and both choose the same distance.
func TestSamplesEqualCPU(t *testing.T) {
	g := rand.New(rand.NewPCG(6, 6))
	uniform := func(int, int) float64 { return 10 * g.Float64() }
	same := func(int, int) float64 { return 3 }
	clump := func(i, _ int) float64 {
		if i%3 == 0 {
			return 10 * g.Float64()
		}
		return 5 + 1e-6*g.NormFloat64()
	}
	far := func(i, _ int) float64 {
		if i == 700 {
			return 1e200 // squared, beyond float64
		}
		return g.Float64()
	}
	points := func(n, dim int, f func(i, j int) float64) *neighbors.Points { return pointsOf(t, n, dim, false, f) }
	for _, c := range []struct {
		name string
		in   neighbors.Input
		k    int
		none bool // there is nothing to go by
	}{
		{"one dimension", neighbors.Input{Query: points(3000, 1, uniform)}, 4, false},
		{"uniform", neighbors.Input{Query: points(3000, 2, uniform)}, 8, false},
		{"float32", neighbors.Input{Query: pointsOf(t, 1500, 3, true, uniform)}, 8, false},
		{"eight dimensions", neighbors.Input{Query: points(1100, 8, uniform)}, 5, false},
		{"periodic", neighbors.Input{Query: points(2000, 2, uniform), Metric: neighbors.Periodic(10, 0)}, 8, false},
		{"sky", neighbors.Input{Query: points(1500, 2, uniform), Metric: neighbors.Sky()}, 8, false},
		{"two sides", neighbors.Input{Query: points(70, 3, uniform), Data: points(1900, 3, clump)}, 8, false},
		{"clumped", neighbors.Input{Query: points(3000, 2, clump)}, 3, false},
		{"outlier", neighbors.Input{Query: points(900, 2, far)}, 3, true},
		{"identical", neighbors.Input{Query: points(900, 2, same)}, 3, true},
		{"duplicates", neighbors.Input{Query: points(900, 2, func(i, _ int) float64 { return float64(i % 30) })}, 3, false},
		{"two", neighbors.Input{Query: points(2, 2, uniform)}, 1, false},
		{"one", neighbors.Input{Query: points(1, 2, uniform)}, 1, true},
		{"none", neighbors.Input{Query: points(5, 2, uniform), Data: points(0, 2, uniform)}, 1, true},
		{"more than there are", neighbors.Input{Query: points(40, 2, uniform)}, 60, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := neighbors.Prepare(context.Background(), c.in, neighbors.Nearest{K: c.k, Pad: true})
			if err != nil {
				t.Fatal(err)
			}
			want, err := epsilon.Choose(p, c.k, epsilon.CPU{Pairs: p})
			if err != nil {
				t.Fatal(err)
			}
			if (want == 0) != c.none {
				t.Errorf("the CPU chooses %v", want)
			}
			j, err := Open(Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			withRun(t, j, p, func(r *nearestRun) error {
				got, err := r.epsilon()
				if got != want {
					t.Errorf("the card chooses %v, the CPU %v", got, want)
				}
				if err != nil || p.DataLen() == 0 {
					return err
				}
				query, data := epsilon.Rows(p.Len(), 400), epsilon.Rows(p.DataLen(), 300)
				for _, scale := range []float64{max(epsilon.Bins/4.0, 1), 1e6 * math.Pi} {
					counts, err := sampler{r}.Count(query, scale)
					if err != nil {
						return err
					}
					wantCounts := countPairs(p, query, scale)
					if !slices.Equal(counts, wantCounts) {
						t.Errorf("scale %v: another histogram than one by one", scale)
					}
					if fromCPU, _ := (epsilon.CPU{Pairs: p}).Count(query, scale); !slices.Equal(fromCPU, wantCounts) {
						t.Errorf("scale %v: the CPU has another histogram than one by one", scale)
					}
				}
				if c.name == "outlier" {
					return nil // no scale would do
				}
				sum, err := sampler{r}.Sum(query, data, 1e4)
				if wantSum, _ := (epsilon.CPU{Pairs: p}).Sum(query, data, 1e4); sum != wantSum {
					t.Errorf("the sum of distances is %d on the card, %d on the CPU", sum, wantSum)
				}
				return err
			})
		})
	}
}

// countPairs is the histogram, pair by pair.
func countPairs(p *neighbors.Plan, query []uint32, scale float64) []uint64 {
	counts := make([]uint64, epsilon.Bins)
	for _, q := range query {
		for d := range p.DataLen() {
			sum := p.SquaredDistance(q, uint32(d))
			if bin := math.Sqrt(sum) * scale; sum > 0 && bin < epsilon.Bins {
				counts[int(bin)]++
			}
		}
	}
	return counts
}

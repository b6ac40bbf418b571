//go:build cuda && linux

package gpu

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"skyjoin/neighbors"
)

// pairPoints returns points of which some coincide, as float64 or float32.
func pairPoints(t testing.TB, rng *rand.Rand, n, dim int, narrow bool) *neighbors.Points {
	t.Helper()
	cols := make([]neighbors.Column, dim)
	for c := range cols {
		v := make([]float64, n)
		for i := range v {
			v[i] = 100 * rng.Float64()
			if i > 4 && i%5 == 0 {
				v[i] = v[i-5]
			}
		}
		cols[c] = neighbors.Float64s(v)
		if narrow {
			f := make([]float32, n)
			for i := range f {
				f[i] = float32(v[i])
			}
			cols[c] = neighbors.Float32s(f)
		}
	}
	p, err := neighbors.NewPoints(cols...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bruteSquares calls f for the d² of every pair of the input.
func bruteSquares(t testing.TB, in neighbors.Input, f func(i, j int, d2 float64)) {
	t.Helper()
	q, err := lower(in.Metric, in.Query)
	if err != nil {
		t.Fatal(err)
	}
	d := q
	if in.Data != nil {
		if d, err = lower(in.Metric, in.Data); err != nil {
			t.Fatal(err)
		}
	}
	for i := range q.Len() {
		first := 0
		if in.Data == nil {
			first = i + 1
		}
		for j := first; j < d.Len(); j++ {
			sum := 0.0
			for c := range q.Columns {
				e := q.Columns[c].At(i) - d.Columns[c].At(j)
				if q.Side != nil && q.Side[c] > 0 {
					e = math.Abs(e)
					e = min(e, q.Side[c]-e)
				}
				sum += float64(e * e)
			}
			f(i, j, sum)
		}
	}
}

// bruteBins is the histogram of all pairs.
func bruteBins(t testing.TB, in neighbors.Input, squared []float64) []uint64 {
	counts := make([]uint64, len(squared)-1)
	bruteSquares(t, in, func(_, _ int, d2 float64) {
		k := sort.Search(len(squared), func(k int) bool { return squared[k] > d2 })
		if k > 0 && k < len(squared) {
			counts[k-1]++
		}
	})
	return counts
}

// squaredEdges are the thresholds of edges of d.
func squaredEdges(t testing.TB, edges ...float64) []float64 {
	t.Helper()
	squared := make([]float64, len(edges))
	for i, e := range edges {
		var err error
		if squared[i], err = neighbors.Euclidean().SquaredEdge(e); err != nil {
			t.Fatal(err)
		}
	}
	return squared
}

func linearEdges(lo, hi float64, n int) []float64 {
	edges := make([]float64, n+1)
	for i := range edges {
		edges[i] = (hi*float64(i) + lo*float64(n-i)) / float64(n)
	}
	return edges
}

func logEdges(lo, hi float64, n int) []float64 {
	edges := make([]float64, n+1)
	for i := range edges {
		edges[i] = lo * math.Pow(hi/lo, float64(i)/float64(n))
	}
	return edges
}

// pairsCase is a way to run the kernels.
type pairsCase struct {
	cfg Pairs
	dim int
	n   int // points; a cross statistic has about two thirds of them as data
}

// pairsCases lists every tiling, output and type with dimensions and sizes; the
// short suite takes one size of each.
func pairsCases(outputs []Output) []pairsCase {
	var cases []pairsCase
	sizes := []int{2, 63, 64, 65, 130, 257}
	k := 0
	for _, tiling := range []Tiling{TilingNaive, TilingBoth, TilingShared, TilingRoC, TilingShuffle} {
		for _, output := range outputs {
			if (output == outputTwoPass || output == outputPaged) && tiling != TilingShared {
				continue
			}
			for _, exact := range []bool{false, true} {
				for dim := 1; dim <= maxDim; dim++ {
					for s, n := range sizes {
						k++
						if testing.Short() && s != k/len(sizes)%len(sizes) {
							continue
						}
						cases = append(cases, pairsCase{Pairs{Tiling: tiling, Output: output, float64: exact, threads: 32, unbalanced: k%2 == 1, copies: 1 << (k % 6)}, dim, n})
					}
				}
			}
		}
	}
	return cases
}

func openPairs(t testing.TB) *Joiner {
	t.Helper()
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

// inputs returns a self and a cross statistic of points.
func inputs(t testing.TB, rng *rand.Rand, c pairsCase, metric neighbors.Metric) []neighbors.Input {
	p := pairPoints(t, rng, c.n, c.dim, c.n%3 == 2)
	q := pairPoints(t, rng, max(c.n*2/3, 1), c.dim, c.n%3 == 1)
	return []neighbors.Input{{Query: p, Metric: metric}, {Query: p, Data: q, Metric: metric}}
}

func TestHistogramsAreThoseOfBruteForce(t *testing.T) {
	j := openPairs(t)
	rng := rand.New(rand.NewPCG(1, 2))
	// Even from 0 beyond all distances, even from and to the middle, uneven.
	shapes := [][]float64{linearEdges(0, 300, 13), linearEdges(20, 90, 7), logEdges(0.5, 80, 9), {0, 1e-3, 1, 50, 50.5, 400}, append([]float64{0}, linearEdges(20, 90, 7)...)}
	for _, c := range pairsCases(histogramOutputs) {
		for k, in := range inputs(t, rng, c, neighbors.Euclidean()) {
			for s, edges := range shapes {
				if s != (c.n+c.dim+k)%len(shapes) && testing.Short() {
					continue
				}
				j.cfg.Pairs = c.cfg
				squared := squaredEdges(t, edges...)
				got, err := j.BinPairs(context.Background(), in, squared)
				if err != nil {
					t.Fatalf("%+v: %v", c, err)
				}
				if want := bruteBins(t, in, squared); !slices.Equal(got, want) {
					t.Fatalf("%+v, cross %v, edges %v:\n got %v\nwant %v", c, in.Data != nil, edges, got, want)
				}
			}
		}
	}
}

func TestPeriodicAndSkyHistogramsAreThoseOfBruteForce(t *testing.T) {
	j := openPairs(t)
	rng := rand.New(rand.NewPCG(3, 4))
	for _, exact := range []bool{false, true} {
		for _, edges := range [][]float64{linearEdges(0, 50, 10), linearEdges(5, 45, 8), logEdges(0.1, 50, 12)} {
			for _, n := range []int{65, 200} {
				for _, dim := range []int{2, 3} {
					side := []float64{100, 100, 0}[:dim]
					if dim == 2 {
						side[1] = 0
					}
					for _, in := range inputs(t, rng, pairsCase{n: n, dim: dim}, neighbors.Periodic(side...)) {
						j.cfg.Pairs = Pairs{float64: exact, threads: 32}
						squared := squaredEdges(t, edges...)
						got, err := j.BinPairs(context.Background(), in, squared)
						if err != nil {
							t.Fatal(err)
						}
						if want := bruteBins(t, in, squared); !slices.Equal(got, want) {
							t.Fatalf("exact %v, box %v, %d points, edges %v:\n got %v\nwant %v", exact, side, n, edges, got, want)
						}
					}
				}
			}
		}
		sky := pairPoints(t, rng, 150, 2, false)
		dec := make([]float64, sky.Len())
		for i := range dec {
			dec[i] = sky.Column(1).At(i) - 50
		}
		sky, err := neighbors.NewPoints(sky.Column(0), neighbors.Float64s(dec))
		if err != nil {
			t.Fatal(err)
		}
		in := neighbors.Input{Query: sky, Metric: neighbors.Sky()}
		var squared []float64
		for _, e := range logEdges(1e-4, 3, 20) {
			d2, err := in.Metric.SquaredEdge(e)
			if err != nil {
				t.Fatal(err)
			}
			squared = append(squared, d2)
		}
		got, err := j.BinPairs(context.Background(), in, squared)
		if err != nil {
			t.Fatal(err)
		}
		if want := bruteBins(t, in, squared); !slices.Equal(got, want) {
			t.Fatalf("sky:\n got %v\nwant %v", got, want)
		}
	}
}

// Distances that lie on edges, or one step beside: float32 alone cannot tell.
func TestEdgesAreExact(t *testing.T) {
	j := openPairs(t)
	v := make([]float64, 200)
	for i := range v {
		v[i] = float64(i) * 0.1
		switch i % 3 {
		case 1:
			v[i] = math.Nextafter(v[i], 0)
		case 2:
			v[i] = math.Nextafter(v[i], 1000)
		}
	}
	p, err := neighbors.NewPoints(neighbors.Float64s(v))
	if err != nil {
		t.Fatal(err)
	}
	in := neighbors.Input{Query: p}
	for _, edges := range [][]float64{linearEdges(0, 20, 200), linearEdges(0.3, 20, 197), logEdges(0.1, 12.8, 7)} {
		squared := squaredEdges(t, edges...)
		want := bruteBins(t, in, squared)
		for _, exact := range []bool{false, true} {
			j.cfg.Pairs = Pairs{float64: exact, threads: 64}
			got, err := j.BinPairs(context.Background(), in, squared)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("exact %v, %d edges from %v:\n got %v\nwant %v", exact, len(edges), edges[0], got, want)
			}
		}
	}
}

func TestCountsAndListsOfPairsAreThoseOfBruteForce(t *testing.T) {
	j := openPairs(t)
	rng := rand.New(rand.NewPCG(5, 6))
	squared := 900.0
	for _, c := range pairsCases(append(slices.Clone(listOutputs), outputRegister)) {
		for _, in := range inputs(t, rng, c, neighbors.Euclidean()) {
			var want []uint64
			bruteSquares(t, in, func(i, k int, d2 float64) {
				if d2 <= squared {
					want = append(want, uint64(i)<<32|uint64(k))
				}
			})
			j.cfg.Pairs = c.cfg
			if c.cfg.Output == outputRegister {
				got, err := j.CountPairs(context.Background(), in, squared)
				if err != nil {
					t.Fatalf("%+v: %v", c, err)
				}
				if got != uint64(len(want)) {
					t.Fatalf("%+v, cross %v: %d pairs, want %d", c, in.Data != nil, got, len(want))
				}
				continue
			}
			got, err := j.ListPairs(context.Background(), in, squared)
			if err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%+v, cross %v: %d pairs, want %d", c, in.Data != nil, len(got), len(want))
			}
		}
	}
}

// Parts, streams and cards change nothing.
func TestPartsAndCardsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	squared := squaredEdges(t, linearEdges(0, 180, 20)...)
	for _, in := range inputs(t, rng, pairsCase{n: 500, dim: 3}, neighbors.Euclidean()) {
		want := bruteBins(t, in, squared)
		for _, points := range []int{33, 128, 499, 500, 1000} {
			j := openPairs(t)
			j.cfg.Pairs = Pairs{points: points, threads: 32}
			got, err := j.BinPairs(context.Background(), in, squared)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("parts of %d: got %v, want %v", points, got, want)
			}
			cards := &Cards{j, []*Joiner{j, openPairs(t), openPairs(t)}} // of one card here
			if got, err = cards.BinPairs(context.Background(), in, squared); err != nil || !slices.Equal(got, want) {
				t.Errorf("parts of %d on three: got %v, want %v, %v", points, got, want, err)
			}
			list, err := j.ListPairs(context.Background(), in, 400)
			if err != nil {
				t.Fatal(err)
			}
			n, err := j.CountPairs(context.Background(), in, 400)
			if err != nil || n != uint64(len(list)) {
				t.Errorf("parts of %d: %d pairs listed, %d counted, %v", points, len(list), n, err)
			}
		}
	}
}

func TestPairsRequestsAreChecked(t *testing.T) {
	j := openPairs(t)
	p := pairPoints(t, rand.New(rand.NewPCG(1, 1)), 10, 2, false)
	for _, c := range []Pairs{{Tiling: "best"}, {Output: "buffer"}, {copies: 3}, {threads: 33}, {threads: 1024}, {points: -1}} {
		j.cfg.Pairs = c
		if _, err := j.BinPairs(context.Background(), neighbors.Input{Query: p}, []float64{0, 1}); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	j.cfg.Pairs = Pairs{}
	for _, edges := range [][]float64{nil, {1}, {1, 0}, {-1, 1}, {0, math.Inf(1)}, {0, math.NaN()}} {
		if _, err := j.BinPairs(context.Background(), neighbors.Input{Query: p}, edges); err == nil {
			t.Errorf("edges %v are accepted", edges)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := j.BinPairs(ctx, neighbors.Input{Query: p}, []float64{0, 1}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// Short distances are counted on the grid.
func TestShortHistogramsAreThoseOfBruteForce(t *testing.T) {
	j := openPairs(t)
	three := &Cards{j, []*Joiner{j, openPairs(t), openPairs(t)}} // of one card here
	rng := rand.New(rand.NewPCG(9, 10))
	for dim := 1; dim <= gridBinsDim; dim++ {
		side := []float64{100, 0, 100, 100}[:dim]
		for _, metric := range []neighbors.Metric{neighbors.Euclidean(), neighbors.Periodic(side...)} {
			for _, n := range []int{2, 300, 700} {
				for _, edges := range [][]float64{{0, 1, 2.5}, logEdges(0.01, 4, 20), linearEdges(1, 5, 300)} {
					for _, in := range inputs(t, rng, pairsCase{n: n, dim: dim}, metric) {
						squared := squaredEdges(t, edges...)
						job, err := newPairsJob(Pairs{}, in)
						if err != nil {
							t.Fatal(err)
						}
						if g := newGridBins(job, squared); g == nil && dim < 4 && n > 2 && !(dim == 2 && metric.String() == "periodic") && edges[len(edges)-1] < 4.5 {
							t.Errorf("%d dimensions, to %v: all pairs are compared", dim, edges[len(edges)-1])
						}
						got, err := j.BinPairs(context.Background(), in, squared)
						if err != nil {
							t.Fatal(err)
						}
						want := bruteBins(t, in, squared)
						if shared, err := three.BinPairs(context.Background(), in, squared); err != nil || !slices.Equal(shared, want) {
							t.Fatalf("%d dimensions, %v, %d points, on three: %v, want %v, %v", dim, metric, n, shared, want, err)
						}
						if !slices.Equal(got, want) {
							t.Fatalf("%d dimensions, %v, %d points, cross %v, edges to %v:\n got %v\nwant %v", dim, metric, n, in.Data != nil, edges[len(edges)-1], got, want)
						}
					}
				}
			}
		}
	}
}

// Far from the origin and far apart float32 decides little or nothing.
func TestWideHistogramsAreExact(t *testing.T) {
	j := openPairs(t)
	rng := rand.New(rand.NewPCG(11, 12))
	v := make([]float64, 150)
	for i := range v {
		v[i] = 1e9*float64(i%3) + rng.Float64()
	}
	p, err := neighbors.NewPoints(neighbors.Float64s(v))
	if err != nil {
		t.Fatal(err)
	}
	in := neighbors.Input{Query: p}
	for _, edges := range [][]float64{linearEdges(0, 1, 10), logEdges(1e-4, 1, 8), linearEdges(0, 3e9, 7), {1e9 - 1, 1e9, 1e9 + 1}} {
		squared := squaredEdges(t, edges...)
		j.cfg.Pairs = Pairs{threads: 64}
		got, err := j.BinPairs(context.Background(), in, squared)
		if err != nil {
			t.Fatal(err)
		}
		if want := bruteBins(t, in, squared); !slices.Equal(got, want) {
			t.Errorf("edges %v: got %v, want %v", edges, got, want)
		}
	}
}

package validity

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"skyjoin/neighbors"
)

func columns(t testing.TB, cols ...[]float64) *neighbors.Points {
	t.Helper()
	var c []neighbors.Column
	for _, v := range cols {
		c = append(c, neighbors.Float64s(v))
	}
	p, err := neighbors.NewPoints(c...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A clustering whose index is worked out by hand. In one dimension the core
// distance is the harmonic mean of the distances to the others: of 0, 1, 2, 3 it
// is 18/11 at the ends and 6/5 inside, of 10, 12 it is 2.
func TestByHand(t *testing.T) {
	p := columns(t, []float64{0, 1, 2, 3, 10, 12, 50})
	v, err := DBCV(context.Background(), p, neighbors.Euclidean(), []int32{0, 0, 0, 0, 1, 1, -1}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The inner rows of the first are 1 and 2.
	first, second := v.Clusters[0], v.Clusters[1]
	if first.Rows != 4 || math.Abs(first.Sparseness-1.2) > 1e-15 || first.Separation != 8 || second.Sparseness != 2 || second.Separation != 8 {
		t.Errorf("clusters %+v", v.Clusters)
	}
	if want := (4*(8-1.2)/8 + 2*(8-2)/8.) / 7; math.Abs(v.Index-want) > 1e-14 {
		t.Errorf("index %v, want %v", v.Index, want)
	}
	squared, err := DBCV(context.Background(), p, neighbors.Euclidean(), []int32{0, 0, 0, 0, 1, 1, -1}, Options{Squared: true})
	if err != nil || squared.Clusters[1].Sparseness != 4 || squared.Clusters[1].Separation != 64 {
		t.Errorf("squared: %+v, %v", squared, err)
	}
}

// The index is that of dense matrices, for any threads.
func TestDefinition(t *testing.T) {
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 30))
		n, dim, k := 4+rng.IntN(40), 1+rng.IntN(4), 1+rng.IntN(4)
		cols := make([][]float64, dim)
		labels := make([]int32, n)
		for i := range labels {
			labels[i] = int32(rng.IntN(k+1)) - 1
			for j := range cols {
				cols[j] = append(cols[j], 3*float64(labels[i])+rng.NormFloat64())
			}
		}
		if seed%4 == 0 {
			for j := range cols {
				cols[j][1] = cols[j][0]
			}
		}
		opt := Options{Squared: seed%3 == 0, Threads: 1 + int(seed%3)}
		v, err := DBCV(context.Background(), columns(t, cols...), neighbors.Euclidean(), labels, opt)
		if err != nil {
			t.Fatal(err)
		}
		want := dense(cols, labels, opt.Squared)
		if !(math.Abs(v.Index-want) <= 1e-12) && !(math.IsNaN(v.Index) && math.IsNaN(want)) {
			t.Fatalf("trial %d: %v, want %v (%+v)", seed, v.Index, want, v.Clusters)
		}
	}
}

// dense is the definition on matrices, with Kruskal's algorithm.
func dense(cols [][]float64, labels []int32, squared bool) float64 {
	n, dim := len(labels), float64(len(cols))
	distance := func(i, j int) float64 {
		sum := 0.0
		for _, x := range cols {
			sum += (x[i] - x[j]) * (x[i] - x[j])
		}
		if squared {
			return sum
		}
		return math.Sqrt(sum)
	}
	groups := map[int32][]int{}
	for i, l := range labels {
		if l >= 0 {
			groups[l] = append(groups[l], i)
		}
	}
	core := make([]float64, n)
	for _, rows := range groups {
		for _, i := range rows {
			sum := 0.0
			for _, j := range rows {
				if i != j {
					sum += math.Pow(distance(i, j), -dim)
				}
			}
			core[i] = math.Pow(sum/float64(len(rows)-1), -1/dim)
		}
	}
	reach := func(i, j int) float64 { return max(core[i], core[j], distance(i, j)) }
	inner, sparse := map[int32][]int{}, map[int32]float64{}
	for l, rows := range groups {
		if len(rows) < 2 {
			continue
		}
		set := map[int]int{}
		for _, i := range rows {
			set[i] = i
		}
		degree := map[int]int{}
		var edges [][2]int
		for len(edges) < len(rows)-1 {
			a, b := -1, -1
			for x, i := range rows {
				for _, j := range rows[x+1:] {
					if set[i] != set[j] && (a < 0 || reach(i, j) < reach(a, b)) {
						a, b = i, j
					}
				}
			}
			edges = append(edges, [2]int{a, b})
			degree[a]++
			degree[b]++
			from, to := set[b], set[a]
			for i := range set {
				if set[i] == from {
					set[i] = to
				}
			}
		}
		largest, between, any := 0.0, 0.0, false
		for _, e := range edges {
			largest = max(largest, reach(e[0], e[1]))
			if degree[e[0]] > 1 && degree[e[1]] > 1 {
				between, any = max(between, reach(e[0], e[1])), true
			}
		}
		if sparse[l] = between; !any {
			sparse[l] = largest
		}
		for _, i := range rows {
			if degree[i] > 1 {
				inner[l] = append(inner[l], i)
			}
		}
		if inner[l] == nil {
			inner[l] = rows
		}
	}
	if len(inner) < 2 {
		return math.NaN()
	}
	index := 0.0
	for a, rows := range inner {
		apart := math.Inf(1)
		for b, others := range inner {
			for _, i := range rows {
				for _, j := range others {
					if a != b {
						apart = min(apart, reach(i, j))
					}
				}
			}
		}
		if m := max(apart, sparse[a]); m > 0 {
			index += float64(len(groups[a])) / float64(n) * (apart - sparse[a]) / m
		}
	}
	return index
}

func TestManyDimensions(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 31))
	cols := make([][]float64, 300)
	labels := make([]int32, 40)
	for j := range cols {
		for i := range labels {
			labels[i] = int32(i % 2)
			cols[j] = append(cols[j], 1e-3*(float64(i%2)+rng.NormFloat64()))
		}
	}
	v, err := DBCV(context.Background(), columns(t, cols...), neighbors.Euclidean(), labels, Options{})
	if err != nil || !(v.Index > -1 && v.Index < 1) || v.Clusters[0].Sparseness == 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestRequests(t *testing.T) {
	p := columns(t, []float64{0, 1, 3})
	for _, labels := range [][]int32{nil, {0, 0}, {0, 0, 1 << 30}} {
		if _, err := DBCV(context.Background(), p, neighbors.Euclidean(), labels, Options{}); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("labels %v: %v", labels, err)
		}
	}
	v, err := DBCV(context.Background(), p, neighbors.Euclidean(), []int32{0, 0, -1}, Options{})
	if err != nil || !math.IsNaN(v.Index) || !math.IsNaN(v.Clusters[0].Validity) {
		t.Errorf("one cluster: %+v, %v", v, err)
	}
}

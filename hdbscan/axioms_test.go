package hdbscan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"skyjoin/neighbors"
)

// verify checks what is true of every condensed tree, of n rows without weights.
func verify(t *Tree, c *Condensed) error {
	cluster, height := c.Rows()
	rows := make([]int64, len(c.Clusters))
	last := make([]float64, len(c.Clusters))
	for id := range last {
		last[id] = math.Inf(1)
	}
	cores := t.CoreDistances()
	for row, id := range cluster {
		k := &c.Clusters[id]
		if height[row] > k.Birth || height[row] < k.Death || height[row] < cores[row] {
			return fmt.Errorf("row %d of core distance %v leaves cluster %d at %v, which lives from %v to %v", row, cores[row], id, height[row], k.Birth, k.Death)
		}
		last[id] = min(last[id], height[row])
		for up := id; up >= 0; up = c.Clusters[up].Parent {
			rows[up]++
		}
	}
	kids := make([]int, len(c.Clusters))
	for id, k := range c.Clusters {
		if k.Rows != rows[id] || k.Weight != float64(rows[id]) {
			return fmt.Errorf("cluster %d says that it has %d rows, weight %v; it has %d", id, k.Rows, k.Weight, rows[id])
		}
		if id == 0 {
			continue
		}
		if float64(k.Rows) < c.MinClusterSize || k.Parent < 0 || int(k.Parent) >= id {
			return fmt.Errorf("cluster %d has %d rows and the parent %d", id, k.Rows, k.Parent)
		}
		p := c.Clusters[k.Parent]
		if k.Birth != p.Death || !(k.Death <= k.Birth) || !(k.Stability >= 0) || !(k.Persistence >= 0 && k.Persistence <= 1) {
			return fmt.Errorf("cluster %d is %+v below %+v", id, k, p)
		}
		last[k.Parent] = min(last[k.Parent], k.Birth)
		kids[k.Parent]++
	}
	for id, k := range c.Clusters {
		if kids[id] == 1 || k.Death != last[id] {
			return fmt.Errorf("cluster %d has %d children and ends at %v, all leave it by %v", id, kids[id], k.Death, last[id])
		}
	}
	return nil
}

// large is a set of rows with clusters of several densities, and ties.
func large(n int, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 32))
	cols := [][]float64{make([]float64, n), make([]float64, n)}
	for i := range n {
		k := float64(rng.IntN(12))
		for j := range cols {
			cols[j][i] = math.Round(8*(4*math.Mod(k*(2.5+float64(j)), 9)+rng.NormFloat64()*(.1+k/12))) / 8
			if i%3 == 0 {
				cols[j][i] = 40 * rng.Float64()
			}
		}
	}
	return cols
}

func TestAxioms(t *testing.T) {
	n := 20000
	if testing.Short() {
		n = 4000
	}
	cols := large(n, 1)
	for _, ties := range []Ties{TiesTogether, TiesSklearn} {
		for _, m := range []float64{1, 4, 10} {
			tree := build(t, columns(t, cols...), neighbors.Euclidean(), Options{MinSamples: m, Ties: ties})
			for _, size := range []float64{2, 7, 40} {
				c := condense(t, tree, size)
				if err := verify(tree, c); err != nil {
					t.Fatalf("%v, m %v, size %v: %v", ties, m, size, err)
				}
				for _, s := range []Selection{{}, {Method: Leaf}} {
					r := choose(t, c, s)
					for label, n := range r.Sizes {
						if n < int64(size) {
							t.Fatalf("%v, m %v, size %v: cluster %d has %d rows", ties, m, size, label, n)
						}
					}
					if r.Clusters() < 5 {
						t.Errorf("%v, m %v, size %v: %d clusters test little", ties, m, size, r.Clusters())
					}
				}
			}
		}
	}
	// The check itself must be able to fail.
	tree := build(t, columns(t, cols...), neighbors.Euclidean(), Options{MinSamples: 4})
	for _, spoil := range []func(c *Condensed){
		func(c *Condensed) { c.Clusters[1].Birth *= 2 },
		func(c *Condensed) { c.Clusters[2].Rows++ },
		func(c *Condensed) { c.height[5] = 1e9 },
		func(c *Condensed) { c.cluster[7]++ },
		func(c *Condensed) { c.Clusters[0].Death /= 2 },
	} {
		c := condense(t, tree, 20)
		spoil(c)
		if verify(tree, c) == nil {
			t.Error("a tree that was spoilt passes")
		}
	}
}

// Labels, probabilities and scores depend on distances alone: other orders of the
// rows renumber clusters, other threads and joiners change nothing.
func TestInvariance(t *testing.T) {
	n := 3000
	cols := large(n, 2)
	type answer struct {
		labels                []int32
		probabilities, scores []float64
		heights               []float64
	}
	run := func(cols [][]float64, opt Options) answer {
		tree := build(t, columns(t, cols...), neighbors.Euclidean(), opt)
		c := condense(t, tree, 12)
		r := choose(t, c, Selection{})
		_, heights := c.Rows()
		return answer{r.Labels, r.Probabilities, c.Outliers(), heights}
	}
	want := run(cols, Options{MinSamples: 5, Threads: 1})
	for _, opt := range []Options{{Threads: 2}, {Threads: 7}, {Joiner: neighbors.CPU{Algorithm: neighbors.Scan}}, {Joiner: neighbors.CPU{Algorithm: neighbors.Grid}, Threads: 3}} {
		opt.MinSamples = 5
		if got := run(cols, opt); !slices.Equal(got.labels, want.labels) || !slices.Equal(got.probabilities, want.probabilities) || !slices.Equal(got.scores, want.scores) {
			t.Errorf("%+v changes the answer", opt)
		}
	}
	for seed := range uint64(3) {
		order := rand.New(rand.NewPCG(seed, 33)).Perm(n)
		mixed := make([][]float64, len(cols))
		for j := range cols {
			for _, from := range order {
				mixed[j] = append(mixed[j], cols[j][from])
			}
		}
		got := run(mixed, Options{MinSamples: 5, Threads: 2})
		to := map[int32]int32{}
		for i, from := range order {
			if got.probabilities[i] != want.probabilities[from] || got.scores[i] != want.scores[from] || got.heights[i] != want.heights[from] {
				t.Fatalf("row %d has other numbers in another order", from)
			}
			if l, ok := to[want.labels[from]]; ok && l != got.labels[i] || (got.labels[i] == Noise) != (want.labels[from] == Noise) {
				t.Fatalf("cluster %d falls apart in another order", want.labels[from])
			}
			to[want.labels[from]] = got.labels[i]
		}
		if len(to) < 6 {
			t.Errorf("%d clusters test little", len(to))
		}
	}
}

func TestRequests(t *testing.T) {
	p := columns(t, []float64{0, 1, 3})
	for _, c := range []struct {
		p    *neighbors.Points
		opt  Options
		want string
	}{
		{nil, Options{MinSamples: 1}, "no points"},
		{p, Options{}, "min-samples 0"},
		{p, Options{MinSamples: 1.5}, "min-samples 1.5"},
		{p, Options{MinSamples: 4}, "min-samples 4, which is more than the number of rows, 3"},
		{p, Options{MinSamples: math.NaN()}, "min-samples NaN"},
		{p, Options{MinSamples: 1, Alpha: -1}, "alpha -1"},
		{p, Options{MinSamples: 1, Ties: 9}, "ties 9"},
		{p, Options{MinSamples: 1, Weights: []float64{1}}, "1 weights for 3 rows"},
		{p, Options{MinSamples: 1, Weights: []float64{1, -1, 1}}, "weight of row 1 is -1"},
		{p, Options{MinSamples: 4, Weights: []float64{1, 1, 1}}, "add up to 3"},
	} {
		_, err := Build(context.Background(), c.p, neighbors.Euclidean(), c.opt)
		if !errors.Is(err, neighbors.ErrRequest) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want an error about %q", c.opt, err, c.want)
		}
	}
	if _, err := Build(context.Background(), p, neighbors.Euclidean(), Options{MinSamples: 1, Memory: 10}); !errors.Is(err, neighbors.ErrMemory) {
		t.Errorf("10 bytes: %v", err)
	}
	tree := build(t, p, neighbors.Euclidean(), Options{MinSamples: 2})
	for _, size := range []float64{0, 1, 2.5, math.NaN(), math.Inf(1)} {
		if _, err := tree.Condense(size); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("min-cluster-size %v: %v", size, err)
		}
	}
	c := condense(t, tree, 2)
	for _, s := range []Selection{{Method: 7}, {Epsilon: -1}, {EpsilonMax: math.NaN()}, {MaxClusterSize: math.Inf(1)}} {
		if _, err := c.Select(s); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if _, err := tree.Cut(math.NaN(), 0); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("a cut at NaN: %v", err)
	}
	if _, err := c.Memberships(Selection{}, 0); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("no memberships: %v", err)
	}
	if _, err := c.Predict(context.Background(), Selection{}, nil, Join{}); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("no new points: %v", err)
	}
	for _, s := range []Stored{
		{MinClusterSize: 1, Cluster: []int32{0}, Height: []float64{1}},
		{MinClusterSize: 2, Cluster: []int32{0}},
		{MinClusterSize: 2, Cluster: []int32{1}, Height: []float64{1}},
		{MinClusterSize: 2, Cluster: []int32{0}, Height: []float64{-1}},
		{MinClusterSize: 2, Parents: []int32{1}, Births: []float64{1}},
		{MinClusterSize: 2, Parents: []int32{0}, Births: []float64{math.NaN()}},
		{MinClusterSize: 2, Parents: []int32{0}, Births: []float64{1}, Cluster: []int32{1}, Height: []float64{2}},
		{MinClusterSize: 2, Cluster: []int32{0}, Height: []float64{1}, Weights: []float64{-1}},
	} {
		if _, err := s.Restore(); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("restoring %+v: %v", s, err)
		}
	}
	stored := Stored{MinClusterSize: 2, Cluster: []int32{0, 0}, Height: []float64{1, 1}}
	if r, err := stored.Restore(); err != nil {
		t.Error(err)
	} else if _, err := r.Predict(context.Background(), Selection{}, p, Join{}); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("predicting by a stored tree: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Build(ctx, p, neighbors.Euclidean(), Options{MinSamples: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for _, ties := range []Ties{TiesTogether, TiesSklearn} {
		if got, err := ParseTies(ties.String()); got != ties || err != nil {
			t.Errorf("%v reads back as %v, %v", ties, got, err)
		}
	}
	for _, m := range []Method{EOM, Leaf} {
		if got, err := ParseMethod(m.String()); got != m || err != nil {
			t.Errorf("%v reads back as %v, %v", m, got, err)
		}
	}
}

// Duplicates cost no more than others, nor does a lattice, all of whose edges
// have one height.
func TestManyTies(t *testing.T) {
	n := 40000
	same, grid := make([]float64, n), make([]float64, n)
	for i := range same {
		same[i], grid[i] = float64(i/(n/2)), float64(i%200)
	}
	tree := build(t, columns(t, same), neighbors.Euclidean(), Options{MinSamples: 5})
	r := choose(t, condense(t, tree, 10), Selection{})
	if r.Clusters() != 2 || r.Sizes[0] != int64(n/2) || r.NoiseCount != 0 || r.Infinite != int64(n) {
		t.Errorf("two places: %d clusters %v, noise %d", r.Clusters(), r.Sizes, r.NoiseCount)
	}
	rows := make([]float64, n)
	for i := range rows {
		rows[i] = float64(i / 200)
	}
	tree = build(t, columns(t, grid, rows), neighbors.Euclidean(), Options{MinSamples: 5})
	if nodes, multiway := tree.Nodes(); nodes != 3 || multiway != 3 {
		// Rows within have core distance 1, those at the edges √2, at the corners 2.
		t.Errorf("a lattice has %d nodes, %d multiway", nodes, multiway)
	}
}

// Linkage is a dendrogram of all rows, and Edges are its heights.
func TestLinkage(t *testing.T) {
	for _, ties := range []Ties{TiesTogether, TiesSklearn} {
		tree := build(t, columns(t, []float64{0, 1, 5, 2, 5.5}), neighbors.Euclidean(), Options{MinSamples: 1, Ties: ties})
		want := []Merge{{2, 4, .5, 2}, {0, 1, 1, 2}, {3, 6, 1, 3}, {5, 7, 3, 5}}
		if got := tree.Linkage(); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", ties, got, want)
		}
	}
	tree := build(t, columns(t, []float64{0, 1, 5, 2, 5.5}), neighbors.Euclidean(), Options{MinSamples: 1})
	if got, want := tree.Edges(), []Edge{{2, 4, .5}, {0, 1, 1}, {1, 3, 1}, {2, 3, 3}}; !slices.Equal(got, want) {
		t.Errorf("edges %v, want %v", got, want)
	}
}

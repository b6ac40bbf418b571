package hdbscan

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// A trial is a small random input of the kinds that go wrong: duplicates,
// lattices, skewed densities, far offsets, boxes, the sky, weights.
type trial struct {
	cols    [][]float64
	metric  neighbors.Metric
	m, size float64
	alpha   float64
	weights []float64
}

func newTrial(seed uint64) trial {
	rng := rand.New(rand.NewPCG(seed, 24))
	n, dim := 1+rng.IntN(60), 1+rng.IntN(4)
	tr := trial{m: float64(1 + rng.IntN(min(n, 6))), size: float64(2 + rng.IntN(5)), alpha: 1}
	kind := rng.IntN(7)
	switch kind {
	case 4: // sky
		dim = 2
		tr.metric = neighbors.Sky()
	case 5: // box
		var side []float64
		for range dim {
			side = append(side, float64(rng.IntN(2))*1.25)
		}
		tr.metric = neighbors.Periodic(side...)
	case 6: // sky with distances, divided
		dim = 3
		tr.metric = neighbors.SkyDistance().Scaled(1.5)
	}
	tr.cols = make([][]float64, dim)
	for j := range tr.cols {
		tr.cols[j] = make([]float64, n)
		for i := range n {
			var v float64
			switch kind {
			case 0, 5: // lattice
				v = float64(rng.IntN(5)) / 4
			case 1: // skewed
				v = rng.ExpFloat64() * rng.ExpFloat64()
			case 2: // clumps, far from the origin
				v = 1e6 + float64(i%3)*9 + rng.NormFloat64()
			case 3:
				v = rng.Float64()
			case 4, 6:
				if v = float64(rng.IntN(18) * 5); rng.IntN(2) == 0 {
					v = rng.Float64() * 90
				}
			}
			tr.cols[j][i] = v
		}
	}
	for range rng.IntN(n) / (1 + rng.IntN(4)) { // duplicates
		from, to := rng.IntN(n), rng.IntN(n)
		for j := range tr.cols {
			tr.cols[j][to] = tr.cols[j][from]
		}
	}
	if rng.IntN(5) == 0 {
		tr.alpha = []float64{.5, .75, 1.3}[rng.IntN(3)]
	}
	if rng.IntN(4) == 0 {
		tr.weights = make([]float64, n)
		sum := 0.0
		for i := range tr.weights {
			tr.weights[i] = float64(rng.IntN(160)) / 64
			sum += tr.weights[i]
		}
		tr.m = math.Ceil(64*sum*rng.Float64()*rng.Float64()*rng.Float64()) / 64
		tr.size = float64(1+rng.IntN(400)) / 64
		if tr.m == 0 {
			tr.weights, tr.m, tr.size = nil, 1, 3
		}
	}
	return tr
}

func (tr trial) options() Options {
	return Options{MinSamples: tr.m, Weights: tr.weights, Alpha: tr.alpha}
}

// selections returns selections that matter to the tree of a reference.
func selections(r *reference, rng *rand.Rand) []Selection {
	some := func() float64 { return 1.25 }
	if n := len(r.found); n > 1 {
		some = func() float64 { return r.found[1+rng.IntN(n-1)].birth }
	}
	return []Selection{
		{}, {Method: Leaf}, {SingleCluster: true},
		{Epsilon: some()}, {Epsilon: some(), SingleCluster: true}, {Method: Leaf, Epsilon: some(), SingleCluster: rng.IntN(2) == 0},
		{MaxClusterSize: float64(1 + rng.IntN(30))}, {EpsilonMax: some(), SingleCluster: true},
	}
}

// Everything equals the reference, to the last bit.
func TestReference(t *testing.T) {
	trials := 700
	if testing.Short() {
		trials = 150
	}
	seen := map[string]int{}
	for seed := range uint64(trials) {
		tr := newTrial(seed)
		p := columns(t, tr.cols...)
		for _, ties := range []Ties{TiesTogether, TiesSklearn} {
			r := newReference(t, tr, p, ties, tr.size)
			opt := tr.options()
			opt.Ties, opt.Threads = ties, 1+int(seed%3)
			tree := build(t, p, tr.metric, opt)
			c := condense(t, tree, tr.size)
			if got := tree.CoreDistances(); !slices.Equal(got, r.core) {
				t.Fatalf("trial %d, %v: core distances %v, want %v", seed, ties, got, r.core)
			}
			if len(c.Clusters) != len(r.found) {
				t.Fatalf("trial %d, %v: %d clusters, want %d", seed, ties, len(c.Clusters), len(r.found))
			}
			for id, k := range c.Clusters {
				want := r.found[id]
				stability, _ := want.finite.Float64()
				if want.infinite.Sign() > 0 {
					stability = math.Inf(1)
				}
				parent := int32(-1)
				if want.parent != nil {
					parent = int32(want.parent.id)
				}
				weight, _ := r.weigh(want.rows).Float64()
				if k.Parent != parent || k.Birth != want.birth || k.Death != want.death || k.Stability != stability || k.Rows != int64(len(want.rows)) || k.Weight != weight {
					t.Fatalf("trial %d, %v: cluster %d is %+v, want parent %d, birth %v, death %v, stability %v, %d rows, weight %v",
						seed, ties, id, k, parent, want.birth, want.death, stability, len(want.rows), weight)
				}
				seen["clusters"]++
			}
			cluster, height := c.Rows()
			for i := range cluster {
				if cluster[i] != int32(r.of[i].id) || height[i] != r.leaves[i] {
					t.Fatalf("trial %d, %v: row %d leaves cluster %d at %v, want %d, %v", seed, ties, i, cluster[i], height[i], r.of[i].id, r.leaves[i])
				}
			}
			stored := Stored{MinClusterSize: tr.size, Cluster: cluster, Height: height, Weights: tr.weights}
			for _, k := range c.Clusters[1:] {
				stored.Parents, stored.Births = append(stored.Parents, k.Parent), append(stored.Births, k.Birth)
			}
			restored, err := stored.Restore()
			if err != nil || !slices.Equal(restored.Clusters, c.Clusters) {
				t.Fatalf("trial %d, %v: restored %+v, %v, want %+v", seed, ties, restored, err, c.Clusters)
			}
			if got, want := c.Outliers(), r.outliers(); !slices.Equal(got, want) {
				t.Fatalf("trial %d, %v: GLOSH %v, want %v", seed, ties, got, want)
			}
			for _, s := range selections(r, rand.New(rand.NewPCG(seed, 25))) {
				got := choose(t, c, s)
				labels, probabilities := r.label(s)
				if again := choose(t, restored, s); !slices.Equal(again.Labels, got.Labels) || !slices.Equal(again.Probabilities, got.Probabilities) {
					t.Fatalf("trial %d, %v, %+v: the restored tree has labels %v, want %v", seed, ties, s, again.Labels, got.Labels)
				}
				if !slices.Equal(got.Labels, labels) || !slices.Equal(got.Probabilities, probabilities) {
					t.Fatalf("trial %d, %v, %+v: labels %v, %v\nwant %v, %v", seed, ties, s, got.Labels, got.Probabilities, labels, probabilities)
				}
				if got.Clusters() > 1 {
					seen["several"]++
				}
				if got.NoiseCount > 0 && got.Clusters() > 0 {
					seen["noise"]++
				}
				if got.Infinite > 0 {
					seen["infinite"]++
				}
			}
		}
	}
	for _, what := range []string{"clusters", "several", "noise", "infinite"} {
		if seen[what] < trials {
			t.Errorf("only %d of %s: the trials test little", seen[what], what)
		}
	}
}

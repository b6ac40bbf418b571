package dbscan

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// A trial is a small random input of the kinds that go wrong: duplicates,
// lattices with pairs exactly at ε, skewed densities, far offsets.
type trial struct {
	Cols      [][]float64 `json:"cols"`
	Eps       float64     `json:"eps"`
	MinPoints float64     `json:"min_points"` // an integer, as scikit-learn wants it
	Weights   []float64   `json:"weights"`    // multiples of 1/64, or nil
}

func newTrial(seed uint64) trial {
	rng := rand.New(rand.NewPCG(seed, 20))
	n := 1 + rng.IntN(90)
	dim := 2 + rng.IntN(5)
	tr := trial{Cols: make([][]float64, dim), MinPoints: float64(1 + rng.IntN(7))}
	kind := rng.IntN(4)
	for j := range tr.Cols {
		tr.Cols[j] = make([]float64, n)
		for i := range n {
			var v float64
			switch kind {
			case 0: // lattice
				v = float64(rng.IntN(5)) / 4
			case 1: // skewed
				v = rng.ExpFloat64() * rng.ExpFloat64()
			case 2: // two clumps, far from the origin
				v = 1e6 + float64(i%2)*3 + rng.NormFloat64()
			case 3: // even
				v = rng.Float64()
			}
			tr.Cols[j][i] = v
		}
	}
	for range rng.IntN(n) { // duplicates
		from, to := rng.IntN(n), rng.IntN(n)
		for j := range tr.Cols {
			tr.Cols[j][to] = tr.Cols[j][from]
		}
	}
	// ε is the distance of some pair, so that a pair lies exactly on it, or a
	// lattice step.
	dist := truthOf(tr.Cols, 1, Options{}).d2
	for range 4 {
		if d := math.Sqrt(dist(rng.IntN(n), rng.IntN(n))); d > 0 && (tr.Eps == 0 || d < tr.Eps) {
			tr.Eps = d
		}
	}
	if tr.Eps == 0 || kind == 0 && rng.IntN(2) == 0 {
		tr.Eps = .25
	}
	if rng.IntN(2) == 0 {
		tr.Weights = make([]float64, n)
		for i := range tr.Weights {
			tr.Weights[i] = float64(rng.IntN(160)-8) / 64
		}
	}
	return tr
}

func (tr trial) run(t *testing.T, opt Options) *Result {
	t.Helper()
	r, err := Run(context.Background(), columns(t, tr.Cols...), neighbors.Euclidean(), tr.Eps, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (tr trial) options() Options {
	return Options{MinPoints: tr.MinPoints, Weights: tr.Weights}
}

// Every rule on every joiner obeys the axioms, and all joiners agree.
func TestAxioms(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(300) {
		tr := newTrial(seed)
		for _, rule := range []Options{{}, {Star: true}, {Border: BorderNearest, Counts: true}} {
			opt := tr.options()
			opt.Star, opt.Border, opt.Counts = rule.Star, rule.Border, rule.Counts
			truth := truthOf(tr.Cols, tr.Eps, opt)
			var first *Result
			for name, j := range joiners() {
				opt.Joiner = j
				r := tr.run(t, opt)
				if err := truth.verify(r); err != nil {
					t.Fatalf("trial %d, %s, star %v, border %v: %v", seed, name, opt.Star, opt.Border, err)
				}
				if first == nil {
					first = r
				}
				if !slices.Equal(first.Labels, r.Labels) || !slices.Equal(first.Counts, r.Counts) {
					t.Fatalf("trial %d, %s, star %v, border %v: joiners disagree", seed, name, opt.Star, opt.Border)
				}
			}
			if first.Clusters() > 1 {
				seen["clusters"]++
			}
			if first.BorderCount > 0 {
				seen["border rows"]++
			}
			if first.NoiseCount > 0 {
				seen["noise"]++
			}
		}
	}
	for _, what := range []string{"clusters", "border rows", "noise"} {
		if seen[what] < 100 {
			t.Errorf("only %d of 900 runs have %s: the trials test little", seen[what], what)
		}
	}
}

// Labels do not change when the rows come in another order, but for their
// numbering and for border rows, which may choose among clusters: core rows
// are partitioned the same way.
func TestRowOrder(t *testing.T) {
	for seed := range uint64(60) {
		tr := newTrial(seed)
		a := tr.run(t, tr.options())
		order := rand.New(rand.NewPCG(seed, 21)).Perm(len(tr.Cols[0]))
		mixed := trial{Eps: tr.Eps, MinPoints: tr.MinPoints}
		for _, c := range tr.Cols {
			mixed.Cols = append(mixed.Cols, permuted(c, order))
		}
		if tr.Weights != nil {
			mixed.Weights = permuted(tr.Weights, order)
		}
		b := mixed.run(t, mixed.options())
		if a.Clusters() != b.Clusters() || a.CoreCount != b.CoreCount || a.NoiseCount != b.NoiseCount || a.Pairs != b.Pairs {
			t.Fatalf("trial %d: another order of rows gives other counts", seed)
		}
		to := map[int32]int32{}
		for i, from := range order {
			if a.Core[from] != b.Core[i] {
				t.Fatalf("trial %d: row %d is core in one order only", seed, from)
			}
			if !b.Core[i] {
				continue
			}
			if want, ok := to[a.Labels[from]]; ok && want != b.Labels[i] {
				t.Fatalf("trial %d: cluster %d falls apart", seed, a.Labels[from])
			}
			to[a.Labels[from]] = b.Labels[i]
		}
	}
}

func permuted(v []float64, order []int) []float64 {
	out := make([]float64, len(v))
	for i, from := range order {
		out[i] = v[from]
	}
	return out
}

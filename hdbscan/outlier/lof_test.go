package outlier

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/pyref"
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

func lof(t *testing.T, p *neighbors.Points, k int, opt Options) *Scores {
	t.Helper()
	s, err := LOF(context.Background(), p, neighbors.Euclidean(), k, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func near(got, want []float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-12*math.Abs(b) })
}

// H23 of the tracker cases: duplicates.
func TestDuplicates(t *testing.T) {
	p := columns(t, []float64{0, 0, 0, 0, 1, 2, 3.5, 10})
	inf := math.Inf(1)
	for k, want := range map[int][]float64{
		3: {1, 1, 1, 1, inf, inf, inf, 4.795405982905983},
		2: {1, 1, 1, 1, inf, 1.3125, 1.5714285714285714, 3.8839285714285716},
		5: {.9514285714285714, .9514285714285714, .9514285714285714, .9514285714285714, 1.0793650793650793, 1.05, 1.5857142857142856, 4.211904761904762},
	} {
		if got := lof(t, p, k, Options{}).LOF; !near(got, want) {
			t.Errorf("k %d: %v, want %v", k, got, want)
		}
	}
}

// Scores are those of the definition, with and without ties, for any threads.
func TestDefinition(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 28))
		n := 2 + rng.IntN(60)
		cols := make([][]float64, 1+rng.IntN(3))
		for j := range cols {
			for range n {
				v := rng.NormFloat64()
				if seed%2 == 0 {
					v = float64(rng.IntN(4))
				}
				cols[j] = append(cols[j], v)
			}
		}
		k, ties := 1+rng.IntN(min(n-1, 9)), seed%3 == 0
		s := lof(t, columns(t, cols...), k, Options{Ties: ties, Threads: 1 + int(seed%3)})
		distance := func(i, j int) float64 {
			sum := 0.0
			for _, x := range cols {
				sum += (x[i] - x[j]) * (x[i] - x[j])
			}
			return math.Sqrt(sum)
		}
		lists := make([][]int, n)
		far := make([]float64, n)
		for i := range n {
			var others []int
			for j := range n {
				if j != i {
					others = append(others, j)
				}
			}
			slices.SortStableFunc(others, func(a, b int) int {
				switch d, e := distance(i, a), distance(i, b); {
				case d < e:
					return -1
				case d > e:
					return 1
				}
				return 0
			})
			far[i] = distance(i, others[k-1])
			end := k
			for ties && end < len(others) && distance(i, others[end]) == far[i] {
				end++
			}
			lists[i] = others[:end]
		}
		mean := func(i int) float64 {
			sum := 0.0
			for _, j := range lists[i] {
				sum += max(far[j], distance(i, j))
			}
			return sum / float64(len(lists[i]))
		}
		want := make([]float64, n)
		for i := range want {
			sum := 0.0
			for _, j := range lists[i] {
				sum += 1 / mean(j)
			}
			if want[i] = sum / float64(len(lists[i])) * mean(i); mean(i) == 0 {
				want[i] = 1
			}
		}
		if !slices.Equal(s.KDistance, far) || !near(s.LOF, want) {
			t.Fatalf("trial %d, k %d, ties %v: %v\nwant %v", seed, k, ties, s.LOF, want)
		}
	}
}

const sklearnProgram = `
import json, sys
import numpy as np
from sklearn.neighbors import LocalOutlierFactor
out = []
for t in json.load(sys.stdin):
    m = LocalOutlierFactor(n_neighbors=t["k"], algorithm="brute").fit(np.array(t["x"]).reshape(-1, 2))
    out.append((-m.negative_outlier_factor_).tolist())
json.dump(out, sys.stdout)
`

func TestAgreesWithScikitLearn(t *testing.T) {
	type question struct {
		X []float64 `json:"x"`
		K int       `json:"k"`
	}
	var questions []question
	rng := rand.New(rand.NewPCG(1, 29))
	for k := range 20 {
		q := question{K: k + 1}
		for range 2 * (k + 40) {
			q.X = append(q.X, rng.NormFloat64())
		}
		questions = append(questions, q)
	}
	for i, want := range pyref.Ask[[]float64](t, "sklearn, numpy", sklearnProgram, questions) {
		q := questions[i]
		var x, y []float64
		for j := 0; j < len(q.X); j += 2 {
			x, y = append(x, q.X[j]), append(y, q.X[j+1])
		}
		got := lof(t, columns(t, x, y), q.K, Options{}).LOF
		for row := range want { // it adds 1e-10 to means
			if math.Abs(got[row]-want[row]) > 1e-8*want[row] {
				t.Fatalf("k %d, row %d: %v, scikit-learn has %v", q.K, row, got[row], want[row])
			}
		}
	}
}

func TestRequests(t *testing.T) {
	p := columns(t, []float64{0, 1, 3})
	for _, k := range []int{0, -1, 3} {
		for _, ties := range []bool{false, true} {
			if _, err := LOF(context.Background(), p, neighbors.Euclidean(), k, Options{Ties: ties}); !errors.Is(err, neighbors.ErrRequest) {
				t.Errorf("k %d: %v", k, err)
			}
		}
	}
	if _, err := LOF(context.Background(), nil, neighbors.Euclidean(), 1, Options{}); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("no points: %v", err)
	}
}

package validity

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"skyjoin/internal/pyref"
	"skyjoin/neighbors"
)

// The test is scipy's, exact and approximate, with ties and without.
func TestMannWhitneyIsScipys(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	type question struct{ X, Y []float64 }
	var questions []question
	for i := range 200 {
		draw := func(n int, shift float64) []float64 {
			v := make([]float64, n)
			for j := range v {
				if v[j] = rng.NormFloat64() + shift; i%2 == 0 {
					v[j] = math.Round(v[j] * 2)
				}
			}
			return v
		}
		questions = append(questions, question{draw(1+rng.IntN(20), -rng.Float64()), draw(1+rng.IntN(60), 0)})
	}
	script := `
import json, sys
from scipy.stats import mannwhitneyu, norm
out = []
for q in json.load(sys.stdin):
    p = mannwhitneyu(q["X"], q["Y"], alternative="less", method="auto").pvalue
    out.append([float(p), float(norm.isf(p)) if 0 < p < 1 else 0.0])
json.dump(out, sys.stdout)`
	answers := pyref.Ask[[2]float64](t, "scipy", script, questions)
	for i, q := range questions {
		sigma, p := mannWhitney(q.X, q.Y)
		want := answers[i]
		if want[0] != want[0] { // scipy divides by zero where all values are equal
			continue
		}
		if math.Abs(p-want[0]) > 1e-12+1e-9*want[0] {
			t.Fatalf("question %d: p = %v, scipy has %v (%v; %v)", i, p, want[0], q.X, q.Y)
		}
		if want[0] > 0 && want[0] < 1 && math.Abs(sigma-want[1]) > 1e-6 {
			t.Fatalf("question %d: %vσ, scipy has %vσ", i, sigma, want[1])
		}
	}
}

// A clump stands out, rows picked at random from the field do not, and what is
// compared is what the documentation says: a recount of all distances.
func TestSignificance(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 3000
	x, y, labels := make([]float64, n), make([]float64, n), make([]int32, n)
	for i := range n {
		x[i], y[i], labels[i] = rng.Float64()*10, rng.Float64()*10, -1
		switch {
		case i < 60:
			x[i], y[i], labels[i] = 5+rng.NormFloat64()*0.1, 5+rng.NormFloat64()*0.1, 0
		case i < 120:
			labels[i] = 1
		case i < 125:
			labels[i] = 2
		case i == 125:
			labels[i] = 3
		}
	}
	p, err := neighbors.NewPoints(neighbors.Float64s(x), neighbors.Float64s(y))
	if err != nil {
		t.Fatal(err)
	}
	tests, err := Significance(context.Background(), p, neighbors.Euclidean(), labels, TestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for l := range tests {
		sigma, pr := recount(x, y, labels, int32(l))
		if got := tests[l]; got.Sigma != sigma && (got.Sigma == got.Sigma || sigma == sigma) || got.P != pr && got.P == got.P {
			t.Errorf("cluster %d: %+v, a recount gives %v, %v", l, got, sigma, pr)
		}
	}
	if s := tests[0].Sigma; s < 10 || tests[0].Field != fieldMost {
		t.Errorf("a clump has %+v", tests[0])
	}
	if s := tests[1].Sigma; s > -5 {
		t.Errorf("rows picked at random, which are sparser than the field, have %vσ", s)
	}
	for _, threads := range []int{1, 3} {
		again, err := Significance(context.Background(), p, neighbors.Euclidean(), labels, TestOptions{Threads: threads})
		if err != nil || again[0] != tests[0] || again[2] != tests[2] {
			t.Errorf("%d threads: %v, %v", threads, again, err)
		}
	}
	for i := range labels[200:] {
		labels[200+i] = 0
	}
	few, err := Significance(context.Background(), p, neighbors.Euclidean(), labels, TestOptions{})
	if err != nil || few[0].Sigma == few[0].Sigma {
		t.Errorf("a field of %d rows: %v, %v", 74, few, err)
	}
}

// recount compares all distances.
func recount(x, y []float64, labels []int32, cluster int32) (sigma, p float64) {
	dist := func(i, j int) float64 { return math.Sqrt((x[i]-x[j])*(x[i]-x[j]) + (y[i]-y[j])*(y[i]-y[j])) }
	var members, field []int
	for i, l := range labels {
		if l == cluster {
			members = append(members, i)
		} else if l < 0 {
			field = append(field, i)
		}
	}
	if len(members) < 2 {
		return math.NaN(), math.NaN()
	}
	k := min(testNeighbor, len(members)-1)
	kth := func(i int, of []int) float64 {
		n := nearest{dist: map[uint32]float64{}}
		for _, j := range of {
			if j != i {
				n.dist[uint32(j)] = dist(i, j)
			}
		}
		return n.dist[n.rows()[k-1]]
	}
	n := nearest{dist: map[uint32]float64{}}
	for _, f := range field {
		least := math.Inf(1)
		for _, m := range members {
			least = min(least, dist(f, m))
		}
		n.dist[uint32(f)] = least
	}
	var own, others []float64
	for _, m := range members {
		own = append(own, kth(m, members))
	}
	for _, f := range n.rows() {
		others = append(others, kth(int(f), field))
	}
	return mannWhitney(own, others)
}

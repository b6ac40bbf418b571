package optics

import (
	"context"
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

// A trial is a small random input, with lattices and duplicates among them.
type trial struct {
	Cols       [][]float64 `json:"cols"`
	MinSamples int         `json:"min_samples"`
	MaxEps     float64     `json:"max_eps"`
	Xi         float64     `json:"xi"`
}

func newTrial(seed uint64) trial {
	rng := rand.New(rand.NewPCG(seed, 27))
	n := 12 + rng.IntN(90)
	if seed%10 == 0 {
		n += 400
	}
	tr := trial{MinSamples: 2 + rng.IntN(6), MaxEps: 1e9, Xi: []float64{.05, .125, .25}[rng.IntN(3)]}
	if seed%3 == 0 {
		tr.MaxEps = .4
	}
	for range 1 + rng.IntN(3) {
		x := make([]float64, n)
		for i := range x {
			switch seed % 4 {
			case 0:
				x[i] = float64(rng.IntN(6)) / 4
			case 1:
				x[i] = rng.Float64()
			default:
				x[i] = float64(i%3) + rng.NormFloat64()/4
			}
		}
		tr.Cols = append(tr.Cols, x)
	}
	for range rng.IntN(n) / 3 {
		from, to := rng.IntN(n), rng.IntN(n)
		for _, x := range tr.Cols {
			x[to] = x[from]
		}
	}
	return tr
}

func (tr trial) run(t *testing.T) *Ordering {
	t.Helper()
	o, err := Run(context.Background(), columns(t, tr.Cols...), neighbors.Euclidean(), Options{MinSamples: float64(tr.MinSamples), MaxEps: tr.MaxEps})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// definition orders by the definition, on all distances.
func (tr trial) definition() *Ordering {
	n := len(tr.Cols[0])
	distance := func(i, j int) float64 {
		sum := 0.0
		for _, x := range tr.Cols {
			sum += (x[i] - x[j]) * (x[i] - x[j])
		}
		return math.Sqrt(sum)
	}
	o := &Ordering{Reachability: slices.Repeat([]float64{math.Inf(1)}, n), CoreDistance: make([]float64, n), Predecessor: slices.Repeat([]int64{-1}, n)}
	for i := range n {
		var d []float64
		for j := range n {
			d = append(d, distance(i, j))
		}
		slices.Sort(d)
		if o.CoreDistance[i] = d[tr.MinSamples-1]; o.CoreDistance[i] > tr.MaxEps {
			o.CoreDistance[i] = math.Inf(1)
		}
	}
	done := make([]bool, n)
	for range n {
		next := -1
		for j := range n {
			if !done[j] && (next < 0 || o.Reachability[j] < o.Reachability[next]) {
				next = j
			}
		}
		done[next] = true
		o.Order = append(o.Order, uint32(next))
		for j := range n {
			if d := distance(next, j); !done[j] && d <= tr.MaxEps {
				if r := max(o.CoreDistance[next], d); r < o.Reachability[j] {
					o.Reachability[j], o.Predecessor[j] = r, int64(next)
				}
			}
		}
	}
	return o
}

func TestOrderByDefinition(t *testing.T) {
	for seed := range uint64(200) {
		tr := newTrial(seed)
		got, want := tr.run(t), tr.definition()
		if !slices.Equal(got.Order, want.Order) || !slices.Equal(got.Reachability, want.Reachability) || !slices.Equal(got.CoreDistance, want.CoreDistance) || !slices.Equal(got.Predecessor, want.Predecessor) {
			t.Fatalf("trial %d: order %v\nwant  %v\nreachability %v\nwant         %v", seed, got.Order, want.Order, got.Reachability, want.Reachability)
		}
	}
}

// scikit-learn before 1.3 looks at the wrong predecessor (its issue 26324), which
// is put right here.
const sklearnProgram = `
import json, sys
import numpy as np
import sklearn.cluster._optics as O
from sklearn.cluster import OPTICS, cluster_optics_xi
def correct(r, p, o, s, e):
    while s < e:
        if r[s] > r[e]:
            return s, e
        if p[e] in o[s:e]:
            return s, e
        e -= 1
    return None, None
O._correct_predecessor = correct
out = []
for t in json.load(sys.stdin):
    x = np.array(t["cols"]).T
    m = OPTICS(min_samples=t["min_samples"], max_eps=t["max_eps"], algorithm="brute", cluster_method="dbscan", eps=0.3).fit(x)
    a = {"order": m.ordering_.tolist(), "predecessor": m.predecessor_.tolist(), "cut": m.labels_.tolist(), "clusters": [], "labels": []}
    for fix in (True, False):
        with np.errstate(all="ignore"):
            labels, clusters = cluster_optics_xi(reachability=m.reachability_, predecessor=m.predecessor_, ordering=m.ordering_,
                min_samples=t["min_samples"], min_cluster_size=max(2, t["min_samples"] - 1), xi=t["xi"], predecessor_correction=fix)
        a["clusters"].append(clusters.tolist())
        a["labels"].append(labels.tolist())
    out.append(a)
json.dump(out, sys.stdout)
`

// On coordinates that differ by more than it rounds to, 15 decimals.
func TestAgreesWithScikitLearn(t *testing.T) {
	var trials []trial
	for seed := range uint64(100) {
		if len(trials) == 30 || testing.Short() && len(trials) == 8 {
			break // it takes a second each
		}
		if tr := newTrial(seed); seed%4 != 1 && seed%10 != 0 {
			for _, x := range tr.Cols { // few bits: distances are then either the same or far apart
				for i := range x {
					x[i] = math.Round(x[i]*64) / 64
				}
			}
			trials = append(trials, tr)
		}
	}
	type answer struct {
		Order       []uint32
		Predecessor []int64
		Cut         []int32
		Clusters    [2][][2]int
		Labels      [2][]int32
	}
	found := 0
	for i, want := range pyref.Ask[answer](t, "sklearn, numpy", sklearnProgram, trials) {
		tr := trials[i]
		o := tr.run(t)
		if !slices.Equal(o.Order, want.Order) || !slices.Equal(o.Predecessor, want.Predecessor) {
			t.Fatalf("trial %d: order %v\nwant  %v\npredecessors %v\nwant         %v", i, o.Order, want.Order, o.Predecessor, want.Predecessor)
		}
		if cut, err := o.Cut(.3); err != nil || !slices.Equal(cut, want.Cut) {
			t.Fatalf("trial %d: cut %v, %v, want %v", i, cut, err, want.Cut)
		}
		for k, raw := range []bool{false, true} {
			clusters, labels, err := o.Xi(Xi{Steepness: tr.Xi, MinClusterSize: max(2, tr.MinSamples-1), NoCorrection: raw})
			if err != nil {
				t.Fatal(err)
			}
			var ranges [][2]int
			for _, c := range clusters {
				ranges = append(ranges, [2]int{c.Start, c.End})
				if p := c.Parent; p >= 0 && (clusters[p].Start > c.Start || clusters[p].End < c.End) {
					t.Errorf("trial %d: %v is not within %v", i, c, clusters[p])
				}
			}
			if !slices.Equal(ranges, want.Clusters[k]) || !slices.Equal(labels, want.Labels[k]) {
				t.Fatalf("trial %d, raw %v, xi %v: clusters %v, want %v", i, raw, tr.Xi, ranges, want.Clusters[k])
			}
			found += len(ranges)
		}
	}
	if found < 5*len(trials) {
		t.Errorf("only %d clusters", found)
	}
}

// H21 of the tracker cases.
func TestCase(t *testing.T) {
	o, err := Run(context.Background(), columns(t, []float64{4, 0, 1, 2, 3, 9, 10, 11, 30}), neighbors.Euclidean(), Options{MinSamples: 3})
	if err != nil {
		t.Fatal(err)
	}
	for eps, want := range map[float64][]int32{
		1: {-1, 0, 0, 0, 0, -1, 1, 1, -1},
		2: {0, 0, 0, 0, 0, 1, 1, 1, -1},
		6: {0, 0, 0, 0, 0, 0, 0, 0, -1},
	} {
		if got, err := o.Cut(eps); err != nil || !slices.Equal(got, want) {
			t.Errorf("at %v: %v, %v, want %v", eps, got, err, want)
		}
	}
	clusters, labels, err := o.Xi(Xi{Steepness: .2, MinClusterSize: 3})
	if want := []Cluster{{0, 4, 2}, {5, 8, 2}, {0, 8, -1}}; err != nil || !slices.Equal(clusters, want) {
		t.Errorf("clusters %v, %v, want %v", clusters, err, want)
	}
	if want := []int32{0, 0, 0, 0, 0, 1, 1, 1, 1}; !slices.Equal(labels, want) {
		t.Errorf("labels %v, want %v", labels, want)
	}
}

// Nothing is rounded.
func TestSmallUnits(t *testing.T) {
	x := make([]float64, 7)
	for i := range x {
		x[i] = math.Ldexp(float64(i*i), -60)
	}
	o, err := Run(context.Background(), columns(t, x), neighbors.Euclidean(), Options{MinSamples: 2})
	if err != nil || o.Reachability[3] != math.Ldexp(5, -60) || o.Reachability[6] != math.Ldexp(11, -60) {
		t.Errorf("reachability %v, %v", o, err)
	}
}

package hdbscan

import (
	"context"
	"math"
	"slices"
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

func build(t testing.TB, p *neighbors.Points, metric neighbors.Metric, opt Options) *Tree {
	t.Helper()
	tree, err := Build(context.Background(), p, metric, opt)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func condense(t testing.TB, tree *Tree, size float64) *Condensed {
	t.Helper()
	c, err := tree.Condense(size)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func choose(t testing.TB, c *Condensed, s Selection) *Clustering {
	t.Helper()
	r, err := c.Select(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func all(label int32, n int) []int32 { return slices.Repeat([]int32{label}, n) }

// The cases are of the tracker threads of scikit-learn, hdbscan and cuML, and of
// the rules in doc.go; all numbers are exact to the last bit.
func TestCases(t *testing.T) {
	inf := math.Inf(1)
	seven := slices.Repeat([]float64{7}, 8)
	chain := []float64{0, .5, 1.25, 2.25, 3.5, 5, 11}
	runts := []float64{0, .5, 2.5, 3, 5, 5.25, 5.5, 5.75, 6, 20, 20.25, 20.5, 20.75, 21, 21.25}
	depth := []float64{0, .5, 1.25, 40, 40.5, 41.25, 43.25, 43.75, 44.5, 2.75, 100, 100.25, 110, 110.25, 100.625, 110.75, 3.875}
	byDepth := []int32{0, 0, 0, 3, 3, 3, 4, 4, 4, 0, 1, 1, 2, 2, 1, 2, 0}
	bridge := []float64{8, 4, 0, 7.5, .5, 7, 1}
	offset := []float64{1000000000, 1000000000.25, 1000000000.5, 1000000008, 1000000008.25, 1000000008.5, 1000000040}
	for _, c := range []struct {
		name          string
		x             [][]float64
		size, samples float64
		ties          Ties
		s             Selection
		labels        []int32
		core          []float64
		probabilities []float64
		glosh         []float64
		stabilities   []float64
	}{
		{name: "H01", x: [][]float64{{0, 2, 0, 30, 32, 30}, {0, 0, 2, 30, 30, 32}}, size: 3, samples: 3,
			labels: []int32{0, 0, 0, 1, 1, 1}, probabilities: []float64{1, 1, 1, 1, 1, 1},
			core: []float64{2, 2.8284271247461903, 2.8284271247461903, 2, 2.8284271247461903, 2.8284271247461903}},
		{name: "H03 together", x: [][]float64{bridge}, size: 3, samples: 3, labels: []int32{0, -1, 1, 0, 1, 0, 1}},
		{name: "H03 sklearn", x: [][]float64{bridge}, size: 3, samples: 3, ties: TiesSklearn, labels: []int32{0, 0, 1, 0, 1, 0, 1}},
		{name: "H05 together", x: [][]float64{runts}, size: 4, samples: 1, labels: []int32{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1},
			stabilities: []float64{21.357142857142858, 23.571428571428573}},
		{name: "H05 sklearn", x: [][]float64{runts}, size: 4, samples: 1, ties: TiesSklearn, labels: []int32{1, 1, 1, 1, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0},
			stabilities: []float64{23.571428571428573, 0, 17.5}},
		{name: "H07", x: [][]float64{seven}, size: 3, samples: 2, labels: all(-1, 8), probabilities: make([]float64, 8), glosh: make([]float64, 8), stabilities: []float64{}},
		{name: "H07 single", x: [][]float64{seven}, size: 3, samples: 2, s: Selection{SingleCluster: true}, labels: all(0, 8),
			probabilities: slices.Repeat([]float64{1}, 8), glosh: make([]float64, 8), stabilities: []float64{inf}},
		{name: "H09", x: [][]float64{chain}, size: 3, samples: 2, labels: all(-1, 7)},
		{name: "H09 single", x: [][]float64{chain}, size: 3, samples: 2, s: Selection{SingleCluster: true}, labels: []int32{0, 0, 0, -1, -1, -1, -1},
			probabilities: []float64{1, 1, 1, 0, 0, 0, 0}},
		{name: "H09 single epsilon", x: [][]float64{chain}, size: 3, samples: 2, s: Selection{SingleCluster: true, Epsilon: 1.25}, labels: []int32{0, 0, 0, 0, 0, -1, -1},
			probabilities: []float64{1, 1, 1, .75, .6000000000000001, 0, 0}},
		{name: "H11", x: [][]float64{{0, 1, 2.5, 4.5, 7, 10}}, size: 3, samples: 1, s: Selection{Method: Leaf}, labels: all(-1, 6), stabilities: []float64{}},
		{name: "H11 single", x: [][]float64{{0, 1, 2.5, 4.5, 7, 10}}, size: 3, samples: 1, s: Selection{Method: Leaf, SingleCluster: true}, labels: all(-1, 6), stabilities: []float64{}},
		{name: "H15", x: [][]float64{offset, slices.Repeat([]float64{-1000000000}, 7)}, size: 3, samples: 2, labels: []int32{0, 0, 0, 1, 1, 1, -1},
			probabilities: []float64{1, 1, 1, 1, 1, 1, 0}, glosh: []float64{0, 0, 0, 0, 0, 0, .9920634920634921}, stabilities: []float64{11.6, 11.6}},
		{name: "H17", x: [][]float64{depth}, size: 3, samples: 1, labels: byDepth},
		{name: "H17 leaf", x: [][]float64{depth}, size: 3, samples: 1, s: Selection{Method: Leaf}, labels: byDepth},
		{name: "H17 sklearn", x: [][]float64{depth}, size: 3, samples: 1, ties: TiesSklearn, labels: byDepth},
		{name: "H19", x: [][]float64{{0, 1e-310, 3e-310, 1, 1.0000000000009095, 1.000000000001819}}, size: 3, samples: 1, labels: []int32{0, 0, 0, 1, 1, 1},
			probabilities: []float64{1, 1, 1, 1, 1, 1}, glosh: make([]float64, 6)},
		{name: "no rows", x: [][]float64{{}}, size: 3, samples: 1, labels: []int32{}},
		{name: "a row", x: [][]float64{{5}}, size: 2, samples: 1, labels: []int32{-1}},
		{name: "too few rows", x: [][]float64{{5, 6}}, size: 3, samples: 2, s: Selection{SingleCluster: true}, labels: []int32{-1, -1}},
	} {
		tree := build(t, columns(t, c.x...), neighbors.Euclidean(), Options{MinSamples: c.samples, Ties: c.ties})
		condensed := condense(t, tree, c.size)
		r := choose(t, condensed, c.s)
		if !slices.Equal(r.Labels, c.labels) {
			t.Errorf("%s: labels %v, want %v", c.name, r.Labels, c.labels)
		}
		stabilities := []float64{}
		for _, id := range r.Nodes {
			stabilities = append(stabilities, condensed.Clusters[id].Stability)
		}
		for _, v := range []struct {
			name      string
			got, want []float64
		}{
			{"core distances", tree.CoreDistances(), c.core},
			{"probabilities", r.Probabilities, c.probabilities},
			{"GLOSH", condensed.Outliers(), c.glosh},
			{"stabilities", stabilities, c.stabilities},
		} {
			if v.want != nil && !slices.Equal(v.got, v.want) {
				t.Errorf("%s: %s %v, want %v", c.name, v.name, v.got, v.want)
			}
		}
	}
}

// H13: heights are in the ball.
func TestCut(t *testing.T) {
	tree := build(t, columns(t, []float64{0, 1, 2, 4, 5, 6, 9}), neighbors.Euclidean(), Options{MinSamples: 2})
	for _, c := range []struct {
		eps, size float64
		want      []int32
		clusters  int64
	}{
		{1, 1, []int32{0, 0, 0, 1, 1, 1, -1}, 2},
		{2, 0, []int32{0, 0, 0, 0, 0, 0, -1}, 1},
		{3, 1, []int32{0, 0, 0, 0, 0, 0, 0}, 1},
		{3, 8, all(-1, 7), 1},
		{.5, 1, all(-1, 7), 0},
	} {
		labels, err := tree.Cut(c.eps, c.size)
		if err != nil || !slices.Equal(labels, c.want) {
			t.Errorf("at %v: %v, %v, want %v", c.eps, labels, err, c.want)
		}
		if level := tree.Sweep([]float64{c.eps})[0]; level.Clusters != c.clusters {
			t.Errorf("at %v: %d clusters in the sweep, want %d", c.eps, level.Clusters, c.clusters)
		}
	}
}

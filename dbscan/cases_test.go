package dbscan

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"skyjoin/neighbors"
)

func TestCases(t *testing.T) {
	bridge := []float64{-.5, -.5, -.5, -.5, 0, 1, 2, 2.5, 2.5, 2.5, 2.5}
	for _, c := range []struct {
		name   string
		x      [][]float64
		eps    float64
		opt    Options
		labels []int32
		core   []int
	}{
		{"C01a", [][]float64{{0, .2, .4, 1, 1.6, 1.8, 2}}, .65, Options{MinPoints: 4}, []int32{0, 0, 0, 0, 1, 1, 1}, []int{2, 4}},
		{"C01a nearest", [][]float64{{0, .2, .4, 1, 1.5, 1.8, 2}}, .65, Options{MinPoints: 4, Border: BorderNearest}, []int32{0, 0, 0, 1, 1, 1, 1}, []int{2, 4}},
		{"C01a star", [][]float64{{0, .2, .4, 1, 1.6, 1.8, 2}}, .65, Options{MinPoints: 4, Star: true}, []int32{-1, -1, 0, -1, 1, -1, -1}, []int{2, 4}},
		{"C01b", [][]float64{{0, 1, 2}}, 1, Options{MinPoints: 3}, []int32{0, 0, 0}, []int{1}},
		{"C01b star", [][]float64{{0, 1, 2}}, 1, Options{MinPoints: 3, Star: true}, []int32{-1, 0, -1}, []int{1}},
		{"C03", [][]float64{{0, 1, 3, 7, 15}}, 1, Options{MinPoints: 2}, []int32{0, 0, -1, -1, -1}, []int{0, 1}},
		{"C05", [][]float64{{0, 1}, {0, 1}, {0, 1}}, 1.7320508075688772, Options{MinPoints: 2}, []int32{0, 0}, []int{0, 1}},
		{"C07", [][]float64{{1e9, 1e9 + .25, 1e9 + 40}, {0, 0, 0}}, 1, Options{MinPoints: 2}, []int32{0, 0, -1}, []int{0, 1}},
		{"C25", [][]float64{bridge}, 1, Options{MinPoints: 4}, []int32{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, []int{0, 1, 2, 3, 4, 6, 7, 8, 9, 10}},
		{"C25 nearest: lowest row of two at one distance", [][]float64{bridge}, 1, Options{MinPoints: 4, Border: BorderNearest}, []int32{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, []int{0, 1, 2, 3, 4, 6, 7, 8, 9, 10}},
		{"a point alone is core with min-points 1", [][]float64{{5, 1, 5}}, .5, Options{MinPoints: 1}, []int32{0, 1, 0}, []int{0, 1, 2}},
		{"min-points between two counts", [][]float64{{0, 1, 2}}, 1, Options{MinPoints: 2.5}, []int32{0, 0, 0}, []int{1}},
		{"min-points beyond all", [][]float64{{0, 1, 2}}, 1, Options{MinPoints: 1e300}, []int32{-1, -1, -1}, nil},
		{"weights", [][]float64{{0, 1, 5}}, 1, Options{MinPoints: 2, Weights: []float64{.5, 1.5, 2}}, []int32{0, 0, 1}, []int{0, 1, 2}},
		{"weights just short", [][]float64{{0, 1, 5}}, 1, Options{MinPoints: 2, Weights: []float64{.5, math.Nextafter(1.5, 0) - 0x1p-51, 2}}, []int32{-1, -1, 0}, []int{2}},
		{"negative weight", [][]float64{{0, 1, 2}}, 1, Options{MinPoints: 2, Weights: []float64{2, 2, -1}}, []int32{0, 0, 0}, []int{0, 1}},
		{"tenths add up to one", [][]float64{make([]float64, 10)}, 1, Options{MinPoints: 1, Weights: repeat(.1, 10)}, make([]int32, 10), []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"no rows", [][]float64{{}}, 1, Options{MinPoints: 1}, []int32{}, nil},
	} {
		core := make([]bool, len(c.labels))
		for _, i := range c.core {
			core[i] = true
		}
		for name, j := range joiners() {
			c.opt.Joiner = j
			r, err := Run(context.Background(), columns(t, c.x...), neighbors.Euclidean(), c.eps, c.opt)
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, name, err)
				continue
			}
			if !slices.Equal(r.Labels, c.labels) || !slices.Equal(r.Core, core) {
				t.Errorf("%s, %s: labels %v, core %v; want %v, %v", c.name, name, r.Labels, r.Core, c.labels, core)
			}
		}
	}
}

func repeat(v float64, n int) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// C21: every row is a neighbour of every other.
func TestIdenticalPoints(t *testing.T) {
	if testing.Short() {
		t.Skip("looks at 5e9 pairs: not in the short suite")
	}
	const n = 100000
	r, err := Run(context.Background(), columns(t, repeat(1, n), repeat(2, n)), neighbors.Euclidean(), .1, Options{MinPoints: 5, Counts: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Clusters() != 1 || r.Largest() != n || r.CoreCount != n || r.NoiseCount != 0 || r.Pairs != 4999950000 {
		t.Errorf("clusters %d, largest %d, core %d, noise %d, pairs %d", r.Clusters(), r.Largest(), r.CoreCount, r.NoiseCount, r.Pairs)
	}
	for i, c := range r.Counts {
		if c != n {
			t.Fatalf("row %d has %d rows in its ball, want %d", i, c, n)
		}
	}
}

// C23: ε covers all the data.
func TestEpsCoversAll(t *testing.T) {
	if testing.Short() {
		t.Skip("looks at 1.2e9 pairs: not in the short suite")
	}
	const n = 50000
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = float64(i%250)/250, float64(i/250)/200
	}
	r, err := Run(context.Background(), columns(t, x, y), neighbors.Euclidean(), 2, Options{MinPoints: 5})
	if err != nil {
		t.Fatal(err)
	}
	if r.Clusters() != 1 || r.Largest() != n || r.NoiseCount != 0 || r.Pairs != 1249975000 {
		t.Errorf("clusters %d, largest %d, noise %d, pairs %d", r.Clusters(), r.Largest(), r.NoiseCount, r.Pairs)
	}
}

func TestRequests(t *testing.T) {
	p := columns(t, []float64{0, 1})
	for _, c := range []struct {
		eps  float64
		opt  Options
		want string
	}{
		{1, Options{MinPoints: 0}, "min-points 0"},
		{1, Options{MinPoints: .5}, "min-points 0.5"},
		{1, Options{MinPoints: math.NaN()}, "min-points NaN"},
		{1, Options{MinPoints: math.Inf(1)}, "min-points +Inf"},
		{1, Options{MinPoints: -1, Weights: []float64{1, 1}}, "min-points -1"},
		{1, Options{MinPoints: 1, Weights: []float64{1}}, "1 weights for 2 points"},
		{1, Options{MinPoints: 1, Weights: []float64{1, math.NaN()}}, "weight of row 1 is NaN"},
		{1, Options{MinPoints: 1, Weights: []float64{math.Inf(-1), 1}}, "weight of row 0 is -Inf"},
		{1, Options{MinPoints: 1, Border: 7}, "border rule 7"},
		{0, Options{MinPoints: 1}, "radius 0"},
		{-1, Options{MinPoints: 1}, "radius -1"},
		{math.NaN(), Options{MinPoints: 1}, "radius NaN"},
	} {
		_, err := Run(context.Background(), p, neighbors.Euclidean(), c.eps, c.opt)
		if !errors.Is(err, neighbors.ErrRequest) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("eps %v, %+v: error %v, want one about %q", c.eps, c.opt, err, c.want)
		}
	}
	if _, err := Run(context.Background(), nil, neighbors.Euclidean(), 1, Options{MinPoints: 1}); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("no points: %v", err)
	}
	if _, err := ParseBorder("last"); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("border rule last: %v", err)
	}
	for _, b := range []Border{BorderFirst, BorderNearest} {
		if got, err := ParseBorder(b.String()); got != b || err != nil {
			t.Errorf("%v reads back as %v, %v", b, got, err)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, columns(t, []float64{0, 1}), neighbors.Euclidean(), 1, Options{MinPoints: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestProgress(t *testing.T) {
	x := make([]float64, 1000)
	for i := range x {
		x[i] = float64(i) + float64(i%10)/100
	}
	last := map[Stage]int64{}
	totals := map[Stage]int64{}
	r, err := Run(context.Background(), columns(t, x), neighbors.Euclidean(), 1, Options{MinPoints: 2, Progress: func(s Stage, done, total int64) {
		if done <= last[s] || done > total {
			t.Errorf("%s: %d after %d of %d", s, done, last[s], total)
		}
		last[s], totals[s] = done, total
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r.CoreCount == 0 || r.CoreCount == 1000 {
		t.Errorf("%d core rows: tests little", r.CoreCount)
	}
	for _, stage := range []Stage{StageJoin, StageCore, StageConnect, StageBorder} {
		if last[stage] != 1000 || totals[stage] != 1000 {
			t.Errorf("%s ended at %d of %d, want 1000", stage, last[stage], totals[stage])
		}
	}
}

package dbscan

import (
	"context"
	"errors"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// The training rows get their labels back, those of a DBSCAN* run where they
// are core.
func TestPredictTrainingRows(t *testing.T) {
	for seed := range uint64(150) {
		tr := newTrial(seed)
		points := columns(t, tr.Cols...)
		for _, rule := range []Options{{}, {Star: true}, {Border: BorderNearest}} {
			opt := tr.options()
			opt.Star, opt.Border = rule.Star, rule.Border
			r := tr.run(t, opt)
			m, err := r.Model(points, neighbors.Euclidean(), tr.Eps, opt.Border)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.Predict(context.Background(), points, Join{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if got[i] != r.Labels[i] && (r.Core[i] || !opt.Star) {
					t.Fatalf("trial %d, star %v, border %v: row %d is predicted in %d, was in %d", seed, opt.Star, opt.Border, i, got[i], r.Labels[i])
				}
			}
		}
	}
}

func TestPredictNewRows(t *testing.T) {
	// Core rows of cluster 0 at 0 to 2 and of cluster 1 at 5 to 7; a border row
	// of cluster 1 at 7.9, which attaches nobody.
	x := []float64{0, .5, 1, 1.5, 2, 5, 5.5, 6, 6.5, 7, 7.9}
	query := []float64{-.95, 2.95, 3.5, 3.6, 8.5, 100, 3.25}
	r, err := Run(context.Background(), columns(t, x), neighbors.Euclidean(), 1, Options{MinPoints: 3})
	if err != nil {
		t.Fatal(err)
	}
	if r.Clusters() != 2 || r.Core[10] || r.Labels[10] != 1 {
		t.Fatalf("labels %v, core %v", r.Labels, r.Core)
	}
	// With ε = 1.75 both clusters are within reach of 3.5 and its surroundings.
	for _, c := range []struct {
		border Border
		want   []int32
	}{
		{BorderFirst, []int32{0, 0, 0, 0, 1, -1, 0}},
		{BorderNearest, []int32{0, 0, 0, 1, 1, -1, 0}},
	} {
		m, err := r.Model(columns(t, x), neighbors.Euclidean(), 1.75, c.border)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range joiners() {
			got, err := m.Predict(context.Background(), columns(t, query), Join{Joiner: j})
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("border %v: %v (%v), want %v", c.border, got, err, c.want)
			}
		}
	}
	m, err := r.Model(columns(t, x), neighbors.Euclidean(), 1, BorderFirst)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := m.Predict(context.Background(), columns(t, []float64{8.5}), Join{}); got[0] != Noise {
		t.Errorf("a point near a border row only is in cluster %d", got[0])
	}
}

func TestModelOfNoCoreRows(t *testing.T) {
	x := columns(t, []float64{0, 10}, []float64{1, 1})
	r, err := Run(context.Background(), x, neighbors.Euclidean(), 1, Options{MinPoints: 2})
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Model(x, neighbors.Euclidean(), 1, BorderFirst)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Predict(context.Background(), x, Join{})
	if err != nil || !slices.Equal(got, []int32{Noise, Noise}) {
		t.Errorf("labels %v, error %v", got, err)
	}
}

// Float32 columns stay so and mean the same.
func TestPredictFloat32(t *testing.T) {
	x := []float32{0, .1, .2, 5, 5.1, 5.2}
	points, err := neighbors.NewPoints(neighbors.Float32s(x))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), points, neighbors.Euclidean(), .15, Options{MinPoints: 2})
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Model(points, neighbors.Euclidean(), .15, BorderFirst)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Predict(context.Background(), points, Join{})
	if err != nil || !slices.Equal(got, []int32{0, 0, 0, 1, 1, 1}) {
		t.Errorf("labels %v, error %v", got, err)
	}
}

func TestModelRequests(t *testing.T) {
	x := columns(t, []float64{0, 1})
	r := &Result{Labels: []int32{0}, Core: []bool{true}}
	_, mismatch := r.Model(x, neighbors.Euclidean(), 1, BorderFirst)
	_, noPoints := NewModel(nil, nil, neighbors.Euclidean(), 1, BorderFirst)
	_, fewLabels := NewModel(x, []int32{0}, neighbors.Euclidean(), 1, BorderFirst)
	_, noise := NewModel(x, []int32{0, Noise}, neighbors.Euclidean(), 1, BorderFirst)
	_, border := NewModel(x, []int32{0, 0}, neighbors.Euclidean(), 1, 9)
	m, err := NewModel(x, []int32{0, 0}, neighbors.Euclidean(), -1, BorderFirst)
	if err != nil {
		t.Fatal(err)
	}
	_, radius := m.Predict(context.Background(), x, Join{})
	_, nothing := m.Predict(context.Background(), nil, Join{})
	_, dim := m.Predict(context.Background(), columns(t, []float64{0}, []float64{0}), Join{})
	for i, err := range []error{mismatch, noPoints, fewLabels, noise, border, radius, nothing, dim} {
		if !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("request %d: error %v, want ErrRequest", i, err)
		}
	}
}

package dbscan

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"skyjoin/neighbors"
)

// A runner is a joiner that has DBSCAN of its own.
type runner struct{ neighbors.CPU }

func (r runner) Cluster(ctx context.Context, p *neighbors.Plan, minPoints int64, star bool, labels []int32, core []bool, _ []int64, pairs *int64) error {
	*pairs = 7
	return nil
}

// Every algorithm is taken where it is asked for, refused where it does not know
// what is asked for, and told of in the result.
func TestAlgorithms(t *testing.T) {
	points := columns(t, []float64{0, 1, 2, 9}, []float64{0, 0, 0, 0})
	box := neighbors.Periodic(100, 100)
	plain := neighbors.Euclidean()
	weights := []float64{1, 1, 1, 1}
	for _, c := range []struct {
		name   string
		metric neighbors.Metric
		opt    Options
		took   Algorithm
		err    string
	}{
		{"auto", plain, Options{}, Cells, ""},
		{"auto, periodic", box, Options{}, UnionFind, ""},
		{"auto, weights", plain, Options{Weights: weights}, UnionFind, ""},
		{"auto, lists alone", plain, Options{Joiner: lister{neighbors.CPU{}}}, UnionFind, ""},
		{"auto, device", plain, Options{Joiner: runner{}}, Device, ""},
		{"auto, device, weights", plain, Options{Joiner: runner{}, Weights: weights}, UnionFind, ""},
		{"auto, device, nearest", plain, Options{Joiner: runner{}, Border: BorderNearest}, Cells, ""},
		{"union-find", plain, Options{Algorithm: UnionFind}, UnionFind, ""},
		{"cells", plain, Options{Algorithm: Cells, Joiner: runner{}}, Cells, ""},
		{"device", plain, Options{Algorithm: Device, Joiner: runner{}}, Device, ""},
		{"cells, periodic", box, Options{Algorithm: Cells}, "", "cells does not support periodic axes"},
		{"cells, weights", plain, Options{Algorithm: Cells, Weights: weights}, "", "cells does not support weights"},
		{"cells, lists alone", plain, Options{Algorithm: Cells, Joiner: lister{neighbors.CPU{}}}, "", "a joiner that does not count"},
		{"device, CPU", plain, Options{Algorithm: Device}, "", "a joiner that does not cluster"},
		{"device, nearest", plain, Options{Algorithm: Device, Joiner: runner{}, Border: BorderNearest}, "", "the border rule nearest"},
		{"unknown", plain, Options{Algorithm: "optics"}, "", `algorithm "optics", it must be auto, device, cells or union-find`},
	} {
		c.opt.MinPoints = 2
		r, err := Run(context.Background(), points, c.metric, 1, c.opt)
		switch {
		case c.err != "":
			if !errors.Is(err, neighbors.ErrRequest) || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.name, err, c.err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case r.Algorithm != c.took:
			t.Errorf("%s: took %s, want %s", c.name, r.Algorithm, c.took)
		case r.Algorithm == Device && r.Pairs != 7:
			t.Errorf("%s: %d pairs: the joiner was not asked", c.name, r.Pairs)
		case r.Algorithm != Device && !slices.Equal(r.Labels, []int32{0, 0, 0, Noise}):
			t.Errorf("%s: labels %v", c.name, r.Labels)
		}
	}
	for name, want := range map[string]Algorithm{"": Auto, "auto": Auto, "cells": Cells, "union-find": UnionFind, "device": Device} {
		if got, err := ParseAlgorithm(name); got != want || err != nil {
			t.Errorf("%q is %q: %v", name, got, err)
		}
	}
}

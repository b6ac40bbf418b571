package stats2b

import (
	"slices"
	"testing"

	"skyjoin/internal/pyref"
)

// countNeighbors counts ordered pairs by scipy: for each request the numbers
// of pairs, or sums of the products of whole weights, within each radius.
const countNeighbors = `
import json, sys
import numpy as np
from scipy.spatial import cKDTree
out = []
for r in json.load(sys.stdin):
    a = cKDTree(np.array(r["a"]), boxsize=r["box"] or None)
    b = cKDTree(np.array(r["b"]), boxsize=r["box"] or None) if r["b"] else a
    w = (np.array(r["wa"]), np.array(r["wb"] or r["wa"])) if r["wa"] else None
    out.append([int(round(x)) for x in a.count_neighbors(b, np.array(r["radii"]), weights=w)])
print(json.dumps(out))
`

type scipyRequest struct {
	A     [][]float64 `json:"a"`
	B     [][]float64 `json:"b"`
	WA    []float64   `json:"wa"`
	WB    []float64   `json:"wb"`
	Box   float64     `json:"box"`
	Radii []float64   `json:"radii"`
}

// rowsOf returns the points row by row.
func rowsOf(s *Sample) [][]float64 {
	if s == nil {
		return nil
	}
	rows := make([][]float64, s.Points.Len())
	for i := range rows {
		for j := range s.Points.Dim() {
			rows[i] = append(rows[i], s.Points.Column(j).At(i))
		}
	}
	return rows
}

// Counts, and sums of whole weights, are those of scipy's cKDTree on 100 random
// inputs: one sample and two, periodic and not.
func TestScipyAgrees(t *testing.T) {
	var requests []scipyRequest
	var asked []scene
	for seed := uint64(100); len(asked) < 100; seed++ {
		for _, s := range scenes(seed, 40) {
			if s.metric.String() == "sky" || s.binning.Plane != NoPlane || len(asked) == 100 {
				continue
			}
			r := scipyRequest{A: rowsOf(s.a), B: rowsOf(s.b), Box: s.metric.Side(0)}
			mixed := false
			for j := range s.a.Points.Dim() {
				mixed = mixed || s.metric.Side(j) != r.Box
			}
			if mixed {
				continue // scipy has one side for all
			}
			if r.Box > 0 { // scipy refuses what is not in the box
				for _, rows := range [][][]float64{r.A, r.B} {
					for _, row := range rows {
						for j := range row {
							row[j] = reducedTo(row[j], r.Box)
						}
					}
				}
			}
			for _, x := range []*Sample{s.a, s.b} {
				if x == nil || s.a.Weights == nil {
					continue
				}
				x.Weights = make([]float64, x.Points.Len())
				for i := range x.Weights {
					x.Weights[i] = float64(i*7%11 + 1)
				}
			}
			r.WA = s.a.Weights
			if s.b != nil {
				r.WB = s.b.Weights
			}
			r.Radii = s.binning.Bins.Edges()
			s.patches, s.a.Patch = 0, nil
			requests, asked = append(requests, r), append(asked, s)
		}
	}
	answers := pyref.Ask[[]int64](t, "scipy.spatial", countNeighbors, requests)
	for k, s := range asked {
		got, err := CountPatches(t.Context(), s.a, s.b, s.metric, s.binning, 0, Options{})
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		c := got.Counts()
		var have, want []int64
		for i := range s.binning.Bins.Len() {
			n := int64(c.Value(i))
			if s.b == nil {
				n *= 2 // scipy counts ordered pairs
			}
			have = append(have, n)
			lower := answers[k][i]
			if s.binning.Bins.Edge(i) == 0 {
				lower = selves(s) // scipy counts d ≤ r: other rows at 0 are in the bin
			}
			want = append(want, answers[k][i+1]-lower)
		}
		if !slices.Equal(have, want) {
			t.Errorf("%s: counts %v, scipy %v", s.name, have, want)
		}
	}
}

func reducedTo(x, l float64) float64 {
	for x >= l {
		x -= l
	}
	return x
}

// selves is the weight of the pairs of a row with itself, which scipy counts.
func selves(s scene) int64 {
	if s.b != nil {
		return 0
	}
	var sum int64
	for i := range s.a.Points.Len() {
		w := 1.0
		if s.a.Weights != nil {
			w = s.a.Weights[i]
		}
		sum += int64(w * w)
	}
	return sum
}

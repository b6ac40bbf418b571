package dbscan

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// C03: k counts others, min-points counts the row itself.
func TestKDistances(t *testing.T) {
	points := columns(t, []float64{0, 1, 3, 7, 15})
	want := []float64{3, 2, 3, 6, 12}
	for name, j := range joiners() {
		got, err := KDistances(context.Background(), points, neighbors.Euclidean(), 2, Join{Joiner: j})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: k = 2: %v (%v), want %v", name, got, err, want)
		}
	}
}

// A row is core at the distance to the row MinPoints - 1, and not below.
func TestKDistanceIsTheRadius(t *testing.T) {
	for seed := range uint64(40) {
		tr := newTrial(seed)
		n, m := len(tr.Cols[0]), int(tr.MinPoints)
		if m > n || m == 1 {
			continue
		}
		points := columns(t, tr.Cols...)
		core, err := KDistances(context.Background(), points, neighbors.Euclidean(), m-1, Join{})
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < n; i += 7 {
			if core[i] == 0 {
				continue
			}
			for eps, want := range map[float64]bool{core[i]: true, math.Nextafter(core[i], 0): false} {
				r, err := Run(context.Background(), points, neighbors.Euclidean(), eps, Options{MinPoints: float64(m)})
				if err != nil {
					t.Fatal(err)
				}
				if r.Core[i] != want {
					t.Errorf("trial %d: row %d with core distance %v is core at %v: %v", seed, i, core[i], eps, r.Core[i])
				}
			}
		}
	}
}

func TestKDistancesRequests(t *testing.T) {
	x := columns(t, []float64{0, 1, 2})
	for _, k := range []int{-1, 0, 3} {
		if _, err := KDistances(context.Background(), x, neighbors.Euclidean(), k, Join{}); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("k = %d of 3 rows: error %v, want ErrRequest", k, err)
		}
	}
	if _, err := KDistances(context.Background(), nil, neighbors.Euclidean(), 1, Join{}); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("no points: error %v, want ErrRequest", err)
	}
}

func TestFindKnee(t *testing.T) {
	// Flat to 0.8, then steep: the corner is the knee.
	corner := make([]float64, 101)
	for i := range corner {
		corner[i] = float64(i) / 100
		if i > 80 {
			corner[i] = .8 + float64(i-80)
		}
	}
	hyperbola := make([]float64, 1001)
	for i := range hyperbola {
		hyperbola[i] = 1 / (1.01 - float64(i)/1000)
	}
	for _, c := range []struct {
		name  string
		curve []float64
		index int
		ok    bool
	}{
		{"corner", corner, 80, true},
		// 1/(a-x) scaled by its range is steeper than 1 from a - √(a(a-1)) on.
		{"hyperbola", hyperbola, 909, true},
		{"straight", []float64{0, 1, 2, 3, 4}, 0, false},
		{"concave", []float64{0, 3, 4, 4.5, 5}, 0, false},
		{"level", []float64{2, 2, 2, 2}, 0, false},
		{"short", []float64{0, 5}, 0, false},
		{"empty", nil, 0, false},
		{"lowest of two as deep", []float64{0, 0, 1.5, 2, 4}, 1, true},
		{"C03", []float64{2, 3, 3, 6, 12}, 2, true},
	} {
		k, ok := FindKnee(c.curve)
		if ok != c.ok || k.Index != c.index {
			t.Errorf("%s: knee at %d, %v; want %d, %v", c.name, k.Index, ok, c.index, c.ok)
		}
		if ok && k.Distance != c.curve[c.index] {
			t.Errorf("%s: distance %v, want %v", c.name, k.Distance, c.curve[c.index])
		}
	}
}

func TestFindElbow(t *testing.T) {
	// One row in ten is in a cluster: distances rise from 1 to 100 there, and
	// from 100 to 200 in the rest. Zeros are duplicates and do not matter.
	var curve []float64
	for i := range 11 {
		curve = append(curve, math.Pow(100, float64(i)/10))
	}
	for i := 1; i <= 90; i++ {
		curve = append(curve, 100*math.Pow(2, float64(i)/90))
	}
	for _, zeros := range []int{0, 3} {
		k, ok := FindElbow(append(make([]float64, zeros), curve...))
		if !ok || k.Index != zeros+10 || math.Abs(k.Distance-100) > 1e-9 {
			t.Errorf("%d zeros: elbow %+v, %v; want one at %d", zeros, k, ok, zeros+10)
		}
	}
	for name, curve := range map[string][]float64{"level": {1, 1, 1, 1}, "zeros": {0, 0, 0}, "short": {0, 0, 1, 2}, "convex": {1, 1, 1, 2, 9}, "empty": nil} {
		if k, ok := FindElbow(curve); ok {
			t.Errorf("%s: elbow %+v, want none", name, k)
		}
	}
}

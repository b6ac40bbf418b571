package dbscan

import (
	"context"
	"encoding/csv"
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"

	"skyjoin/internal/mock"
	"skyjoin/neighbors"
)

// Two groups on a line merge at radius 2: every step is what Run finds.
func TestScanRadii(t *testing.T) {
	x := []float64{0, 1, 2, 4, 5, 6, 20}
	points := columns(t, x)
	radii := []float64{.5, 1, 1.5, 2, 3, 30}
	s, err := ScanRadii(context.Background(), points, neighbors.Euclidean(), radii, Options{MinPoints: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i, eps := range radii {
		r, err := Run(context.Background(), points, neighbors.Euclidean(), eps, Options{MinPoints: 2})
		if err != nil {
			t.Fatal(err)
		}
		want := ScanStep{Epsilon: eps, Clusters: r.Clusters(), Core: r.CoreCount, Border: r.BorderCount, Noise: r.NoiseCount, Largest: r.Largest()}
		got := s.Steps[i]
		got.Stability = 0
		if got != want || !slices.Equal(s.Labels(i), r.Labels) {
			t.Errorf("step %d: %+v with labels %v, Run finds %+v with %v", i, got, s.Labels(i), want, r.Labels)
		}
	}
	// Nothing, then two clusters of 3, which merge to one of 6, and of 7.
	for i, want := range []float64{0, 1, .5, 1, 6. / 7, math.NaN()} {
		if got := s.Steps[i].Stability; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("stability of step %d is %v, want %v", i, got, want)
		}
	}
	p, ok := s.Plateau()
	if want := (Plateau{First: 1, Last: 2, Step: 2, Epsilon: 1.5}); !ok || p != want {
		t.Errorf("plateau %+v, %v; want %+v: the cluster of nearly all rows is none", p, ok, want)
	}
}

func TestScanHasNoPlateau(t *testing.T) {
	points := columns(t, []float64{0, 10, 20})
	s, err := ScanRadii(context.Background(), points, neighbors.Euclidean(), []float64{1, 2, 50}, Options{MinPoints: 2})
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := s.Plateau(); ok {
		t.Errorf("plateau %+v of no cluster and of one of all rows", p)
	}
	if !math.IsNaN(s.Steps[0].Stability) {
		t.Errorf("stability %v of steps without clusters", s.Steps[0].Stability)
	}
	s, err = ScanCurve(context.Background(), points, neighbors.Euclidean(), []float64{0, 0, 0}, 8, Options{MinPoints: 2})
	if _, ok := s.Plateau(); err != nil || ok || len(s.Steps) > 0 {
		t.Errorf("a curve of zeros has %d steps, error %v", len(s.Steps), err)
	}
	s, err = ScanCurve(context.Background(), points, neighbors.Euclidean(), []float64{0, 1, 1, 1}, 8, Options{MinPoints: 2})
	if err != nil || len(s.Steps) != 1 || s.Steps[0].Epsilon != 1 {
		t.Errorf("a curve of one distance has steps %v, error %v; want one radius", s.Steps, err)
	}
}

func TestScanRefuses(t *testing.T) {
	points := columns(t, []float64{0, 1, 2})
	for _, c := range []struct {
		radii  []float64
		memory int64
		want   error
	}{
		{nil, 0, neighbors.ErrRequest},
		{[]float64{2, 1}, 0, neighbors.ErrRequest},
		{[]float64{-1, 1}, 0, neighbors.ErrRequest},
		{[]float64{1, 2, 3}, 36, neighbors.ErrMemory},
	} {
		if _, err := ScanRadii(context.Background(), points, neighbors.Euclidean(), c.radii, Options{MinPoints: 2, Memory: c.memory}); !errors.Is(err, c.want) {
			t.Errorf("radii %v under %d bytes: %v, want %v", c.radii, c.memory, err, c.want)
		}
	}
	if _, err := ScanRadii(context.Background(), nil, neighbors.Euclidean(), []float64{1}, Options{MinPoints: 2}); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("no points: %v", err)
	}
}

func TestRadiiBetween(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      int
	}{{1, 1, 1}, {2, 2, 3}, {1e-300, 1e300, 5}, {.1, .7, 7}} {
		r := RadiiBetween(c.lo, c.hi, c.n)
		if len(r) != c.n || r[0] != c.lo || r[c.n-1] != c.hi || !slices.IsSorted(r) {
			t.Errorf("from %v to %v: %v", c.lo, c.hi, r)
		}
	}
}

// plateauOf scans what the curve of k-distances tells of.
func plateauOf(t *testing.T, points *neighbors.Points, metric neighbors.Metric, k int) (*Scan, Plateau) {
	t.Helper()
	d, err := KDistances(context.Background(), points, metric, k, Join{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := ScanCurve(context.Background(), points, metric, slices.Sorted(slices.Values(d)), ScanSteps, Options{MinPoints: float64(k + 1)})
	if err != nil {
		t.Fatal(err)
	}
	p, ok := s.Plateau()
	if !ok {
		t.Fatal("there is no plateau")
	}
	return s, p
}

// The published membership of NGC 103 is 247 to 285 stars; the knee of its
// curve makes one cluster of the whole field, its elbow four.
func TestPlateauOfNGC103(t *testing.T) {
	records, err := csv.NewReader(testdata(t, "asteca_gaia_field.csv")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var cols [5][]float64
	for _, rec := range records[1:] {
		var v [5]float64
		usable := true
		for j, name := range []string{"RA_ICRS", "DE_ICRS", "pmRA", "pmDE", "Plx"} {
			v[j], err = strconv.ParseFloat(rec[slices.Index(records[0], name)], 64)
			usable = usable && err == nil && v[j] == v[j]
		}
		for j := range cols {
			if usable {
				cols[j] = append(cols[j], v[j])
			}
		}
	}
	s, p := plateauOf(t, columns(t, cols[:]...), neighbors.Sky().Scaled(.08*neighbors.Degree, .25, .25, .12), 14)
	if got := s.Steps[p.Step]; got.Clusters != 1 || got.Largest < 247 || got.Largest > 300 {
		t.Errorf("at %v: %d clusters, the largest of %d", p.Epsilon, got.Clusters, got.Largest)
	}
}

// The plateau of the Shapley concentration has ε 0.15°, whose 18 clusters, of
// 759 and 643 galaxies the largest, are known.
func TestPlateauOfShapley(t *testing.T) {
	s, p := plateauOf(t, columns(t, numbers(t, "shapley_galaxies.csv", 2)...), neighbors.Sky(), 9)
	if first, last := s.Steps[p.First].Epsilon/neighbors.Degree, s.Steps[p.Last].Epsilon/neighbors.Degree; first > .15 || last < .15 {
		t.Errorf("the plateau goes from %v° to %v°", first, last)
	}
	sizes := make([]int64, s.Steps[p.Step].Clusters)
	for _, label := range s.Labels(p.Step) {
		if label != Noise {
			sizes[label]++
		}
	}
	if sizes = descending(sizes); sizes[0] < 759 || sizes[0] > 850 || sizes[1] < 643 || sizes[1] > 720 {
		t.Errorf("sizes %v", sizes)
	}
}

// All open clusters of mock fields are found, and no others: of ten seeds, of fields
// whose densest cluster lasts longest, of few rows and of few neighbours.
func TestPlateauOfMockSkies(t *testing.T) {
	type field struct {
		seed uint64
		rows int64
		k    int
	}
	fields := []field{{103, 6000, 19}, {202, 10000, 14}, {202, 40000, 39}}
	if !testing.Short() {
		for seed := uint64(1); seed <= 10; seed++ {
			fields = append(fields, field{seed, 40000, 39})
		}
		fields = append(fields, field{202, 40000, 14}, field{202, 40000, 29}, field{217, 40000, 39}, field{218, 40000, 19}, field{218, 40000, 39}, field{103, 6000, 9})
	}
	for _, f := range fields {
		c, err := mock.New("sky", mock.Options{Rows: f.rows, Seed: f.seed})
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]mock.Column{}
		for i, col := range c.Fill(0, f.rows) {
			all[c.Fields()[i].Name] = col
		}
		var cols [5][]float64
		var truth []int64
		for i, null := range all["parallax"].Null {
			if null {
				continue
			}
			for j, name := range []string{"ra", "dec", "pmra", "pmdec", "parallax"} {
				cols[j] = append(cols[j], all[name].Float64[i])
			}
			truth = append(truth, all["true_cluster"].Int64[i])
		}
		s, p := plateauOf(t, columns(t, cols[:]...), neighbors.Sky().Scaled(.25*neighbors.Degree, .6, .6, .2), f.k)
		if got := s.Steps[p.Step].Clusters; got != len(c.Clusters()) {
			t.Errorf("%+v: %d clusters at %v, %d were made", f, got, p.Epsilon, len(c.Clusters()))
		}
		// Most rows of each cluster that was made are in one that was found.
		found, made := map[[2]int64]int64{}, map[int64]int64{}
		for i, label := range s.Labels(p.Step) {
			if made[truth[i]]++; label != Noise {
				found[[2]int64{truth[i], int64(label)}]++
			}
		}
		for k := range int64(len(c.Clusters())) {
			best := int64(0)
			for pair, n := range found {
				if pair[0] == k {
					best = max(best, n)
				}
			}
			if 2*best < made[k] {
				t.Errorf("%+v: of cluster %d, %d of %d rows are found", f, k, best, made[k])
			}
		}
	}
}

// A dense cluster lasts over a wider range of radii than sparse ones do: the plateau
// is where all are there, not where it is alone.
func TestPlateauHasClustersOfEveryDensity(t *testing.T) {
	var x []float64
	for i := range 10 {
		x = append(x, float64(i)/10, 100+float64(i), 200+float64(i))
	}
	points := columns(t, x)
	s, err := ScanRadii(context.Background(), points, neighbors.Euclidean(), RadiiBetween(.05, 2, 60), Options{MinPoints: 3})
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := s.Plateau(); !ok || s.Steps[p.Step].Clusters != 3 {
		t.Errorf("plateau %+v, %v with %+v", p, ok, s.Steps[p.Step])
	}
}

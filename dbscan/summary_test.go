package dbscan

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"skyjoin/neighbors"
)

// summary runs and summarizes.
func summary(t *testing.T, points *neighbors.Points, metric neighbors.Metric, eps float64, opt Options) (*Result, []Cluster) {
	t.Helper()
	r, err := Run(context.Background(), points, metric, eps, opt)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Summarize(context.Background(), points, metric, r, Join{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c) != r.Clusters() {
		t.Fatalf("%d summaries of %d clusters", len(c), r.Clusters())
	}
	for k := range c {
		if c[k].Label != int32(k) || c[k].Size != r.Sizes[k] {
			t.Fatalf("summary %d: label %d, size %d, want size %d", k, c[k].Label, c[k].Size, r.Sizes[k])
		}
	}
	return r, c
}

func near(a, b []float64, tolerance float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= tolerance })
}

func TestSummarizePlane(t *testing.T) {
	// A cluster of four, one of two, one row of noise.
	x := []float64{0, 1, 2, 3, 10, 11, 30}
	y := make([]float64, 7)
	_, c := summary(t, columns(t, x, y), neighbors.Euclidean(), 1, Options{MinPoints: 2})
	if len(c) != 2 {
		t.Fatalf("%d clusters, want 2", len(c))
	}
	if c[0].Core != 4 || !near(c[0].Centre, []float64{1.5, 0}, 0) || c[0].Extent != 1.5 || !near(c[0].Deviation, []float64{math.Sqrt(1.25), 0}, 1e-15) {
		t.Errorf("cluster 0: %+v", c[0])
	}
	if !near(c[1].Centre, []float64{10.5, 0}, 0) || c[1].Extent != .5 || c[1].Nearest != 0 || c[1].Separation != 9 || c[0].Nearest != 1 {
		t.Errorf("cluster 1: %+v", c[1])
	}

	_, one := summary(t, columns(t, x[:4], y[:4]), neighbors.Euclidean(), 1, Options{MinPoints: 3})
	if len(one) != 1 || one[0].Size != 4 || one[0].Core != 2 || one[0].Nearest != Noise || !math.IsNaN(one[0].Separation) {
		t.Errorf("a cluster alone: %+v", one)
	}
	if _, none := summary(t, columns(t, x, y), neighbors.Euclidean(), 1, Options{MinPoints: 9}); len(none) != 0 {
		t.Errorf("no clusters: %+v", none)
	}
}

func TestSummarizeSky(t *testing.T) {
	// Across RA 0, around the north pole, and around the south pole.
	ra := []float64{359, 1, 0, 0, 0, 90, 180, 270, 12}
	dec := []float64{0, 0, 1, -1, 89, 89, 89, 89, -90}
	_, c := summary(t, columns(t, ra, dec), neighbors.Sky(), 2*neighbors.Degree, Options{MinPoints: 1})
	if len(c) != 3 {
		t.Fatalf("%d clusters, want 3", len(c))
	}
	if !near([]float64{math.Remainder(c[0].Centre[0], 360), c[0].Centre[1]}, []float64{0, 0}, 1e-13) {
		t.Errorf("centre across RA 0: %v", c[0].Centre)
	}
	if !near(c[0].Deviation, []float64{math.Sqrt(.5), math.Sqrt(.5)}, 1e-12) || math.Abs(c[0].Extent-neighbors.Degree) > 1e-14 {
		t.Errorf("about RA 0: deviation %v, extent %v", c[0].Deviation, c[0].Extent)
	}
	if c[1].Centre[1] != 90 || math.Abs(c[1].Extent-neighbors.Degree) > 1e-14 || math.Abs(math.Hypot(c[1].Deviation[0], c[1].Deviation[1])-1) > 1e-12 {
		t.Errorf("north pole: %+v", c[1])
	}
	if c[2].Centre[1] != -90 || c[2].Extent != 0 || c[2].Nearest != 0 || math.Abs(c[2].Separation-math.Pi/2) > 1e-14 {
		t.Errorf("south pole: %+v", c[2])
	}
}

func TestSummarizeSkyDistance(t *testing.T) {
	// (3, 0, 0) and (5, 0, 0) in space; (0, 100, 0).
	p := columns(t, []float64{0, 0, 90}, []float64{0, 0, 0}, []float64{3, 5, 100})
	_, c := summary(t, p, neighbors.SkyDistance(), 2, Options{MinPoints: 1})
	if len(c) != 2 || !near(c[0].Centre, []float64{0, 0, 4}, 1e-15) || !near(c[0].Deviation, []float64{0, 0, 1}, 1e-15) || c[0].Extent != 1 {
		t.Errorf("%+v", c)
	}
	if c[1].Extent != 0 {
		t.Errorf("one row is %v away from itself", c[1].Extent)
	}
	if math.Abs(c[0].Separation-math.Sqrt(4*4+100*100)) > 1e-12 {
		t.Errorf("separation %v", c[0].Separation)
	}
}

func TestSummarizePeriodic(t *testing.T) {
	x := []float64{9.5, .5, 5, 10, 9}
	y := []float64{1, 2, 1e6, 3, 4}
	_, c := summary(t, columns(t, x, y), neighbors.Periodic(10, 0), 3, Options{MinPoints: 1})
	if len(c) != 2 || !near(c[0].Centre, []float64{9.75, 2.5}, 1e-14) {
		t.Fatalf("%+v", c)
	}
	// Offsets -.25, .75, .25, -.75.
	if !near(c[0].Deviation, []float64{math.Sqrt(.3125), math.Sqrt(1.25)}, 1e-14) || math.Abs(c[0].Extent-math.Hypot(.75, 1.5)) > 1e-14 {
		t.Errorf("deviation %v, extent %v", c[0].Deviation, c[0].Extent)
	}
}

// Centres are the same bits in any order of the rows.
func TestCentresDoNotDependOnOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const n = 3000
	ra, dec, pm := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		k := float64(i % 3)
		ra[i], dec[i], pm[i] = 359.9+k+.02*rng.NormFloat64(), 60+.01*rng.NormFloat64(), 1e9*k+rng.NormFloat64()
	}
	metric := neighbors.Sky().Scaled(.1*neighbors.Degree, 1)
	_, a := summary(t, columns(t, ra, dec, pm), metric, 1, Options{MinPoints: 5})
	order := rng.Perm(n)
	_, b := summary(t, columns(t, permuted(ra, order), permuted(dec, order), permuted(pm, order)), metric, 1, Options{MinPoints: 5})
	if len(a) != 3 || len(b) != 3 {
		t.Fatalf("%d and %d clusters, want 3", len(a), len(b))
	}
	byPM := func(x, y Cluster) int { return int(x.Centre[2]/1e8 - y.Centre[2]/1e8) }
	slices.SortFunc(a, byPM)
	slices.SortFunc(b, byPM)
	for k := range a {
		if !slices.Equal(a[k].Centre, b[k].Centre) || a[k].Extent != b[k].Extent {
			t.Errorf("cluster %d: centre %v, extent %v in one order; %v, %v in another", k, a[k].Centre, a[k].Extent, b[k].Centre, b[k].Extent)
		}
	}
}

func TestSummarizeRequests(t *testing.T) {
	r := &Result{Labels: []int32{0}, Core: []bool{true}, Sizes: []int64{1}}
	for _, p := range []*neighbors.Points{nil, columns(t, []float64{1, 2})} {
		if _, err := Summarize(context.Background(), p, neighbors.Euclidean(), r, Join{}); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("error %v, want ErrRequest", err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Summarize(ctx, columns(t, []float64{1}), neighbors.Euclidean(), r, Join{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// The open cluster NGC 103 in a field of Gaia stars.
func TestNGC103(t *testing.T) {
	names := []string{"RA_ICRS", "DE_ICRS", "pmRA", "pmDE", "Plx"}
	records, err := csv.NewReader(testdata(t, "asteca_gaia_field.csv")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	cols := make([][]float64, len(names))
	unusable := 0
	for _, rec := range records[1:] {
		row := make([]float64, len(names))
		ok := true
		for j, name := range names {
			v, err := strconv.ParseFloat(rec[slices.Index(records[0], name)], 64)
			row[j] = v
			ok = ok && err == nil && !math.IsNaN(v)
		}
		if !ok {
			unusable++
			continue
		}
		for j, v := range row {
			cols[j] = append(cols[j], v)
		}
	}
	r, c := summary(t, columns(t, cols...), neighbors.Sky().Scaled(.08*neighbors.Degree, .25, .25, .12), 1, Options{MinPoints: 15})
	if unusable != 65 || r.Clusters() != 1 || r.Largest() != 286 || r.CoreCount != 215 || r.NoiseCount != 8332 {
		t.Fatalf("unusable %d, clusters %d, largest %d, core %d, noise %d", unusable, r.Clusters(), r.Largest(), r.CoreCount, r.NoiseCount)
	}
	want := []float64{6.3132, 61.3284, -2.808, -1.065, .289}
	for j, tolerance := range []float64{6e-5, 6e-5, 6e-4, 6e-4, 6e-4} {
		if math.Abs(c[0].Centre[j]-want[j]) > tolerance {
			t.Errorf("%s: %v, want %v", names[j], c[0].Centre[j], want[j])
		}
	}
}

// Coordinates whose sums and differences are more than float64 can hold have
// centres all the same.
func TestSummarizeExtremes(t *testing.T) {
	most := math.MaxFloat64
	x := []float64{1e308, 1e308, 1e308, -most, -most, -most}
	_, c := summary(t, columns(t, x), neighbors.Euclidean(), 1, Options{MinPoints: 2})
	if len(c) != 2 || !near(c[0].Centre, []float64{1e308}, 1e293) || c[1].Centre[0] != -most || c[0].Extent != 0 {
		t.Errorf("%+v", c)
	}
	// Far outside of the box, and across it: the images are 4 and -4.
	_, c = summary(t, columns(t, []float64{0x1p1023, -0x1p1023}), neighbors.Periodic(12), 4, Options{MinPoints: 2})
	if at := math.Mod(0x1p1023, 12); len(c) != 1 || at != 8 && at != 4 || c[0].Centre[0] != 6 || c[0].Deviation[0] != 2 {
		t.Errorf("%+v", c)
	}
}

// What describes a cluster is the same to the last bit in any order of the rows,
// on the plane, on the sky and in a box.
func TestSummaryInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 18))
	var x, y []float64
	for i := range 400 { // two groups of 200 and 190, and noise
		far := 40 * float64(i%2)
		if i > 380 {
			far = 200 + 7*float64(i-380)
		}
		x, y = append(x, math.Mod(359+rng.NormFloat64()+far+360, 360)), append(y, rng.NormFloat64()+far/4)
	}
	for _, c := range []struct {
		metric neighbors.Metric
		eps    float64
	}{
		{neighbors.Euclidean(), 3}, {neighbors.Sky(), 3 * neighbors.Degree}, {neighbors.Periodic(360, 0), 3},
	} {
		var want []Cluster
		for range 5 {
			order := rng.Perm(len(x))
			_, got := summary(t, columns(t, permuted(x, order), permuted(y, order)), c.metric, c.eps, Options{MinPoints: 8})
			slices.SortFunc(got, func(a, b Cluster) int { return cmp.Or(cmp.Compare(a.Size, b.Size), cmp.Compare(a.Extent, b.Extent)) })
			if want == nil {
				want = got
			}
			if len(got) < 2 || !slices.EqualFunc(got, want, sameBits) {
				t.Fatalf("%v: %+v in one order, %+v in another", c.metric, want, got)
			}
		}
	}
}

// A column of values beyond the roots of float64 has no finite deviation.
func TestHugeDeviation(t *testing.T) {
	c := Cluster{Size: 2, Centre: []float64{0, 0}}
	sums := make([]squares, 2)
	for _, d := range []float64{1e200, -1e200, 1e200} {
		sums[0].add(d)
		sums[1].add(d / 1e200)
	}
	one := []Cluster{c}
	deviate(one, sums)
	if d := one[0].Deviation; !math.IsInf(d[0], 1) || d[1] != math.Sqrt(1.5) {
		t.Errorf("deviations %v", d)
	}
}

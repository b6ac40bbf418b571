package stats2b

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"skyjoin/internal/piece"
	"skyjoin/neighbors"
)

func plane(xy ...float64) *Sample {
	var x, y []float64
	for i := 0; i < len(xy); i += 2 {
		x, y = append(x, xy[i]), append(y, xy[i+1])
	}
	return &Sample{Points: must(neighbors.NewPoints(neighbors.Float64s(x), neighbors.Float64s(y)))}
}

// Cases C27, C29 and C31.
func TestCases(t *testing.T) {
	const degree = 0.017453292519943295
	twice := line(0, 0, 1)
	for _, c := range []struct {
		name   string
		a, b   *Sample
		metric neighbors.Metric
		bins   Bins
		want   []uint64
	}{
		{"periodic", line(0.5, 9.5, 5), nil, neighbors.Periodic(10), must(EdgeBins(0.1, 2, 4.6)), []uint64{1, 2}},
		{"not periodic", line(0.5, 9.5, 5), nil, neighbors.Euclidean(), must(EdgeBins(0.1, 2, 4.6)), []uint64{0, 2}},
		{"x = 0 and x = L", line(0, 10), nil, neighbors.Periodic(10), must(EdgeBins(0, 0.1)), []uint64{1}},
		{"zero separations", twice, nil, neighbors.Euclidean(), must(EdgeBins(0, 0.5, 2)), []uint64{1, 2}},
		{"with itself", twice, twice, neighbors.Euclidean(), must(EdgeBins(0, 0.5, 2)), []uint64{5, 4}},
		{"beyond 90 degrees", plane(0, 0, 100, 0, 180, 0), nil, neighbors.Sky(), must(EdgeBins(70, 90, 110, 170, 181)).In(degree), []uint64{1, 1, 0, 1}},
		{"edges are half open", line(0, 1, 3), nil, neighbors.Euclidean(), must(EdgeBins(1, 2, 3)), []uint64{1, 1}},
		{"nothing", line(0, 1), line(), neighbors.Euclidean(), must(EdgeBins(0, 2)), []uint64{0}},
		{"one", line(4), nil, neighbors.Euclidean(), must(EdgeBins(0, 2)), []uint64{0}},
	} {
		got, err := Count(t.Context(), c.a, c.b, c.metric, c.bins, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Equal(got.Pairs, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got.Pairs, c.want)
		}
	}
	_, err := Count(t.Context(), line(1, 2), nil, neighbors.Periodic(10), must(EdgeBins(0, 5.5)), Options{})
	if !errors.Is(err, neighbors.ErrRequest) || !strings.Contains(err.Error(), "5.5") || !strings.Contains(err.Error(), "5") {
		t.Errorf("rmax over L/2: %v", err)
	}
}

// Case C21: 100,000 identical points have more pairs than 32 bits count, and
// cost no distances; far outliers do not matter.
func TestIdenticalPoints(t *testing.T) {
	x := make([]float64, 100_000)
	for i := range x {
		x[i] = 1
	}
	x[500] = 1e12
	start := time.Now()
	got, err := Count(t.Context(), line(x...), nil, neighbors.Euclidean(), must(EdgeBins(0, 0.1, 1)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Pairs[0] != 4_999_850_001 || got.Over != 99_999 || got.Total != 4_999_950_000 {
		t.Errorf("%d pairs at 0 and %d beyond of %d", got.Pairs[0], got.Over, got.Total)
	}
	t.Logf("counted in %v", time.Since(start))
}

// A joiner that bins is asked, with edges that begin at 0.
type binner struct {
	neighbors.CPU
	edges []float64
}

func (b *binner) count(edges []float64) []uint64 {
	b.edges = edges
	counts := make([]uint64, len(edges)-1)
	for i := range counts {
		counts[i] = uint64(10 + i)
	}
	return counts
}

func (b *binner) BinPairs(_ context.Context, _ neighbors.Input, edges []float64) ([]uint64, error) {
	return b.count(edges), nil
}

func TestBinnerIsUsed(t *testing.T) {
	for _, c := range []struct {
		bins  Bins
		under uint64
		pairs []uint64
		edges []float64
	}{
		{must(EdgeBins(1, 2, 3)), 10, []uint64{11, 12}, []float64{0, 1, 4, 9}},
		{must(EdgeBins(0, 2, 3)), 0, []uint64{10, 11}, []float64{0, 4, 9}},
	} {
		b := &binner{}
		got, err := Count(t.Context(), line(make([]float64, 20)...), nil, neighbors.Euclidean(), c.bins, Options{Joiner: b})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(b.edges, c.edges) || got.Under != c.under || !slices.Equal(got.Pairs, c.pairs) {
			t.Errorf("edges %v make %v with %d below, want %v: %v with %d", b.edges, got.Pairs, got.Under, c.edges, c.pairs, c.under)
		}
	}
}

// Entries make the same tally again, and those of other rows do not.
func TestRestore(t *testing.T) {
	for _, s := range scenes(5, 60) {
		if s.b != nil {
			continue
		}
		want, err := CountPatches(t.Context(), s.a, nil, s.metric, s.binning, s.patches, Options{})
		if err != nil {
			t.Fatal(err)
		}
		entries, exponent := want.entries()
		got, err := restore(s.a, s.binning, s.patches, entries, exponent)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		a, b := got.Counts(), want.Counts()
		if !slices.Equal(a.Pairs, b.Pairs) || !slices.Equal(a.Weights, b.Weights) || a.Under != b.Under || a.Over != b.Over || a.TotalWeight != b.TotalWeight {
			t.Errorf("%s: %+v, want %+v", s.name, a, b)
		}
		if _, err := restore(s.a, s.binning, s.patches, append(entries, piece.Entry{PatchA: s.patches, PatchB: s.patches + 1}), exponent); err == nil {
			t.Errorf("%s: an entry of patches that are not there", s.name)
		}
		if _, err := restore(s.a, s.binning, s.patches, append(entries, piece.Entry{Pairs: 1 << 50}), exponent); err == nil {
			t.Errorf("%s: more pairs than there are", s.name)
		}
	}
	a, b := line(1, 2), line(1, 2)
	if a.digest() != b.digest() {
		t.Error("the same rows have different digests")
	}
	b.Weights = []float64{1, 1}
	if a.digest() == b.digest() || a.digest() == line(1, 3).digest() {
		t.Error("different rows have the same digest")
	}
}

// Every row has a patch, patches are compact, and the same seed makes the same.
func TestPatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	sky, box := draw(rng, 3000, 2, true, false), draw(rng, 3000, 3, false, false)
	for _, c := range []struct {
		name string
		p    *neighbors.Points
		make func() (*Patching, error)
		want int
	}{
		{"k-means on the sky", sky, func() (*Patching, error) { return KMeansPatches(12, neighbors.Sky(), sky, 4) }, 12},
		{"k-means in a box", box, func() (*Patching, error) { return KMeansPatches(8, neighbors.Euclidean(), box, 4) }, 8},
		{"pixels", sky, func() (*Patching, error) { return PixelPatches(2, neighbors.Sky(), sky) }, 48},
		{"cells", box, func() (*Patching, error) { return CellPatches(2, neighbors.Periodic(10, 10, 10), box) }, 8},
	} {
		p, err := c.make()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if p.Len() != c.want {
			t.Errorf("%s: %d patches, want %d", c.name, p.Len(), c.want)
		}
		one, err := p.Assign(c.p, 1)
		if err != nil {
			t.Fatal(err)
		}
		three := must(must(c.make()).Assign(c.p, 3))
		if !slices.Equal(one, three) {
			t.Errorf("%s: patches depend on the threads or the run", c.name)
		}
		rows := make([]int, p.Len())
		for _, k := range one {
			rows[k]++
		}
		if least, most := slices.Min(rows), slices.Max(rows); least == 0 || most > 4*3000/c.want {
			t.Errorf("%s: patches of %d to %d rows", c.name, least, most)
		}
	}
	if _, err := KMeansPatches(5, neighbors.Euclidean(), line(1, 2).Points, 0); err == nil {
		t.Error("5 patches of 2 rows")
	}
	pixels := must(PixelPatches(1, neighbors.Sky(), plane(10, 10).Points))
	if _, err := pixels.Assign(plane(10, 10, 200, -80).Points, 2); err == nil {
		t.Error("a row outside of all patches has one")
	}
}

// Along the line of sight at distances from the origin whose squares overflow or
// vanish.
func TestLineOfSightAtAnyDistance(t *testing.T) {
	for _, at := range []float64{1e160, 1e20, 1e-160} {
		next := at * 1.5
		if at > 1e100 {
			next = at * (1 + 0x1p-50) // as far as a pair can be, squared
		}
		x := []float64{at, next}
		s := &Sample{Points: must(neighbors.NewPoints(neighbors.Float64s(x), neighbors.Float64s([]float64{0, 0}), neighbors.Float64s([]float64{0, 0})))}
		pi := next - at
		binning := Binning{Bins: must(EdgeBins(0, pi/4)), Plane: RpPi, Across: must(EdgeBins(0, pi/2, pi*2))}
		got, err := CountPatches(t.Context(), s, nil, neighbors.Euclidean(), binning, 0, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want := []uint64{0, 1}; !slices.Equal(got.Counts().Pairs, want) {
			t.Errorf("at %v: %v, want %v", at, got.Counts().Pairs, want)
		}
	}
}

// Cells of a range that is more than float64 can hold.
func TestCellsOfAVastRange(t *testing.T) {
	p := line(-1.7e308, -1e307, 1e307, 1.7e308).Points
	cells, err := CellPatches(2, neighbors.Euclidean(), p)
	if err != nil {
		t.Fatal(err)
	}
	if got := must(cells.Assign(p, 1)); !slices.Equal(got, []int32{0, 0, 1, 1}) {
		t.Errorf("cells %v", got)
	}
}

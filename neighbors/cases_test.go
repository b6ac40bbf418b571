package neighbors_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"skyjoin/neighbors"
)

// points makes points of columns.
func points(t testing.TB, columns ...[]float64) *neighbors.Points {
	t.Helper()
	cols := make([]neighbors.Column, len(columns))
	for j, c := range columns {
		cols[j] = neighbors.Float64s(c)
	}
	p, err := neighbors.NewPoints(cols...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// pairs returns the unordered pairs of a self-join, or all of A ⋈ B.
func pairs(t *testing.T, in neighbors.Input, radius float64) (list [][2]uint32, dist []float64) {
	t.Helper()
	p, err := neighbors.Prepare(context.Background(), in, neighbors.Within{Radius: radius, Distance: true})
	if err != nil {
		t.Fatal(err)
	}
	table, err := neighbors.Collect(context.Background(), neighbors.CPU{}, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range table.Len() {
		for k, j := range table.List(i) {
			if in.Data != nil || uint32(i) < j {
				list = append(list, [2]uint32{uint32(i), j})
				dist = append(dist, table.Dists(i)[k])
			}
		}
	}
	return list, dist
}

func wantPairs(t *testing.T, got [][2]uint32, want ...[2]uint32) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("pairs %v, want %v", got, want)
	}
}

// A distance that was reported finds its pair when it is the radius.
func TestReportedDistanceFindsPair(t *testing.T) {
	in := neighbors.Input{Query: points(t, []float64{0, 1}, []float64{0, 1}, []float64{0, 1})}
	got, dist := pairs(t, in, 1.7320508075688772)
	wantPairs(t, got, [2]uint32{0, 1})
	if dist[0] != 1.7320508075688772 {
		t.Errorf("distance %v", dist[0])
	}
	got, _ = pairs(t, in, 1.732050807568877)
	wantPairs(t, got)
}

func TestLargeOffsets(t *testing.T) {
	got, dist := pairs(t, neighbors.Input{Query: points(t, []float64{1e9, 1e9 + .25, 1e9 + 40}, []float64{0, 0, 0})}, 1)
	wantPairs(t, got, [2]uint32{0, 1})
	if dist[0] != .25 {
		t.Errorf("distance %v, want 0.25", dist[0])
	}
	got, _ = pairs(t, neighbors.Input{Query: points(t, []float64{100000, 100001})}, .5)
	wantPairs(t, got)
}

func TestSkyUnits(t *testing.T) {
	const degree = math.Pi / 180
	sky := func(ra, dec []float64) neighbors.Input {
		return neighbors.Input{Query: points(t, ra, dec), Metric: neighbors.Sky()}
	}
	got, _ := pairs(t, sky([]float64{0, 7}, []float64{0, 0}), .8*degree)
	wantPairs(t, got)
	got, dist := pairs(t, sky([]float64{10, 11}, []float64{80, 80}), .2*degree)
	wantPairs(t, got, [2]uint32{0, 1})
	if d := dist[0] / degree; math.Abs(d-.17364604) > 1e-8 {
		t.Errorf("separation %v°", d)
	}
}

func TestPoles(t *testing.T) {
	const arcsec = math.Pi / 180 / 3600
	for _, c := range []struct {
		ra, dec [2]float64
		want    float64 // arcsec
	}{
		{[2]float64{0, 180}, [2]float64{89.9999, 89.9999}, .72},
		{[2]float64{0, .1}, [2]float64{89.9, 89.9}, .6283},
		{[2]float64{10, 200}, [2]float64{90, 90}, 0},
		{[2]float64{359.9999, 0.0001}, [2]float64{0, 0}, .72},
	} {
		got, dist := pairs(t, neighbors.Input{Query: points(t, c.ra[:], c.dec[:]), Metric: neighbors.Sky()}, arcsec)
		wantPairs(t, got, [2]uint32{0, 1})
		if len(dist) == 1 && math.Abs(dist[0]/arcsec-c.want) > 1e-4 {
			t.Errorf("%v %v: separation %v″, want %v″", c.ra, c.dec, dist[0]/arcsec, c.want)
		}
	}
}

func TestTooManyNeighbours(t *testing.T) {
	in := neighbors.Input{Query: points(t, []float64{0, 1, 3})}
	p, err := neighbors.Prepare(context.Background(), in, neighbors.Nearest{K: 2})
	if err != nil {
		t.Fatal(err)
	}
	table, err := neighbors.Collect(context.Background(), neighbors.CPU{}, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint32{1, 2, 0, 2, 1, 0}; !slices.Equal(table.Index, want) {
		t.Errorf("neighbours %v, want %v", table.Index, want)
	}
	if want := []float64{1, 3, 1, 2, 2, 3}; !slices.Equal(table.Dist, want) {
		t.Errorf("distances %v, want %v", table.Dist, want)
	}
	_, err = neighbors.Prepare(context.Background(), in, neighbors.Nearest{K: 3})
	if !errors.Is(err, neighbors.ErrRequest) || !strings.Contains(err.Error(), "k=3, which is more than the number of other rows, 2") {
		t.Errorf("error %v", err)
	}
	in.Data = in.Query
	if _, err = neighbors.Prepare(context.Background(), in, neighbors.Nearest{K: 3}); err != nil {
		t.Errorf("k=3 of 3 rows: %v", err)
	}
}

// 100,000 points in one place: no pair is looked at, and the count does not
// fit 32 bits.
func TestIdenticalPoints(t *testing.T) {
	const n = 100_000
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = 1, 2
	}
	in := neighbors.Input{Query: points(t, x, y)}
	p, err := neighbors.Prepare(context.Background(), in, neighbors.Within{Radius: .1})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []neighbors.Algorithm{neighbors.Grid, neighbors.KDTree} {
		count := make([]int64, n)
		if err := (neighbors.CPU{Algorithm: a}).Count(context.Background(), p, p.Work(), count); err != nil {
			t.Fatal(err)
		}
		if got := sum(count) / 2; got != 4_999_950_000 {
			t.Errorf("%s: %d pairs", a, got)
		}
	}
	p, err = neighbors.Prepare(context.Background(), in, neighbors.Nearest{K: 3})
	if err != nil {
		t.Fatal(err)
	}
	table, err := neighbors.Collect(context.Background(), neighbors.CPU{}, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []int{0, 1, 2, 3, 50_000, n - 1} {
		want := []uint32{0, 1, 2, 3}
		want = slices.DeleteFunc(want, func(k uint32) bool { return k == uint32(r) })[:3]
		if !slices.Equal(table.List(r), want) {
			t.Errorf("row %d has neighbours %v, want %v", r, table.List(r), want)
		}
	}
}

// A radius beyond the extent makes lists of all rows. They stream in batches
// that respect the memory, or are counted without being made.
func TestRadiusBeyondExtent(t *testing.T) {
	const n = 50_000
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = r.Float64(), r.Float64()
	}
	p, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: points(t, x, y)}, neighbors.Within{Radius: 2})
	if err != nil {
		t.Fatal(err)
	}
	count := make([]int64, n)
	if err := (neighbors.CPU{}).Count(context.Background(), p, p.Work(), count); err != nil {
		t.Fatal(err)
	}
	if got := sum(count) / 2; got != 1_249_975_000 {
		t.Errorf("%d pairs", got)
	}
	cpu := neighbors.CPU{Memory: p.Memory() + 4<<20, Threads: 2}
	seen := 0
	for b, err := range cpu.Join(context.Background(), p, p.Work()) {
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Index)*4 > 1<<20 {
			t.Fatalf("a batch takes %d bytes", len(b.Index)*4)
		}
		for i := range b.Rows {
			if len(b.List(i)) != n-1 {
				t.Fatalf("row %d has %d neighbours", b.Rows[i], len(b.List(i)))
			}
		}
		if seen += len(b.Rows); seen > 1000 {
			break
		}
	}
	if _, err := neighbors.Collect(context.Background(), neighbors.CPU{}, p, 1e9); !errors.Is(err, neighbors.ErrMemory) || !strings.Contains(err.Error(), "2499950000") {
		t.Errorf("error %v", err)
	}
}

func TestMemoryRefused(t *testing.T) {
	in := neighbors.Input{Query: points(t, make([]float64, 10000)), Memory: 1000}
	if _, err := neighbors.Prepare(context.Background(), in, neighbors.Within{Radius: 1}); !errors.Is(err, neighbors.ErrMemory) || !strings.Contains(err.Error(), " 1000 ") {
		t.Errorf("error %v", err)
	}
	in.Memory = 0
	p, err := neighbors.Prepare(context.Background(), in, neighbors.Within{Radius: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range (neighbors.CPU{Memory: 1000}).Join(context.Background(), p, p.Work()) {
		if !errors.Is(err, neighbors.ErrMemory) || !strings.Contains(err.Error(), " 1000 ") {
			t.Errorf("error %v", err)
		}
	}
	// A list that must be whole but has no room is an error, never cut.
	cpu := neighbors.CPU{Memory: p.Memory() + 2*4*4096, Threads: 2}
	var last error
	for _, err := range cpu.Join(context.Background(), p, p.Work()) {
		last = err
	}
	if !errors.Is(last, neighbors.ErrMemory) {
		t.Errorf("error %v", last)
	}
	// Lists that are filled up take as much room as others.
	if p, err = neighbors.Prepare(context.Background(), in, neighbors.Nearest{K: 1 << 20, Pad: true}); err != nil {
		t.Fatal(err)
	}
	for _, err := range (neighbors.CPU{Memory: 10 << 20, Threads: 2}).Join(context.Background(), p, p.Work()) {
		if !errors.Is(err, neighbors.ErrMemory) || !strings.Contains(err.Error(), "10.0 MiB are allowed") {
			t.Fatalf("error %v", err)
		}
	}
}

// Pairs are the same however the rows are divided.
func TestDivided(t *testing.T) {
	x := make([]float64, 10)
	for i := range x {
		x[i] = float64(i) / 2
	}
	p, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: points(t, x)}, neighbors.Within{Radius: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, parts := range []int{1, 2, 3, 10} {
		total := 0
		for part := range parts {
			var rows []uint32
			for i := part; i < len(x); i += parts {
				rows = append(rows, uint32(i))
			}
			for b, err := range (neighbors.CPU{}).Join(context.Background(), p, neighbors.NewWork(rows, nil)) {
				if err != nil {
					t.Fatal(err)
				}
				total += len(b.Index)
			}
		}
		if total != 2*17 {
			t.Errorf("%d parts: %d pairs, want 17", parts, total/2)
		}
	}
}

func TestPeriodicBox(t *testing.T) {
	in := neighbors.Input{Query: points(t, []float64{.5, 9.5, 5, 0, 10}), Metric: neighbors.Periodic(10)}
	got, dist := pairs(t, in, 1)
	wantPairs(t, got, [2]uint32{0, 1}, [2]uint32{0, 3}, [2]uint32{0, 4}, [2]uint32{1, 3}, [2]uint32{1, 4}, [2]uint32{3, 4})
	if want := []float64{1, .5, .5, .5, .5, 0}; !slices.Equal(dist, want) {
		t.Errorf("distances %v, want %v", dist, want)
	}
	_, err := neighbors.Prepare(context.Background(), in, neighbors.Within{Radius: 5.5})
	if !errors.Is(err, neighbors.ErrRequest) || !strings.Contains(err.Error(), "5.5") || !strings.Contains(err.Error(), " 5") {
		t.Errorf("error %v", err)
	}
}

// Costs are the candidates of a row, so never fewer than its neighbours and
// itself.
func TestCost(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x, y := make([]float64, 5000), make([]float64, 5000)
	for i := range x {
		x[i], y[i] = r.ExpFloat64(), r.ExpFloat64()
	}
	p, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: points(t, x, y)}, neighbors.Within{Radius: .05})
	if err != nil {
		t.Fatal(err)
	}
	count := make([]int64, p.Len())
	if err := neighbors.Count(context.Background(), neighbors.CPU{}, p, p.Work(), count); err != nil {
		t.Fatal(err)
	}
	var cost, found int64
	for i, n := range count {
		c := p.Cost(uint32(i))
		if c < n+1 {
			t.Fatalf("row %d costs %d but has %d neighbours", i, c, n)
		}
		cost, found = cost+c, found+n
	}
	if cost > 5*found {
		t.Errorf("%d candidates for %d neighbours: the grid prunes nothing", cost, found)
	}
}

func TestAlgorithmRefused(t *testing.T) {
	p, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: points(t, []float64{1, 2})}, neighbors.Nearest{K: 3, Pad: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []neighbors.Algorithm{neighbors.Grid, "quadtree"} {
		_, err := neighbors.Collect(context.Background(), neighbors.CPU{Algorithm: a}, p, 0)
		if !errors.Is(err, neighbors.ErrRequest) || !strings.Contains(err.Error(), fmt.Sprint(a)) {
			t.Errorf("%s: error %v", a, err)
		}
	}
	err = neighbors.CPU{}.Count(context.Background(), p, p.Work(), make([]int64, 2))
	if !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("counting the nearest: error %v", err)
	}
}

func sum(v []int64) int64 {
	var s int64
	for _, n := range v {
		s += n
	}
	return s
}

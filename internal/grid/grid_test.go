package grid

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/column"
	"skyjoin/internal/kernel"
)

func source(columns ...[]float64) Source {
	var s Source
	for _, c := range columns {
		s.Columns = append(s.Columns, column.Column{Float64: c})
	}
	return s
}

func random(r *rand.Rand, n, d int, f func() float64) Source {
	columns := make([][]float64, d)
	for j := range columns {
		columns[j] = make([]float64, n)
		for i := range columns[j] {
			columns[j][i] = f()
		}
	}
	return source(columns...)
}

// difference is the minimum image difference of one coordinate, as computed.
func difference(x, y, side float64) float64 {
	d := math.Abs(x - y)
	if side > 0 {
		d = min(d, side-d)
	}
	return d
}

// verify checks a grid of a source, and that a sweep finds every pair within the
// radius in every dimension once, and by the right arithmetic.
func verify(t *testing.T, cfg Config, query, data Source) {
	t.Helper()
	g := NewGeometry(cfg, query, data)
	q, err := g.Build(context.Background(), query, 3)
	if err != nil {
		t.Fatal(err)
	}
	d, err := g.Build(context.Background(), data, 1)
	if err != nil {
		t.Fatal(err)
	}
	verifyOrder(t, q, query)
	verifyOrder(t, d, data)
	sweep := NewSweep(q, d)
	jumping := NewSweep(q, d)
	r := rand.New(rand.NewPCG(9, 9))
	order := r.Perm(q.Cells())
	for _, cell := range order {
		jumping.Visit(cell)
	}
	verifyForward(t, q)
	seen := make([]int, d.Points.N)
	for cell := range q.Cells() {
		sweep.Visit(cell)
		if jumping.Visit(cell); !slices.Equal(jumping.Direct, sweep.Direct) || !slices.Equal(jumping.Wrapped, sweep.Wrapped) {
			t.Fatalf("%v: cell %d: runs depend on the order of visits", g, cell)
		}
		points := 0
		for _, c := range sweep.Cells {
			points += int(d.Start[c.Hi] - d.Start[c.Lo])
		}
		if points != Points(sweep.Direct)+Points(sweep.Wrapped) {
			t.Fatalf("%v: cell %d: cells %v have %d points, the runs %v and %v others", g, cell, sweep.Cells, points, sweep.Direct, sweep.Wrapped)
		}
		clear(seen)
		mark := func(runs []kernel.Run, as int) {
			for _, run := range runs {
				if run.Lo >= run.Hi {
					t.Fatalf("%v: empty run %v", g, run)
				}
				for j := run.Lo; j < run.Hi; j++ {
					if seen[j] != 0 {
						t.Fatalf("%v: cell %d: point %d is in two runs", g, cell, j)
					}
					seen[j] = as
				}
			}
		}
		mark(sweep.Direct, 1)
		mark(sweep.Wrapped, 2)
		for i := int(q.Start[cell]); i < int(q.Start[cell+1]); i++ {
			for j := range d.Points.N {
				near, turns := true, false
				for c := range query.Columns {
					x, y := q.Points.Data[c*q.Points.Stride+i], d.Points.Data[c*d.Points.Stride+j]
					near = near && difference(x, y, cfg.side(c)) <= cfg.Radius
					turns = turns || difference(x, y, cfg.side(c)) < math.Abs(x-y)
				}
				if near && (seen[j] == 0 || turns && seen[j] != 2) {
					t.Fatalf("%v: points %d and %d are near, turning round: %v, but found as %d", g, i, j, turns, seen[j])
				}
			}
		}
	}
}

// verifyForward checks that a forward sweep finds what a sweep does from the
// cell on, the cell first, and all that wraps.
func verifyForward(t *testing.T, g *Grid) {
	t.Helper()
	if g.Geometry.AllWrap() {
		return
	}
	sweep, forward, rows := NewSweep(g, g), NewForwardSweep(g), NewSweep(g, g)
	for cell := range g.Cells() {
		sweep.Visit(cell)
		if !g.Geometry.wraps {
			// The row alone, on its own or before all.
			row := rows.Row(cell)
			if row.Lo > g.Start[cell] || row.Hi < g.Start[cell+1] || !slices.ContainsFunc(sweep.Direct, func(r kernel.Run) bool { return r.Lo <= row.Lo && row.Hi <= r.Hi }) {
				t.Fatalf("%v: cell %d: its row is %v, of %v", g.Geometry, cell, row, sweep.Direct)
			}
			if cell%7 < 4 { // some after each other, some passed over
				alone := rows.Alone(cell)
				for range 2 { // a look at the row spoils nothing that was found ahead
					rows.Row(cell)
					if rows.Visit(cell); !slices.Equal(rows.Direct, sweep.Direct) || !slices.Equal(rows.Cells, sweep.Cells) {
						t.Fatalf("%v: cell %d: after a look at the row %v in %v, want %v in %v", g.Geometry, cell, rows.Direct, rows.Cells, sweep.Direct, sweep.Cells)
					}
				}
				if alone > 0 && Points(sweep.Direct) != 1 {
					t.Fatalf("%v: cell %d is told to be alone with %v", g.Geometry, cell, sweep.Direct)
				}
			}
		}
		forward.Visit(cell)
		var want []kernel.Run
		for _, r := range sweep.Direct {
			if r.Hi > g.Start[cell] {
				want = append(want, kernel.Run{Lo: max(r.Lo, g.Start[cell]), Hi: r.Hi})
			}
		}
		if !slices.Equal(forward.Direct, want) || want[0].Lo != g.Start[cell] || want[0].Hi < g.Start[cell+1] {
			t.Fatalf("%v: cell %d: forward runs %v, want %v", g.Geometry, cell, forward.Direct, want)
		}
		if !slices.Equal(forward.Wrapped, sweep.Wrapped) {
			t.Fatalf("%v: cell %d: forward, %v wrap, want %v", g.Geometry, cell, forward.Wrapped, sweep.Wrapped)
		}
	}
}

func verifyOrder(t *testing.T, g *Grid, s Source) {
	t.Helper()
	rows := slices.Clone(g.Rows())
	for i, r := range rows {
		for c := range s.Columns {
			if g.Points.Data[c*g.Points.Stride+i] != s.Columns[c].At(int(r)) {
				t.Fatalf("position %d does not hold row %d", i, r)
			}
		}
		if cell := g.Cell(i); uint32(i) < g.Start[cell] || uint32(i) >= g.Start[cell+1] {
			t.Fatalf("position %d is not in cell %d", i, cell)
		}
	}
	for cell := range g.Cells() {
		if !slices.IsSorted(rows[g.Start[cell]:g.Start[cell+1]]) {
			t.Fatalf("rows of cell %d are not in order", cell)
		}
		if g.Start[cell] == g.Start[cell+1] {
			t.Fatalf("cell %d is empty", cell)
		}
	}
	slices.Sort(rows)
	for i, r := range rows {
		if int(r) != i {
			t.Fatalf("row %d is missing", i)
		}
	}
	if g.Points.Stride%16 != 8 || g.Points.Stride < g.Points.N+kernel.Slack || len(g.Points.ID) < g.Points.N+kernel.Slack {
		t.Fatalf("%d points have stride %d and %d ids", g.Points.N, g.Points.Stride, len(g.Points.ID))
	}
}

func TestShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	a, b := random(r, 150, 3, r.Float64), random(r, 120, 3, r.Float64)
	for _, dims := range [][]int{{}, {1}, {0, 1}, {2, 0}, {0, 1, 2}} {
		for _, leading := range []int{1, 2, 3} {
			for _, last := range []int{1, 2, 8} {
				for _, side := range [][]float64{nil, {1, 1, 1}, {1, 0, 1}} {
					for _, radius := range []float64{.05, .13, .3, .5} {
						sh := shape{dims: dims, leading: leading, last: last}
						verify(t, Config{Radius: radius, Side: side, shape: &sh}, a, b)
					}
				}
			}
		}
	}
}

func TestChosenShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for d := 1; d <= 8; d++ {
		for _, radius := range []float64{.01, .1, .2, .5} {
			verify(t, Config{Radius: radius}, random(r, 200, d, r.Float64), random(r, 200, d, r.Float64))
			side := make([]float64, d)
			for j := range side {
				side[j] = 1
			}
			verify(t, Config{Radius: radius, Side: side}, random(r, 200, d, r.Float64), random(r, 200, d, r.Float64))
		}
	}
}

// Differences that are exactly the radius, at every place of a cell.
func TestTies(t *testing.T) {
	var x []float64
	for i := range 200 {
		x = append(x, float64(i)*.1, float64(i)*.1+1e-17, 1e9+float64(i)/64)
	}
	for _, radius := range []float64{.1, .2, .30000000000000004, 1. / 64, 1. / 32} {
		for reach := range 8 {
			sh := shape{dims: []int{0}, leading: 1, last: reach + 1}
			verify(t, Config{Radius: Reach(radius * radius), shape: &sh}, source(x), source(x))
		}
	}
}

func TestSlabs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, spread := range []float64{1, 1e3, 1e12, 1e300, math.MaxFloat64} {
		s := random(r, 150, 3, func() float64 {
			if r.IntN(3) == 0 {
				return (2*r.Float64() - 1) * spread
			}
			return float64(r.IntN(20)) * .5
		})
		for _, last := range []int{1, 2, 8} {
			sh := shape{dims: []int{0, 1, 2}, leading: 2, last: last}
			verify(t, Config{Radius: .5 * (1 + 1e-15), shape: &sh}, s, s)
		}
	}
	// Twenty bits of uniform cells in six dimensions do not fit a key.
	s := random(r, 150, 6, func() float64 { return float64(r.IntN(1 << 20)) })
	sh := shape{dims: []int{0, 1, 2, 3, 4, 5}, leading: 1, last: 1}
	verify(t, Config{Radius: 1, shape: &sh}, s, s)
	side := []float64{1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20}
	verify(t, Config{Radius: 1, Side: side, shape: &sh}, s, s)
	// Nor do those of six dimensions in which every point has a slab of its own.
	s = random(r, 1300, 6, func() float64 { return float64(r.IntN(1<<40)) * 1e200 })
	g := NewGeometry(Config{Radius: 1, shape: &sh}, s, s)
	if len(g.axes) != 5 {
		t.Errorf("%d axes, want one to be given up: %v", len(g.axes), g)
	}
	verify(t, Config{Radius: 1, shape: &sh}, s, s)
}

// Any shape, radii up to half of a side, open and periodic axes, and coordinates
// at the edges of boxes and cells, the side itself included, which scales can
// make of one just below.
func TestRandomShapes(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 11))
		dim := 1 + r.IntN(4)
		unit := []float64{1, 1, 1e-100, 1e100}[r.IntN(4)]
		radius := unit * []float64{.05, .1, .125, .185, .25, .5, r.Float64() / 2}[r.IntN(7)]
		side := make([]float64, dim)
		for j := range side {
			for side[j] = unit * []float64{0, 1, 1, .37, 3}[r.IntN(5)]; side[j] > 0 && radius > side[j]/2; side[j] *= 2 {
			}
		}
		sh := shape{dims: r.Perm(dim)[:r.IntN(dim+1)], leading: 1 + r.IntN(3), last: []int{1, 2, 4, 8}[r.IntN(4)]}
		draw := func() Source {
			cols := make([][]float64, dim)
			n := 1 + r.IntN(80)
			for j, l := range side {
				width := l
				if l == 0 {
					width = 2 * unit
				}
				for range n {
					x := width * r.Float64()
					switch k := float64(r.IntN(12)); r.IntN(4) {
					case 0:
						x = []float64{0, width, math.Nextafter(width, 0), 5e-324, width / 2}[r.IntN(5)]
					case 1:
						x = min(k*radius, width)
					case 2:
						x = min(k*radius*widen, width)
					}
					cols[j] = append(cols[j], x)
				}
			}
			return source(cols...)
		}
		a := draw()
		b := a
		if r.IntN(2) == 0 {
			b = draw()
		}
		verify(t, Config{Radius: Reach(radius * radius), Side: side, shape: &sh}, a, b)
	}
}

// The order does not depend on the number of threads.
func TestThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	s := random(r, 5000, 2, r.ExpFloat64)
	g := NewGeometry(Config{Radius: .01, Threads: 1}, s, s)
	one, err := g.Build(context.Background(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{2, 3, 7, 64} {
		h := NewGeometry(Config{Radius: .01, Threads: threads}, s, s)
		many, err := h.Build(context.Background(), s, threads)
		if err != nil {
			t.Fatal(err)
		}
		if h.String() != g.String() || !slices.Equal(one.Rows(), many.Rows()) || !slices.Equal(one.keys, many.keys) || !slices.Equal(one.Start, many.Start) {
			t.Errorf("%d threads make another grid", threads)
		}
	}
}

// What the model must get right: cells of the radius for few neighbours, finer
// ones for many, the dimensions that prune.
func TestChoice(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	const n = 100_000
	shapeFor := func(s Source, radius float64) shape {
		cfg := Config{Radius: radius}
		least, most := bounds(1, s, s)
		sample := take(&cfg, s, s, least, most)
		return sample.choose(vectorPair)
	}
	plane := random(r, n, 2, r.Float64)
	few := shapeFor(plane, math.Sqrt(20/(math.Pi*n)))
	if few.leading != 1 || len(few.dims) != 2 {
		t.Errorf("20 neighbours: %+v", few)
	}
	many := shapeFor(plane, math.Sqrt(1500/(math.Pi*n)))
	if many.leading < 2 || many.last != 8 {
		t.Errorf("1,500 neighbours: %+v", many)
	}
	// The share of pairs within the radius is that of a disk's bounding square,
	// whoever is sampled: a row is no neighbour of its own.
	cfg := Config{Radius: .01}
	least, most := bounds(1, plane, plane)
	if sample := take(&cfg, plane, plane, least, most); math.Abs(sample.frac[2]/4e-4-1) > .3 {
		t.Errorf("share of pairs %g, want about 4e-4", sample.frac[2])
	}
	flat := random(r, n, 3, r.Float64)
	clear(flat.Columns[1].Float64)
	if sh := shapeFor(flat, .01); slices.Contains(sh.dims, 1) {
		t.Errorf("the constant dimension is gridded: %+v", sh)
	}
	if sh := shapeFor(plane, 5); len(sh.dims) != 0 {
		t.Errorf("a radius over the extent is gridded: %+v", sh)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := source([]float64{1, 2, 3})
	if _, err := NewGeometry(Config{Radius: 1}, s, s).Build(ctx, s, 1); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

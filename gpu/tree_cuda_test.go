//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// A shape is how the coordinates of points are chosen.
type shape struct {
	name string
	at   func(g *rand.Rand, i, j int) float64
}

var shapes = []shape{
	{"even", func(g *rand.Rand, _, _ int) float64 { return 10 * g.Float64() }},
	{"exponential", func(g *rand.Rand, _, _ int) float64 { return min(g.ExpFloat64(), 10) }},
	{"lattice", func(g *rand.Rand, _, _ int) float64 { return float64(g.IntN(4)) }},
	{"identical", func(*rand.Rand, int, int) float64 { return 3.7 }},
	{"signed zeros", func(_ *rand.Rand, i, j int) float64 {
		if (i>>j)%2 == 0 {
			return math.Copysign(0, -1)
		}
		return 0
	}},
	{"heaps and an outlier", func(g *rand.Rand, i, j int) float64 {
		switch {
		case i == 17:
			return 1e300
		case i%2 == 0:
			return 5
		}
		return 5 + 0x1p-40*float64(j)
	}},
	{"opposite ends", func(g *rand.Rand, i, _ int) float64 {
		if i%2 == 0 {
			return math.MaxFloat64 * (1 - g.Float64()*0x1p-30)
		}
		return -math.MaxFloat64 * (1 - g.Float64()*0x1p-30)
	}},
	{"denormal", func(g *rand.Rand, _, _ int) float64 { return float64(g.IntN(9)) * 0x1p-1074 }},
	{"vanishing squares", func(g *rand.Rand, _, _ int) float64 { return g.Float64() * 1e-170 }},
	{"clusters in clusters", func(g *rand.Rand, _, _ int) float64 {
		return math.Ldexp(1+g.Float64(), -40*g.IntN(6))
	}},
	{"a line", func(_ *rand.Rand, i, j int) float64 {
		if j == 0 {
			return float64(i)
		}
		return 1e6
	}},
}

func (s shape) points(t *testing.T, seed uint64, n, dim int, narrow bool) *neighbors.Points {
	g := rand.New(rand.NewPCG(seed, uint64(dim)))
	return pointsOf(t, n, dim, narrow, func(i, j int) float64 {
		v := s.at(g, i, j)
		if narrow && math.Abs(v) > math.MaxFloat32 {
			return math.Copysign(math.MaxFloat32, v)
		}
		return v
	})
}

// bruteNearest is the K nearest of every row by (d², row), of all pairs.
func bruteNearest(p *neighbors.Plan) (index []uint32, dist []float64) {
	k := p.Nearest().K
	rows := make([]uint32, 0, p.DataLen())
	d2 := make([]float64, p.DataLen())
	for q := range uint32(p.Len()) {
		rows = rows[:0]
		for d := range uint32(p.DataLen()) {
			if d2[d] = p.SquaredDistance(q, d); !p.Self() || q != d {
				rows = append(rows, d)
			}
		}
		slices.SortStableFunc(rows, func(a, b uint32) int {
			switch {
			case d2[a] < d2[b]:
				return -1
			case d2[a] > d2[b]:
				return 1
			}
			return 0
		})
		for place := range k {
			if place >= len(rows) {
				index, dist = append(index, neighbors.None), append(dist, math.Inf(1))
				continue
			}
			d := math.Sqrt(d2[rows[place]])
			if p.IsAngle() {
				d = p.Distance(q, rows[place])
			}
			index, dist = append(index, rows[place]), append(dist, d)
		}
	}
	return index, dist
}

// checkNearest compares what the card finds with all pairs.
func checkNearest(t *testing.T, j *Joiner, in neighbors.Input, k int) {
	t.Helper()
	p := prepared(t, in, neighbors.Nearest{K: k, Pad: true})
	_, index, dist := lists(t, j, p)
	wantIndex, wantDist := bruteNearest(p)
	if n, m := differ(index, wantIndex), differ(dist, wantDist); n+m > 0 {
		at := 0
		for index[at] == wantIndex[at] && dist[at] == wantDist[at] {
			at++
		}
		t.Errorf("K %d: of %d neighbours %d differ, and %d distances; the first is place %d of row %d: row %d at %v, want %d at %v",
			k, len(index), n, m, at%k, at/k, index[at], dist[at], wantIndex[at], wantDist[at])
	}
}

// Any shape of points, in every number of dimensions, with K on either side of
// every limit, in an open space, a box that is periodic in some axes, against other data.
func TestNearestIsExact(t *testing.T) {
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	ks := []int{1, 2, 31, 32, 33, 64, 100, 128, 500, 1024}
	turn := 0
	next := func() int { turn++; return ks[turn%len(ks)] }
	for dim := 1; dim <= maxDim; dim++ {
		for _, s := range shapes {
			t.Run(fmt.Sprintf("%dD %s", dim, s.name), func(t *testing.T) {
				if testing.Short() && (dim+len(s.name))%3 > 0 {
					t.Skip("the emulator is slow")
				}
				n := 70 + 7*dim
				a := s.points(t, 1, n, dim, false)
				b := s.points(t, 2, n/2, dim, false)
				checkNearest(t, j, neighbors.Input{Query: a}, next())
				checkNearest(t, j, neighbors.Input{Query: b, Data: a}, next())
				checkNearest(t, j, neighbors.Input{Query: s.points(t, 3, 50, dim, true)}, next())
				side := make([]float64, dim)
				for c := range side {
					side[c] = []float64{4, 0, 2.5}[c%3]
				}
				checkNearest(t, j, neighbors.Input{Query: a, Metric: neighbors.Periodic(side...)}, next())
				checkNearest(t, j, neighbors.Input{Query: a, Data: b, Metric: neighbors.Periodic(side...)}, next())
			})
		}
	}
	t.Run("sky", func(t *testing.T) {
		g := rand.New(rand.NewPCG(4, 4))
		sky := func(n int) *neighbors.Points {
			return pointsOf(t, n, 2, false, func(_, j int) float64 {
				if j == 0 {
					return 360 * g.Float64()
				}
				return 180*g.Float64() - 90
			})
		}
		checkNearest(t, j, neighbors.Input{Query: sky(300), Metric: neighbors.Sky()}, 5)
		checkNearest(t, j, neighbors.Input{Query: sky(100), Data: sky(300), Metric: neighbors.Sky()}, 40)
	})
}

// Many levels, many batches, parts of the rows in any order.
func TestNearestOfParts(t *testing.T) {
	n := 40_000
	if testing.Short() {
		n = 3000
	}
	j, err := Open(Config{Batch: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, s := range shapes[:2] {
		p := prepared(t, neighbors.Input{Query: s.points(t, 5, n, 3, false)}, neighbors.Nearest{K: 7})
		want, err := neighbors.Collect(context.Background(), neighbors.CPU{}, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		rows := make([]uint32, n)
		for i, r := range rand.New(rand.NewPCG(6, 6)).Perm(n) {
			rows[i] = uint32(r)
		}
		rows = rows[:n/3]
		seen := make([]bool, n)
		err = neighbors.Visit(context.Background(), j, p, neighbors.NewWork(rows, nil), func(_ int, b *neighbors.Batch) error {
			for i, r := range b.Rows {
				if seen[r] || !slices.Equal(b.List(i), want.List(int(r))) || !slices.Equal(b.Dists(i), want.Dists(int(r))) {
					return fmt.Errorf("row %d: %v, want %v, seen before %v", r, b.List(i), want.List(int(r)), seen[r])
				}
				seen[r] = true
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		for i, r := range rows {
			if !seen[r] {
				t.Errorf("%s: row %d, the %d-th, was not delivered", s.name, r, i)
			}
		}
	}
}

// plantOf calls f with the tree over points and the boxes of its leaves.
func plantOf(t *testing.T, j *Joiner, in neighbors.Input, f func(r *nearestRun, x, low, high []float64, rows, least []uint32)) {
	t.Helper()
	withRun(t, j, prepared(t, in, neighbors.Nearest{K: 1, Pad: true}), func(r *nearestRun) error {
		if err := r.plant(); err != nil {
			return err
		}
		tr := r.tree
		x, low, high := make([]float64, tr.x.N), make([]float64, tr.low.N), make([]float64, tr.high.N)
		rows, least := make([]uint32, tr.n), make([]uint32, tr.least.N)
		st := r.session.stream
		err := firstError(cuda.Download(st, x, tr.x), cuda.Download(st, low, tr.low), cuda.Download(st, high, tr.high),
			cuda.Download(st, rows, tr.id), cuda.Download(st, least, tr.least), st.Sync())
		if err == nil {
			f(r, x, low, high, rows, least)
		}
		return err
	})
}

// Every point is in the box of its node on every level, which is no larger than
// it must be, and no node has a row below the least.
func TestBoxesHoldTheirPoints(t *testing.T) {
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, s := range shapes {
		for _, dim := range []int{1, 3, 8} {
			n := 2100
			plantOf(t, j, neighbors.Input{Query: s.points(t, 9, n, dim, false)}, func(r *nearestRun, x, low, high []float64, rows, least []uint32) {
				tr := r.tree
				seen := make([]bool, n)
				for _, row := range rows {
					seen[row] = true
				}
				if slices.Contains(seen, false) || len(rows) != n {
					t.Fatalf("%s: not every row is there once", s.name)
				}
				for level, width := 0, treeWidth; level < len(tr.count); level, width = level+1, width*treeWidth {
					if want := ceilDiv(n, width); tr.count[level] != want {
						t.Errorf("%s: level %d has %d nodes, want %d", s.name, level, tr.count[level], want)
					}
					for node := range tr.count[level] {
						lo, hi := node*width, min((node+1)*width, n)
						at := tr.first[level] + node
						for c := range dim {
							v := x[c*tr.stride+lo : c*tr.stride+hi]
							if l, h := slices.Min(v), slices.Max(v); low[c*len(least)+at] != l || high[c*len(least)+at] != h {
								t.Fatalf("%s: node %d of level %d is from %v to %v, want %v to %v", s.name, node, level, low[c*len(least)+at], high[c*len(least)+at], l, h)
							}
						}
						if want := slices.Min(rows[lo:hi]); least[at] != want {
							t.Fatalf("%s: node %d of level %d has no row below %d, want %d", s.name, node, level, least[at], want)
						}
					}
				}
			})
		}
	}
}

// Points that share a key are told apart as long as they differ, in as many
// rounds as there are scales, and those that coincide follow each other in the
// order of their rows.
func TestPointsThatShareAKey(t *testing.T) {
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	even := func(g *rand.Rand) float64 { return g.Float64() }
	for _, c := range []struct {
		name   string
		rounds int
		at     func(g *rand.Rand, i int) float64
	}{
		{"even", 0, func(g *rand.Rand, _ int) float64 { return even(g) }},
		{"identical", 0, func(*rand.Rand, int) float64 { return 2 }},
		{"two heaps", 0, func(_ *rand.Rand, i int) float64 { return float64(i % 2) }},
		{"an outlier", 1, func(g *rand.Rand, i int) float64 {
			if i == 5 {
				return 1e300
			}
			return even(g)
		}},
		{"two outliers", 2, func(g *rand.Rand, i int) float64 {
			switch i {
			case 5:
				return 1e300
			case 6:
				return 1e150
			}
			return even(g)
		}},
		{"both ends of all numbers", 1, func(g *rand.Rand, i int) float64 {
			switch i {
			case 5:
				return math.MaxFloat64
			case 6:
				return -math.MaxFloat64
			}
			return even(g)
		}},
		{"denormal beside 1", 1, func(g *rand.Rand, i int) float64 {
			if i == 5 {
				return 1
			}
			return float64(g.IntN(1<<20)) * 0x1p-1074
		}},
	} {
		for _, dim := range []int{1, 2, 5, 8} {
			g := rand.New(rand.NewPCG(3, uint64(dim)))
			n := 1500
			// The same value on all axes: points along the diagonal share cells the longest.
			v := make([]float64, n)
			for i := range v {
				v[i] = c.at(g, i)
			}
			points := pointsOf(t, n, dim, false, func(i, _ int) float64 { return v[i] })
			plantOf(t, j, neighbors.Input{Query: points}, func(r *nearestRun, x, low, high []float64, rows, _ []uint32) {
				tr := r.tree
				for i := 1; i < n; i++ {
					if x[i] == x[i-1] && rows[i] < rows[i-1] {
						t.Fatalf("%s, %d dimensions: rows %d and %d coincide and follow each other", c.name, dim, rows[i-1], rows[i])
					}
				}
				if r.refined != c.rounds {
					t.Errorf("%s, %d dimensions: %d rounds, want %d", c.name, dim, r.refined, c.rounds)
				}
				// A leaf is a small part of half of the points.
				length := make([]float64, tr.count[0])
				for leaf := range length {
					length[leaf] = high[leaf] - low[leaf]
				}
				slices.Sort(v)
				if got, half := median(length), v[3*n/4]-v[n/4]; got > half/5 {
					t.Errorf("%s, %d dimensions: leaves are %v long, half of the points %v", c.name, dim, got, half)
				}
			})
		}
	}
}

// Stages begin with all points and end with leaves, each with slabs of the next.
func TestStages(t *testing.T) {
	for _, n := range []int{33, 64, 65, 1000, 1 << 20, 1<<20 + 1, math.MaxUint32} {
		for step := 1; step <= 5; step++ {
			s := stages(n, step)
			if s[0] < leafBits+step || 1<<s[0] < n || len(s) > 1 && 1<<s[1] >= n {
				t.Errorf("stages of %d points begin with 2^%d and go on with %v", n, s[0], s[1:])
			}
			for i, shift := range append(s[1:], leafBits) {
				if s[i]-shift != step {
					t.Errorf("after 2^%d of %d points comes 2^%d, want 2^%d", s[i], n, shift, s[i]-step)
				}
			}
		}
	}
}

// The leaves of points that are cut into slabs hardly overlap.
func TestSlabsAreApart(t *testing.T) {
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, dim := range []int{3, 4, 6} {
		for _, s := range shapes[:2] {
			plantOf(t, j, neighbors.Input{Query: s.points(t, 7, 3000, dim, false)}, func(r *nearestRun, x, low, high []float64, _, least []uint32) {
				volume := func(at int) float64 {
					v := 1.0
					for c := range dim {
						v *= high[c*len(least)+at] - low[c*len(least)+at]
					}
					return v
				}
				leaves, whole := 0.0, 0.0
				top := len(r.tree.count) - 1
				for leaf := range r.tree.count[0] {
					leaves += volume(leaf)
				}
				for node := range r.tree.count[top] {
					whole += volume(r.tree.first[top] + node)
				}
				if leaves > whole {
					t.Errorf("%s, %d dimensions: the leaves have a volume of %v together, the nodes above all of them %v", s.name, dim, leaves, whole)
				}
			})
		}
	}
}

// After a run, whether it ends well or not, no memory is left on the card but
// that of the lanes.
func TestNearestGivesMemoryBack(t *testing.T) {
	setenv(t, "EMULATOR_FAIL", "")
	in := neighbors.Input{Query: shapes[5].points(t, 1, 2000, 2, false), Data: shapes[1].points(t, 1, 900, 2, false)}
	p := prepared(t, in, neighbors.Nearest{K: 40})
	want, err := neighbors.Collect(context.Background(), neighbors.CPU{}, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	failed, passed := 0, 0
	for nth := range 60 {
		j, err := Open(Config{Streams: 2})
		if err != nil {
			t.Fatal(err)
		}
		before, _, err := j.ctx.Free()
		if err != nil {
			t.Fatal(err)
		}
		if nth > 0 {
			setenv(t, "EMULATOR_FAIL", fmt.Sprintf("alloc:%d", nth))
		}
		got, err := neighbors.Collect(context.Background(), j, p, 0)
		setenv(t, "EMULATOR_FAIL", "")
		switch {
		case err == nil:
			passed++
			if !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
				t.Fatalf("allocation %d fails: another table", nth)
			}
		case IsFailure(err):
			failed++
		default:
			t.Fatalf("allocation %d fails: %v", nth, err)
		}
		for _, l := range j.lanes {
			_ = l.st.Do(func() error { l.shed(); return nil })
		}
		if after, _, err := j.ctx.Free(); err != nil || after != before {
			t.Errorf("allocation %d fails: %d bytes are left on the card, error %v", nth, before-after, err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if passed < 2 || failed == 0 {
		t.Errorf("%d runs passed and %d failed", passed, failed)
	}
}

//go:build cuda && linux

package gpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

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

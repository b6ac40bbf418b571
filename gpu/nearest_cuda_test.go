//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

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

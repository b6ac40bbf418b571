//go:build cuda && linux

package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// An edge of a spanning tree, by rows.
type edge struct {
	height float64
	a, b   uint32
}

func (e edge) compare(o edge) int {
	return cmp.Or(cmp.Compare(e.height, o.height), cmp.Compare(e.a, o.a), cmp.Compare(e.b, o.b))
}

// bruteSpan is the spanning tree of all pairs, sorted, and the core distances.
func bruteSpan(p *neighbors.Plan, others int, alpha float64) (core []float64, tree []edge) {
	n := p.Len()
	distance := func(a, b int) float64 {
		if p.IsAngle() {
			return p.Distance(uint32(a), uint32(b))
		}
		return math.Sqrt(p.SquaredDistance(uint32(a), uint32(b)))
	}
	core = make([]float64, n)
	_, dist := bruteNearest(p)
	for i := range core {
		if others > 0 {
			core[i] = dist[i*p.Nearest().K+others-1]
		}
	}
	// Prim's algorithm: the edges are in a strict order, so that the tree is the only one.
	best := slices.Repeat([]edge{{math.Inf(1), math.MaxUint32, math.MaxUint32}}, n)
	in := make([]bool, n)
	for at := range n {
		if at == 0 {
			in[0] = true
		}
		last := 0
		if at > 0 {
			least := -1
			for i := range n {
				if !in[i] && (least < 0 || best[i].compare(best[least]) < 0) {
					least = i
				}
			}
			in[least], last = true, least
			tree = append(tree, best[least])
		}
		for i := range n {
			if in[i] {
				continue
			}
			h := distance(min(i, last), max(i, last)) / alpha
			e := edge{max(core[i], core[last], h), uint32(min(i, last)), uint32(max(i, last))}
			if e.compare(best[i]) < 0 {
				best[i] = e
			}
		}
	}
	slices.SortFunc(tree, edge.compare)
	return core, tree
}

// spanOf is the spanning tree that the card finds, sorted, and the core distances.
func spanOf(t *testing.T, j *Joiner, p *neighbors.Plan, others int, alpha float64) (core []float64, tree []edge) {
	t.Helper()
	n := p.Len()
	rows, byPlace, ends, heights := make([]uint32, n), make([]float64, n), make([][2]uint32, n-1), make([]float64, n-1)
	told := 0
	err := j.Span(context.Background(), p, others, alpha, rows, byPlace, ends, heights, func(edges int) { told = edges })
	if err != nil {
		t.Fatal(err)
	}
	if told != n-1 {
		t.Errorf("%d edges were told of, want %d", told, n-1)
	}
	if !slices.IsSorted(heights) {
		t.Error("the heights do not ascend")
	}
	core = make([]float64, n)
	for i, row := range rows {
		core[row] = byPlace[i]
	}
	for i, e := range ends {
		a, b := rows[e[0]], rows[e[1]]
		if a > b {
			t.Errorf("the edge of rows %d and %d begins with the higher", a, b)
		}
		tree = append(tree, edge{heights[i], a, b})
	}
	slices.SortFunc(tree, edge.compare)
	return core, tree
}

// checkSpan compares what the card finds with all pairs.
func checkSpan(t *testing.T, j *Joiner, in neighbors.Input, k, others int, alpha float64) {
	t.Helper()
	p := prepared(t, in, neighbors.Nearest{K: k, Pad: true})
	core, tree := spanOf(t, j, p, others, alpha)
	wantCore, want := bruteSpan(p, others, alpha)
	if n := differ(core, wantCore); n > 0 {
		t.Errorf("K %d, %d others: %d core distances differ", k, others, n)
	}
	if !slices.Equal(tree, want) {
		at := 0
		for tree[at] == want[at] {
			at++
		}
		t.Errorf("K %d, %d others, alpha %v: edge %d is %v, want %v", k, others, alpha, at, tree[at], want[at])
	}
}

// The spanning tree is that of all pairs, to the bit: any shape of points, in every
// number of dimensions, boxes, the sky, with lists of any length.
func TestSpanIsExact(t *testing.T) {
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	turn := 0
	check := func(t *testing.T, in neighbors.Input) {
		t.Helper()
		turn++
		n := in.Query.Len()
		others := []int{0, 1, 4, 9, 35}[turn%5]
		k := min(max(1, others+[]int{0, 4, 8}[turn%3]), n-1)
		checkSpan(t, j, in, k, min(others, n-1), []float64{1, 1, 1.5}[turn%3])
	}
	for dim := 1; dim <= maxDim; dim++ {
		for _, s := range shapes {
			t.Run(fmt.Sprintf("%dD %s", dim, s.name), func(t *testing.T) {
				if testing.Short() && (dim+len(s.name))%3 > 0 {
					t.Skip("the emulator is slow")
				}
				n := 70 + 7*dim
				check(t, neighbors.Input{Query: s.points(t, 1, n, dim, false)})
				check(t, neighbors.Input{Query: s.points(t, 3, 50, dim, true)})
				side := make([]float64, dim)
				for c := range side {
					side[c] = []float64{4, 0, 2.5}[c%3]
				}
				check(t, neighbors.Input{Query: s.points(t, 2, n, dim, false), Metric: neighbors.Periodic(side...)})
			})
		}
	}
	g := rand.New(rand.NewPCG(4, 4))
	sky := func(n int, side float64) neighbors.Input {
		return neighbors.Input{Metric: neighbors.Sky(), Query: pointsOf(t, n, 2, false, func(_, j int) float64 {
			if j == 0 {
				return side * g.Float64()
			}
			return side/2*g.Float64() - side/4
		})}
	}
	for range 3 {
		check(t, sky(200, 360))
		check(t, sky(200, 1e-3))
	}
	for n := 2; n < 5; n++ {
		checkSpan(t, j, sky(n, 5), n-1, n-1, 1)
	}
}

// Many rounds, several levels of the tree, several parts of lists.
func TestSpanOfMany(t *testing.T) {
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, s := range []shape{shapes[0], shapes[2], shapes[9]} {
		checkSpan(t, j, neighbors.Input{Query: s.points(t, 8, 1100, 2, false)}, 8, 4, 1)
	}
}

// What the card cannot do is left to others, and an end that is asked for comes.
func TestSpanRefuses(t *testing.T) {
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	points := shapes[0].points(t, 1, 1100, 2, false)
	p := prepared(t, neighbors.Input{Query: points}, neighbors.Nearest{K: 1030, Pad: true})
	span := func(ctx context.Context, p *neighbors.Plan, others int) error {
		n := p.Len()
		return j.Span(ctx, p, others, 1, make([]uint32, n), make([]float64, n), make([][2]uint32, n-1), make([]float64, n-1), nil)
	}
	if err := span(context.Background(), p, 1030); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("1030 nearest: %v", err)
	}
	p = prepared(t, neighbors.Input{Query: points}, neighbors.Nearest{K: 4, Pad: true})
	if err := span(context.Background(), p, 5); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("the core distance to one more than are listed: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := span(ctx, p, 4); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

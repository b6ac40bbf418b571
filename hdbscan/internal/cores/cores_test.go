package cores

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/mst"
	"skyjoin/neighbors"
)

// A trial is a small random input of the kinds that go wrong.
type trial struct {
	cols    [][]float64
	metric  neighbors.Metric
	m       float64
	alpha   float64
	weights []float64
}

func newTrial(seed uint64) trial {
	rng := rand.New(rand.NewPCG(seed, 23))
	n, dim := 1+rng.IntN(150), 1+rng.IntN(4)
	if seed%50 == 0 {
		dim = 9 + rng.IntN(4)
	}
	if seed%9 == 0 {
		n = 300 + rng.IntN(600) // more than are listed by far
	}
	tr := trial{m: float64(1 + rng.IntN(min(n, 9))), alpha: 1}
	kind := rng.IntN(6)
	side := []float64(nil)
	switch kind {
	case 4: // sky
		dim = 2
		tr.metric = neighbors.Sky()
	case 5: // box
		for range dim {
			side = append(side, float64(rng.IntN(2))*1.25)
		}
		tr.metric = neighbors.Periodic(side...)
	}
	tr.cols = make([][]float64, dim)
	for j := range tr.cols {
		tr.cols[j] = make([]float64, n)
		for i := range n {
			var v float64
			switch kind {
			case 0, 5: // lattice
				v = float64(rng.IntN(5)) / 4
			case 1: // skewed
				v = rng.ExpFloat64() * rng.ExpFloat64()
			case 2: // two clumps, far from the origin
				v = 1e6 + float64(i%2)*30 + rng.NormFloat64()
			case 3:
				v = rng.Float64()
			case 4:
				v = float64(rng.IntN(18)*10 - 90)
				if rng.IntN(2) == 0 {
					v = rng.Float64()*180 - 90
				}
			}
			tr.cols[j][i] = v
		}
	}
	for range rng.IntN(n) { // duplicates
		from, to := rng.IntN(n), rng.IntN(n)
		for j := range tr.cols {
			tr.cols[j][to] = tr.cols[j][from]
		}
	}
	if rng.IntN(4) == 0 {
		tr.alpha = []float64{.5, .75, 1.3}[rng.IntN(3)]
	}
	if rng.IntN(4) == 0 {
		tr.weights = make([]float64, n)
		sum := 0.0
		for i := range tr.weights {
			tr.weights[i] = float64(rng.IntN(160)) / 64
			sum += tr.weights[i]
		}
		tr.m = math.Ceil(64*sum*rng.Float64()*rng.Float64()) / 64
		if tr.m == 0 {
			tr.weights = nil
			tr.m = 1
		}
	}
	return tr
}

func points(t testing.TB, cols [][]float64) *neighbors.Points {
	t.Helper()
	var c []neighbors.Column
	for _, v := range cols {
		c = append(c, neighbors.Float64s(v))
	}
	p, err := neighbors.NewPoints(c...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// truth is core distances and the tree by definition.
func (tr trial) truth(t *testing.T, p *neighbors.Points) ([]float64, []mst.Edge) {
	plan, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: p, Metric: tr.metric}, neighbors.Nearest{K: 1, Pad: true})
	if err != nil {
		t.Fatal(err)
	}
	n := p.Len()
	core := make([]float64, n)
	for i := range n {
		order := make([]uint32, n)
		for j := range order {
			order[j] = uint32(j)
		}
		slices.SortFunc(order, func(a, b uint32) int {
			if a == uint32(i) || b == uint32(i) {
				if a == uint32(i) {
					return -1
				}
				return 1
			}
			if x, y := plan.SquaredDistance(uint32(i), a), plan.SquaredDistance(uint32(i), b); x != y {
				return int(math.Copysign(1, x-y))
			}
			return int(a) - int(b)
		})
		sum := 0.0
		for k, j := range order {
			if tr.weights == nil {
				sum++
			} else {
				sum += tr.weights[j]
			}
			if sum >= tr.m {
				if k > 0 {
					core[i] = plan.Distance(uint32(i), j)
				}
				break
			}
		}
	}
	// Prim by definition, in the strict order of edges.
	var edges []mst.Edge
	in := make([]bool, n)
	best := make([]mst.Edge, n)
	for j := range best {
		best[j] = mst.Edge{Height: math.Inf(1), A: math.MaxUint32, B: math.MaxUint32}
	}
	at := 0
	for range n - 1 {
		in[at] = true
		next := -1
		for j := range n {
			if in[j] {
				continue
			}
			e := mst.Edge{Height: max(core[at], core[j], plan.Distance(uint32(at), uint32(j))/tr.alpha), A: uint32(min(at, j)), B: uint32(max(at, j))}
			if less(e, best[j]) {
				best[j] = e
			}
			if next < 0 || less(best[j], best[next]) {
				next = j
			}
		}
		edges = append(edges, best[next])
		at = next
	}
	slices.SortFunc(edges, compare)
	return core, edges
}

func less(a, b mst.Edge) bool { return compare(a, b) < 0 }

func compare(a, b mst.Edge) int {
	switch {
	case a == b:
		return 0
	case a.Height < b.Height || a.Height == b.Height && (a.A < b.A || a.A == b.A && a.B < b.B):
		return -1
	}
	return 1
}

func (tr trial) build(t testing.TB, p *neighbors.Points, threads int) (*Graph, []mst.Edge) {
	t.Helper()
	r := Request{Points: p, Metric: tr.metric, MinSamples: tr.m, Weights: tr.weights, Alpha: tr.alpha, Threads: threads}
	g, err := r.Build(context.Background())
	if err == nil {
		err = g.Sort(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	edges, err := g.Boruvka(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return g, edges
}

// Core distances and trees are those of the definition, to the last bit.
func TestTreeByDefinition(t *testing.T) {
	trials := 600
	if testing.Short() {
		trials = 100
	}
	for seed := range uint64(trials) {
		tr := newTrial(seed)
		p := points(t, tr.cols)
		core, want := tr.truth(t, p)
		g, edges := tr.build(t, p, 1+int(seed%3))
		rows := g.Tree.Rows()
		for i, row := range rows {
			if g.From[i] != core[row] {
				t.Fatalf("trial %d: row %d has core distance %v, want %v", seed, row, g.From[i], core[row])
			}
		}
		for i := range edges {
			edges[i].A, edges[i].B = rows[edges[i].A], rows[edges[i].B]
		}
		slices.SortFunc(edges, compare)
		if !slices.Equal(edges, want) {
			for i := range min(len(edges), len(want)) {
				if edges[i] != want[i] {
					t.Errorf("edge %d is %v, want %v", i, edges[i], want[i])
					break
				}
			}
			t.Fatalf("trial %d (%v, m %v, alpha %v, %d rows): %d edges, want %d", seed, tr.metric, tr.m, tr.alpha, p.Len(), len(edges), len(want))
		}
	}
}

func BenchmarkTree(b *testing.B) {
	for _, c := range []struct {
		name   string
		n, dim int
		value  func(rng *rand.Rand) float64
	}{
		{"Normal3D", 1000000, 3, (*rand.Rand).NormFloat64},
		{"Normal2D", 1000000, 2, (*rand.Rand).NormFloat64},
		{"Unif3D", 1000000, 3, (*rand.Rand).Float64},
		{"Unif2D", 2000000, 2, (*rand.Rand).Float64},
		{"Expo2D", 2000000, 2, (*rand.Rand).ExpFloat64},
	} {
		cols := make([][]float64, c.dim)
		rng := rand.New(rand.NewPCG(1, 2))
		for j := range cols {
			cols[j] = make([]float64, c.n)
			for i := range cols[j] {
				cols[j][i] = c.value(rng)
			}
		}
		p := points(b, cols)
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d", c.name, threads), func(b *testing.B) {
				tr := trial{m: 10, alpha: 1}
				for b.Loop() {
					tr.build(b, p, threads)
				}
			})
		}
	}
}

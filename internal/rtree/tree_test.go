package rtree

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/column"
)

// sets are points that boxes are measured badly by.
func sets() map[string][]column.Column {
	r := rand.New(rand.NewPCG(4, 4))
	make := func(n, dim int, f func(i, j int) float64) []column.Column {
		c := make([]column.Column, dim)
		for j := range c {
			for i := range n {
				c[j].Float64 = append(c[j].Float64, f(i, j))
			}
		}
		return c
	}
	return map[string][]column.Column{
		"empty":     make(0, 2, nil),
		"one":       make(1, 2, func(_, _ int) float64 { return 3 }),
		"uniform":   make(3000, 3, func(_, _ int) float64 { return 20 * r.Float64() }),
		"one bin":   make(2000, 2, func(_, _ int) float64 { return r.ExpFloat64() / 40 }),
		"identical": make(500, 2, func(_, _ int) float64 { return 7 }),
		"plane":     make(1500, 3, func(_, j int) float64 { return []float64{1, 9 * r.Float64(), 9 * r.Float64()}[j] }),
		"far":       make(600, 2, func(i, _ int) float64 { return []float64{1.7e308, -1.7e308, 5, 5e-324}[i%4] }),
		"float32":   {{Float32: []float32{1, 2, 3.5}}},
	}
}

func TestWithinFindsWhatAScanFinds(t *testing.T) {
	for name, columns := range sets() {
		t.Run(name, func(t *testing.T) {
			tree, err := Build(context.Background(), columns)
			if err != nil {
				t.Fatal(err)
			}
			n := columns[0].Len()
			if tree.Len() != n {
				t.Fatalf("%d points of %d", tree.Len(), n)
			}
			s := tree.NewSearch()
			for _, threshold := range []float64{0, 1e-6, 1, 50, math.MaxFloat64} {
				for q := 0; q < n; q += 1 + n/40 {
					point := at(columns, q)
					s.Within(point, threshold)
					var want []uint32
					for i := range n {
						var d2 float64
						for j, y := range at(columns, i) {
							d2 += float64((point[j] - y) * (point[j] - y))
						}
						if d2 <= threshold {
							want = append(want, uint32(i))
						}
					}
					got := slices.Sorted(slices.Values(s.Rows))
					if !slices.Equal(got, want) || len(s.D2) != len(got) {
						t.Fatalf("d² ≤ %g of row %d: %v, want %v", threshold, q, got, want)
					}
				}
			}
		})
	}
}

func at(columns []column.Column, i int) []float64 {
	p := make([]float64, len(columns))
	for j := range p {
		p[j] = columns[j].At(i)
	}
	return p
}

// Every node is within its parent's box, no fuller than allowed, and all
// leaves are equally deep.
func TestNodes(t *testing.T) {
	for name, columns := range sets() {
		tree, err := Build(context.Background(), columns)
		if err != nil {
			t.Fatal(err)
		}
		depths := map[int]bool{}
		var walk func(n *node, depth int)
		walk = func(n *node, depth int) {
			if n.count() > most || n != tree.root && n.count() < least {
				t.Errorf("%s: a node has %d entries, not %d to %d", name, n.count(), least, most)
			}
			if n.isLeaf() {
				depths[depth] = true
				return
			}
			for k, child := range n.children {
				lo, hi := tree.entry(n, k)
				if got, want := append(slices.Clone(lo), hi...), tree.bounds(child); !slices.Equal(got, want) {
					t.Errorf("%s: box %v of a child with bounds %v", name, got, want)
				}
				walk(child, depth+1)
			}
		}
		walk(tree.root, 0)
		if len(depths) != 1 {
			t.Errorf("%s: leaves at depths %v", name, depths)
		}
	}
}

// A search looks at few points, also where all are in one bin.
func TestSearchIsSelective(t *testing.T) {
	for _, name := range []string{"uniform", "one bin", "plane"} {
		columns := sets()[name]
		tree, err := Build(context.Background(), columns)
		if err != nil {
			t.Fatal(err)
		}
		s := tree.NewSearch()
		n := columns[0].Len()
		for q := range n {
			s.Within(at(columns, q), 1e-12)
		}
		if each := float64(s.Tested) / float64(n); each > float64(n)/20 {
			t.Errorf("%s: %.0f of %d points looked at for each", name, each, n)
		}
	}
}

func TestBuildEndsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Build(ctx, sets()["uniform"]); err != context.Canceled {
		t.Fatalf("error %v", err)
	}
}

func BenchmarkBuild(b *testing.B) {
	r := rand.New(rand.NewPCG(4, 4))
	columns := make([]column.Column, 3)
	for j := range columns {
		for range 200_000 {
			columns[j].Float64 = append(columns[j].Float64, 100*r.Float64())
		}
	}
	for b.Loop() {
		if _, err := Build(context.Background(), columns); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/200_000*1e9, "ns/point")
}

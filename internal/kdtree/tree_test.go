package kdtree

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/column"
	"skyjoin/internal/kernel"
)

func columns(n, d int, f func(i int) float64) []column.Column {
	c := make([]column.Column, d)
	for j := range c {
		c[j].Float64 = make([]float64, n)
		for i := range c[j].Float64 {
			c[j].Float64[i] = f(i)
		}
	}
	return c
}

func build(t *testing.T, c []column.Column, leaf, threads int) *Tree {
	t.Helper()
	tree, err := Build(context.Background(), c, leaf, threads)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// inputs are coordinates that are even, few, equal, sorted, far.
func inputs() map[string]func(i int) float64 {
	r := rand.New(rand.NewPCG(1, 1))
	return map[string]func(i int) float64{
		"even":   func(int) float64 { return r.Float64() },
		"few":    func(int) float64 { return float64(r.IntN(4)) },
		"equal":  func(int) float64 { return 7 },
		"sorted": func(i int) float64 { return float64(i) },
		"down":   func(i int) float64 { return -float64(i) },
		"far": func(i int) float64 {
			if i == 5 {
				return math.MaxFloat64
			}
			return -math.MaxFloat64 * r.Float64()
		},
	}
}

func TestStructure(t *testing.T) {
	for name, f := range inputs() {
		for _, n := range []int{0, 1, 2, 31, 32, 33, 64, 65, 1000, 5000} {
			for _, d := range []int{1, 2, 3, 5} {
				c := columns(n, d, f)
				tree := build(t, c, 32, 2)
				if !slices.Equal(tree.Rows(), build(t, c, 32, 1).Rows()) {
					t.Fatalf("%s: %d points: the order depends on the threads", name, n)
				}
				verify(t, tree, c, 32)
			}
		}
	}
}

// verify checks that leaves are neither long nor nodes loose or wrong.
func verify(t *testing.T, tree *Tree, c []column.Column, leaf int) {
	t.Helper()
	n, dim := c[0].Len(), len(c)
	rows := slices.Clone(tree.Rows())
	for i, r := range rows {
		for j := range c {
			if tree.Points.Data[j*tree.Points.Stride+i] != c[j].At(int(r)) {
				t.Fatalf("position %d does not hold row %d", i, r)
			}
		}
		if l := tree.Leaf(i); uint32(i) < tree.Start[l] || uint32(i) >= tree.Start[l+1] {
			t.Fatalf("position %d is not in leaf %d", i, l)
		}
	}
	slices.Sort(rows)
	for i, r := range rows {
		if int(r) != i {
			t.Fatalf("row %d is missing", i)
		}
	}
	if tree.Start[tree.Leaves()] != uint32(n) {
		t.Fatal("leaves do not hold all points")
	}
	for node := range 2*tree.Leaves() - 1 {
		lo, hi := tree.span(node)
		if node >= tree.Leaves()-1 && int(hi-lo) > leaf {
			t.Fatalf("leaf of %d points", hi-lo)
		}
		least := uint32(math.MaxUint32)
		for i := lo; i < hi; i++ {
			least = min(least, tree.Points.ID[i])
		}
		if least != tree.least[node] {
			t.Fatalf("node %d: least row %d, want %d", node, tree.least[node], least)
		}
		for j := range dim {
			a, b := math.Inf(1), math.Inf(-1)
			for _, x := range tree.Points.Data[j*tree.Points.Stride+int(lo) : j*tree.Points.Stride+int(hi)] {
				a, b = min(a, x), max(b, x)
			}
			if a != tree.box[2*dim*node+j] || b != tree.box[2*dim*node+dim+j] {
				t.Fatalf("node %d: box is not tight", node)
			}
		}
	}
}

// Among equal points low rows come first, which is what lets ties be pruned.
func TestEqualPointsInOrder(t *testing.T) {
	tree := build(t, columns(5000, 2, func(int) float64 { return 1 }), 32, 1)
	for l := 1; l < tree.Leaves(); l++ {
		before, after := tree.Rows()[tree.Start[l-1]:tree.Start[l]], tree.Rows()[tree.Start[l]:tree.Start[l+1]]
		if slices.Max(before) > slices.Min(after) {
			t.Fatalf("leaf %d: rows %v before %v", l, before, after)
		}
	}
}

func square(x, y, side []float64) float64 {
	var sum float64
	for c := range x {
		d := math.Abs(x[c] - y[c])
		if side != nil && side[c] > 0 {
			d = min(d, side[c]-d)
		}
		sum += float64(d * d)
	}
	return sum
}

func at(p *kernel.Points, i int) []float64 {
	x := make([]float64, p.Dim)
	for c := range x {
		x[c] = p.Data[c*p.Stride+i]
	}
	return x
}

func TestNearest(t *testing.T) {
	type pair struct {
		d2  float64
		row uint32
	}
	for name, f := range inputs() {
		for _, d := range []int{1, 2, 3, 4} {
			for _, side := range [][]float64{nil, {4, 4, 4, 4}, {4, 0, 4, 0}} {
				if side != nil && name != "even" && name != "few" {
					continue // not in the box
				}
				tree := build(t, columns(700, d, f), 8, 1)
				for _, k := range []int{1, 5, shortList, shortList + 1, 300, 700} {
					search := NewNearest(tree, k, side)
					for i := 0; i < 700; i += 37 {
						skip := tree.Points.ID[i]
						var want []pair
						for j := range 700 {
							if row := tree.Points.ID[j]; row != skip {
								want = append(want, pair{square(at(&tree.Points, i), at(&tree.Points, j), side), row})
							}
						}
						slices.SortFunc(want, func(a, b pair) int { return cmp.Or(cmp.Compare(a.d2, b.d2), cmp.Compare(a.row, b.row)) })
						want = want[:min(k, len(want))]
						leaf := tree.Leaf(i)
						if i%2 == 1 {
							leaf = i % tree.Leaves() // any leaf will do
						}
						rows, d2 := search.Find(&tree.Points, i, skip, leaf)
						if len(rows) != len(want) {
							t.Fatalf("%s: k=%d found %d", name, k, len(rows))
						}
						for n, w := range want {
							if rows[n] != w.row || d2[n] != w.d2 {
								t.Fatalf("%s, %d dimensions, sides %v, k=%d: neighbour %d of %d is row %d at %v, want row %d at %v", name, d, side, k, n, i, rows[n], d2[n], w.row, w.d2)
							}
						}
					}
				}
			}
		}
	}
}

func TestRanger(t *testing.T) {
	for name, f := range inputs() {
		for _, d := range []int{1, 2, 3} {
			for _, side := range [][]float64{nil, {4, 4, 4}} {
				if side != nil && name != "even" && name != "few" {
					continue
				}
				a, b := build(t, columns(300, d, f), 16, 1), build(t, columns(200, d, f), 16, 1)
				for _, limit := range []float64{0, .01, 1, 9, 1e300} {
					r := NewRanger(a, b, side, limit)
					for leaf := range a.Leaves() {
						r.Visit(leaf)
						found := make([]int, 200)
						for kind, runs := range [][]kernel.Run{r.Runs, r.Whole} {
							for _, run := range runs {
								for j := run.Lo; j < run.Hi; j++ {
									found[j] += kind + 1
								}
							}
						}
						for i := int(a.Start[leaf]); i < int(a.Start[leaf+1]); i++ {
							for j, kind := range found {
								near := square(at(&a.Points, i), at(&b.Points, j), side) <= limit
								if kind > 2 || near && kind == 0 || !near && kind == 2 {
									t.Fatalf("%s: d² ≤ %v: points %d and %d, near: %v, found as %d", name, limit, i, j, near, kind)
								}
							}
						}
					}
				}
			}
		}
	}
}

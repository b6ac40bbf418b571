package kdtree

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/column"
	"skyjoin/internal/kernel"
)

// densities are coordinates whose density differs from place to place, so that
// guesses by density are wrong, and those of inputs.
func densities() map[string]func(i int) float64 {
	r := rand.New(rand.NewPCG(21, 22))
	all := inputs()
	all["skewed"] = func(int) float64 { return math.Exp(30 * r.Float64()) }
	all["clump"] = func(i int) float64 {
		if i%9 > 0 {
			return 3 + 1e-6*r.NormFloat64()
		}
		return 100 * r.Float64()
	}
	all["twins"] = func(i int) float64 { return float64(i/40) + 1e3*float64(i/400) }
	all["tiny"] = func(int) float64 { return 1e-200 * r.Float64() }
	return all
}

func TestFindAll(t *testing.T) {
	for name, f := range densities() {
		for _, dim := range []int{1, 2, 5} {
			for _, leaf := range []int{8, 32} {
				const n = 700
				data := build(t, columns(n, dim, f), leaf, 1)
				other := build(t, columns(90, dim, f), leaf, 1)
				for _, k := range []int{1, 8, 33, 100, n - 1} {
					t.Run(fmt.Sprint(name, "/", dim, "/", leaf, "/", k), func(t *testing.T) {
						testFindAll(t, data, data, k, nil, true)
						testFindAll(t, data, other, k, nil, false)
					})
				}
			}
		}
	}
}

// inBox returns coordinates between 0 and side, some of them at the ends.
func inBox(f func(int) float64, side float64) func(int) float64 {
	r := rand.New(rand.NewPCG(23, 24))
	return func(i int) float64 {
		if r.IntN(20) == 0 {
			return side * float64(r.IntN(2))
		}
		return math.Mod(math.Abs(f(i)), side)
	}
}

// TestFindAllWraps has balls across edges, some so large that they meet
// themselves.
func TestFindAllWraps(t *testing.T) {
	for name, f := range densities() {
		for _, side := range []float64{4, 1, .01} {
			for _, dim := range []int{1, 2, 5} {
				const n = 500
				periods := make([]float64, dim)
				var a, b []column.Column
				for c := range periods {
					periods[c] = side * float64((dim+1-c)%3) // 0 for some
					place := inBox(f, side)
					if periods[c] == 0 {
						place = f
					}
					a, b = append(a, columns(n, 1, place)...), append(b, columns(60, 1, place)...)
				}
				data, other := build(t, a, 16, 1), build(t, b, 8, 1)
				for _, k := range []int{1, 8, 100, n - 1} {
					t.Run(fmt.Sprint(name, "/", side, "/", dim, "/", k), func(t *testing.T) {
						testFindAll(t, data, data, k, periods, true)
						testFindAll(t, data, other, k, periods, false)
					})
				}
			}
		}
	}
}

// testFindAll asks for some of the queries of some leaves, and compares their
// lists with a sort.
func testFindAll(t *testing.T, data, query *Tree, k int, periods []float64, self bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(k), 5))
	search := NewNearest(data, k, periods)
	if k%2 == 0 {
		search.group.most = 3 * k // often too few for a leaf, and not for one query
	}
	for leaf := range query.Leaves() {
		if r.IntN(1+query.Leaves()/6) > 0 {
			continue
		}
		var positions []uint32
		for i := query.Start[leaf]; i < query.Start[leaf+1]; i++ {
			if leaf%2 == 0 || r.IntN(4) > 0 {
				positions = append(positions, i)
			}
		}
		if len(positions) == 0 {
			continue
		}
		room := len(positions)*k + kernel.Slack
		index, d2 := make([]uint32, room), make([]float64, room)
		search.FindAll(query, leaf, positions, self, index, d2)
		for n, i := range positions {
			skip := kernel.None
			if self {
				skip = query.Points.ID[i]
			}
			want := sorted(data, query, int(i), skip, periods)[:k]
			for m, w := range want {
				if got := (entry{d2[n*k+m], index[n*k+m]}); got != w {
					t.Fatalf("neighbour %d of %d of position %d is %v, want %v", m, k, i, got, w)
				}
			}
		}
	}
}

// sorted returns d² and row of all points but skip, in order.
func sorted(data, query *Tree, i int, skip uint32, periods []float64) []entry {
	x := at(&query.Points, i)
	var all []entry
	for j := range data.Points.N {
		if row := data.Points.ID[j]; row != skip {
			all = append(all, entry{square(x, at(&data.Points, j), periods), row})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.row, b.row)) })
	return all
}

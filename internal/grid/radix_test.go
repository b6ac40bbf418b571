package grid

import (
	"cmp"
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/kernel"
)

// Both sorts order by key, equal keys as they came, whatever the width of the
// keys and the number of threads.
func TestRadixSort(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, n := range []int{0, 1, 2, 1000, 5000} {
		for _, width := range []int{0, 1, 10, 11, 12, 22, 23, 41, 64} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = r.Uint64() >> (64 - width)
			}
			want := make([]uint32, n)
			for i := range want {
				want[i] = uint32(i)
			}
			slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
			for _, threads := range []int{1, 2, 7} {
				rows := make([]uint32, n+kernel.Slack)
				for i := range n {
					rows[i] = uint32(i)
				}
				sorted, rows := SortByKey(threads, slices.Clone(keys), rows)
				if !slices.Equal(rows[:n], want) || !slices.IsSorted(sorted) {
					t.Fatalf("%d keys of %d bits on %d threads: not sorted", n, width, threads)
				}
				low := bits.Len(uint(n))
				if low+width > 64 {
					continue
				}
				words := make([]uint64, n)
				for i, k := range keys {
					words[i] = k<<low | uint64(i)
				}
				for i, w := range radixSort(threads, words, make([]uint64, n), low, low+width) {
					if row := uint32(w & (1<<low - 1)); row != want[i] || w>>low != keys[row] {
						t.Fatalf("%d words of %d bits on %d threads: word %d is of row %d, want %d", n, width, threads, i, row, want[i])
					}
				}
			}
		}
	}
}

// Keys too wide to share a word with their row make the same cells.
func TestWideKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	s := random(r, 3000, 2, func() float64 { return float64(r.IntN(40)) })
	g := NewGeometry(Config{Radius: 1, shape: &shape{dims: []int{0, 1}, leading: 1, last: 1}}, s, s)
	narrow, err := g.Build(context.Background(), s, 3)
	if err != nil {
		t.Fatal(err)
	}
	g.axes[0].cells = 1 << 50 / g.axes[0].stride // as if it were: no point is there
	if b := newBuilder(g, s.Len(), 1, make([]float64, 2*s.Len())); b.wide() {
		t.Fatal("keys of 50 bits and rows of 12 do not fit a word")
	}
	g.axes[0].cells = 1 << 60 / g.axes[0].stride
	if b := newBuilder(g, s.Len(), 1, make([]float64, 2*s.Len())); !b.wide() {
		t.Fatal("keys of 60 bits and rows of 12 fit a word")
	}
	wide, err := g.Build(context.Background(), s, 3)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(narrow.Rows(), wide.Rows()) || !slices.Equal(narrow.keys, wide.keys) || !slices.Equal(narrow.Start, wide.Start) {
		t.Error("wide keys make another grid")
	}
}

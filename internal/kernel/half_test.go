package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// checkHalf compares Half with each pair looked at once.
func checkHalfCounts(t *testing.T, k *Funcs, p *Points, lo, hi, end int, runs []Run, threshold float64) {
	t.Helper()
	want := make([]uint32, p.N+Slack+1)
	for i := range want {
		want[i] = uint32(i)
	}
	got := slices.Clone(want)
	for i := lo; i < hi; i++ {
		all := append([]Run{{uint32(i + 1), uint32(end)}}, runs...)
		s := &scene{q: p, d: p, lo: i, hi: i + 1, runs: all, t: threshold}
		s.each(func(i, j int, _ float64) { want[i]++; want[j]++ })
	}
	k.Half(p, lo, hi, end, runs, threshold, got)
	if !slices.Equal(got, want) {
		t.Fatalf("Half of [%d, %d) to %d and %v within %g: got %d, want %d", lo, hi, end, runs, threshold, got, want)
	}
}

func TestHalf(t *testing.T) {
	everyTier(t, func(t *testing.T, k *Funcs, dim int) {
		r := rand.New(rand.NewPCG(3, uint64(dim)))
		for hi := range 9 {
			for own := range 22 {
				for _, name := range []string{"lattice", "nasty"} {
					coordinate := func() float64 { return coordinates[name](r) }
					lo := r.IntN(3)
					end := lo + hi + own
					p := fenced(dim, end+40, coordinate)
					runs := []Run{{uint32(end + 2), uint32(end + 2 + r.IntN(20))}, {uint32(end + 22), uint32(end + 22 + r.IntN(19))}}
					threshold := squaredDistance(p, r.IntN(p.N), p, r.IntN(p.N))
					checkHalfCounts(t, k, p, lo, lo+hi, end, runs, threshold)
					// Nothing behind the block but its slack.
					checkHalfCounts(t, k, fenced(dim, end, coordinate), lo, lo+hi, end, nil, threshold)
				}
			}
		}
	})
}

// TestHalfManyCandidates has queries with more candidates than one call of the
// assembly takes.
func TestHalfManyCandidates(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	p := fenced(2, 200_000, r.Float64)
	for _, k := range All() {
		checkHalfCounts(t, k, p, 3, 5, 80_000, []Run{{80_001, 80_100}, {81_000, 199_999}}, 0.01)
	}
}

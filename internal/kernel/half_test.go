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

// checkSelfEmitted compares EmitSelf, with d² and without, with each pair looked
// at in turn.
func checkSelfEmitted(t *testing.T, k *Funcs, p *Points, lo, hi, begin, end int, runs []Run, threshold float64) {
	t.Helper()
	var wantID, wantCount []uint32
	var wantD2 []float64
	candidates := end - min(lo, begin)
	for _, r := range runs {
		candidates += int(r.Hi - r.Lo)
	}
	for i := lo; i < hi; i++ {
		all := append([]Run{{uint32(i + 1), uint32(end)}, {uint32(min(i, begin)), uint32(i)}}, runs...)
		s := &scene{q: p, d: p, lo: i, hi: i + 1, runs: all, t: threshold}
		before := len(wantID)
		s.each(func(_, j int, d2 float64) { wantID, wantD2 = append(wantID, p.ID[j]), append(wantD2, d2) })
		wantCount = append(wantCount, uint32(len(wantID)-before))
	}
	room := (hi-lo)*candidates + Slack
	for _, squared := range []bool{false, true} {
		out, dist := make([]uint32, room+1), make([]float64, room+1)
		out[room], dist[room] = 123456789, 0.125
		count := make([]uint32, hi-lo+1)
		for i := range count {
			count[i] = 77
		}
		var n int
		if squared {
			n = k.EmitSelf(p, lo, hi, begin, end, runs, threshold, out[:room], dist[:room], count)
		} else {
			n = k.EmitSelf(p, lo, hi, begin, end, runs, threshold, out[:room], nil, count)
		}
		if !slices.Equal(out[:n], wantID) || squared && !slices.Equal(dist[:n], wantD2) {
			t.Fatalf("EmitSelf (squared %v) of [%d, %d) in [%d, %d) and %v within %g: got %d %g, want %d %g", squared, lo, hi, begin, end, runs, threshold, out[:n], dist[:n], wantID, wantD2)
		}
		if !slices.Equal(count[:hi-lo], wantCount) || count[hi-lo] != 77 {
			t.Fatalf("EmitSelf of [%d, %d) to %d and %v: counts %d, want %d", lo, hi, end, runs, count, wantCount)
		}
		if out[room] != 123456789 || dist[room] != 0.125 {
			t.Fatal("EmitSelf wrote past the room")
		}
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
					checkSelfEmitted(t, k, p, lo, lo+hi, int(None), end, runs, threshold)
					checkSelfEmitted(t, k, p, lo, lo+hi, r.IntN(lo+1), end, runs, threshold)
					// Nothing behind the block but its slack.
					p = fenced(dim, end, coordinate)
					checkHalfCounts(t, k, p, lo, lo+hi, end, nil, threshold)
					checkSelfEmitted(t, k, p, lo, lo+hi, int(None), end, nil, threshold)
					checkSelfEmitted(t, k, p, lo, lo+hi, 0, end, nil, threshold)
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
		checkSelfEmitted(t, k, p, 3, 5, 2, 80_000, []Run{{80_001, 80_100}, {81_000, 199_999}}, 0.01)
	}
}

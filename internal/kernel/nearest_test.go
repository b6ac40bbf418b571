package kernel

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkNearestList compares Nearest, called once for each run, with a sort.
func (s *scene) checkNearestList(t *testing.T, k *Funcs, n int, skip uint32) {
	t.Helper()
	type neighbour struct {
		d2 float64
		id uint32
	}
	for i := s.lo; i < s.hi; i++ {
		one := &scene{q: s.q, d: s.d, lo: i, hi: i + 1, runs: s.runs, t: math.Inf(1)}
		var want []neighbour
		one.each(func(_, j int, d2 float64) {
			if id := s.d.ID[j]; id != skip {
				want = append(want, neighbour{d2, id})
			}
		})
		slices.SortFunc(want, func(a, b neighbour) int { return cmp.Or(cmp.Compare(a.d2, b.d2), cmp.Compare(a.id, b.id)) })
		for len(want) < n {
			want = append(want, neighbour{math.Inf(1), None})
		}
		dist, id := make([]float64, ListLen(n)+1), make([]uint32, ListLen(n)+1)
		room := ListLen(n)
		dist[room], id[room] = -1, 1
		ClearList(dist[:room], id[:room])
		k.Nearest(s.q, i, s.d, s.runs[:len(s.runs)/2], skip, n, dist[:room], id[:room])
		for _, run := range s.runs[len(s.runs)/2:] {
			k.Nearest(s.q, i, s.d, []Run{run}, skip, n, dist[:room], id[:room])
		}
		for m := range n {
			if want[m] != (neighbour{dist[m], id[m]}) {
				t.Fatalf("neighbour %d of %d of query %d in %v: got %g %d, want %v", m, n, i, s.runs, dist[:n], id[:n], want[:n])
			}
		}
		if dist[room] != -1 || id[room] != 1 {
			t.Fatal("Nearest wrote past the room")
		}
	}
}

func TestNearest(t *testing.T) {
	lengths := []int{1, 2, 7, 8, 9, 16, 17, 24, 25, 31, 32, 33, 64, 100}
	everyTier(t, func(t *testing.T, k *Funcs, dim int) {
		r := rand.New(rand.NewPCG(8, uint64(dim)))
		everyScene(dim, func(s *scene) {
			// IDs in no order, so that ties are not met in theirs.
			for i := range s.d.ID[:s.d.N] {
				j := r.IntN(i + 1)
				s.d.ID[i], s.d.ID[j] = s.d.ID[j], s.d.ID[i]
			}
			skip := None
			if s.d.N > 0 && r.IntN(2) == 0 {
				skip = s.d.ID[r.IntN(s.d.N)]
			}
			s.checkNearestList(t, k, lengths[r.IntN(len(lengths))], skip)
		})
	})
}

// TestNearestManyCandidates has more candidates than one call of the assembly
// takes.
func TestNearestManyCandidates(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	d := fenced(2, 100_000, func() float64 { return float64(r.IntN(1000)) })
	s := &scene{q: d, d: d, lo: 10, hi: 12, runs: []Run{{0, 3}, {3, 99_999}}}
	for _, k := range All() {
		for _, n := range []int{5, 30, 200} {
			s.checkNearestList(t, k, n, d.ID[10])
		}
	}
}

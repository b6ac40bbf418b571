package kernel

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// squaredDistance is d² as the package promises it, written out once more.
func squaredDistance(q *Points, i int, d *Points, j int) float64 {
	var sum float64
	for c := range q.Dim {
		x := q.Data[c*q.Stride+i] - d.Data[c*d.Stride+j]
		sum += float64(x * x)
	}
	return sum
}

// fenced returns n points whose slack, and what is between the columns, is
// NaN, with IDs that are not positions.
func fenced(dim, n int, coordinate func() float64) *Points {
	p := &Points{Stride: n + Slack + 5, N: n, Dim: dim}
	p.Data = make([]float64, dim*p.Stride)
	for i := range p.Data {
		p.Data[i] = math.NaN()
	}
	for c := range dim {
		for i := range n {
			p.Data[c*p.Stride+i] = coordinate()
		}
	}
	p.ID = make([]uint32, n+Slack)
	for i := range p.ID {
		p.ID[i] = uint32(7*i + 1000)
	}
	return p
}

// A scene is one call of a kernel.
type scene struct {
	q, d   *Points
	lo, hi int
	runs   []Run
	t      float64
}

func (s *scene) candidates() int {
	n := 0
	for _, r := range s.runs {
		n += int(r.Hi - r.Lo)
	}
	return n
}

// each calls f for every pair within t, in the order of Emit.
func (s *scene) each(f func(i, j int, d2 float64)) {
	for i := s.lo; i < s.hi; i++ {
		for _, r := range s.runs {
			for j := int(r.Lo); j < int(r.Hi); j++ {
				if d2 := squaredDistance(s.q, i, s.d, j); d2 <= s.t {
					f(i, j, d2)
				}
			}
		}
	}
}

// coordinates are ways to place points: a lattice, where many d² are exactly
// t, an even spread, and one with NaN, infinities and extremes.
var coordinates = map[string]func(r *rand.Rand) float64{
	"lattice": func(r *rand.Rand) float64 { return float64(r.IntN(4)) },
	"even":    func(r *rand.Rand) float64 { return r.Float64() },
	"nasty": func(r *rand.Rand) float64 {
		special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, 5e-324, 0, math.Copysign(0, -1)}
		if r.IntN(6) == 0 {
			return special[r.IntN(len(special))]
		}
		return r.Float64()
	},
}

// randomScene draws points, queries, runs and a threshold that is, two times
// in three, exactly the d² of some pair.
func randomScene(r *rand.Rand, dim int, place func(*rand.Rand) float64) *scene {
	coordinate := func() float64 { return place(r) }
	s := &scene{q: fenced(dim, 1+r.IntN(12), coordinate), d: fenced(dim, r.IntN(150), coordinate)}
	s.lo = r.IntN(s.q.N + 1)
	s.hi = s.lo + r.IntN(s.q.N-s.lo+1)
	for at := 0; at < s.d.N; {
		lo := at + r.IntN(3)
		hi := min(s.d.N, lo+r.IntN(40))
		if lo > hi {
			break
		}
		s.runs = append(s.runs, Run{uint32(lo), uint32(hi)})
		at = hi + r.IntN(2)
	}
	s.t = r.Float64()
	if s.d.N > 0 && r.IntN(3) > 0 {
		s.t = squaredDistance(s.q, r.IntN(s.q.N), s.d, r.IntN(s.d.N))
	}
	return s
}

// moreKernels are tested like those of All.
var moreKernels []*Funcs

// everyTier runs f for the kernels of each instruction set, generic included,
// and each number of dimensions, one beyond the assembly too.
func everyTier(t *testing.T, f func(t *testing.T, k *Funcs, dim int)) {
	for _, k := range append(All(), moreKernels...) {
		for dim := 1; dim <= MaxDim+1; dim++ {
			t.Run(fmt.Sprintf("%s/d=%d", k.Name, dim), func(t *testing.T) { f(t, k, dim) })
		}
	}
}

// everyScene runs f on many scenes, the same for each tier.
func everyScene(dim int, f func(s *scene)) {
	r := rand.New(rand.NewPCG(11, uint64(dim)))
	for _, name := range slices.Sorted(maps.Keys(coordinates)) {
		for range 60 {
			f(randomScene(r, dim, coordinates[name]))
		}
	}
	// Every length modulo the vector width, at every alignment.
	for n := range 70 {
		s := randomScene(r, dim, coordinates["lattice"])
		s.d = fenced(dim, n+4, func() float64 { return float64(r.IntN(3)) })
		s.runs = []Run{{uint32(n % 5), uint32(n + n%4)}}
		if s.runs[0].Lo > s.runs[0].Hi {
			s.runs = nil
		}
		s.t = 2
		f(s)
	}
}

func (s *scene) checkCount(t *testing.T, k *Funcs) {
	t.Helper()
	want := make([]uint32, s.hi-s.lo+1)
	got := make([]uint32, s.hi-s.lo+1)
	for i := range want {
		want[i], got[i] = uint32(i*5), uint32(i*5)
	}
	s.each(func(i, j int, d2 float64) { want[i-s.lo]++ })
	k.Count(s.q, s.lo, s.hi, s.d, s.runs, s.t, got)
	if !slices.Equal(got, want) {
		t.Fatalf("Count of [%d, %d) in %v within %g: got %d, want %d", s.lo, s.hi, s.runs, s.t, got, want)
	}
}

func TestCount(t *testing.T) {
	everyTier(t, func(t *testing.T, k *Funcs, dim int) {
		everyScene(dim, func(s *scene) { s.checkCount(t, k) })
	})
}

func (s *scene) checkEmit(t *testing.T, k *Funcs) {
	t.Helper()
	var wantID []uint32
	var wantD2 []float64
	wantCount := make([]uint32, s.hi-s.lo)
	s.each(func(i, j int, d2 float64) {
		wantID, wantD2 = append(wantID, s.d.ID[j]), append(wantD2, d2)
		wantCount[i-s.lo]++
	})
	room := (s.hi-s.lo)*s.candidates() + Slack
	for _, squared := range []bool{false, true} {
		// One element more than the room, which must stay as it is.
		out, dist := make([]uint32, room+1), make([]float64, room+1)
		out[room], dist[room] = 123456789, 0.125
		count := make([]uint32, s.hi-s.lo+1)
		for i := range count {
			count[i] = 77
		}
		var n int
		if squared {
			n = k.Emit(s.q, s.lo, s.hi, s.d, s.runs, s.t, out[:room], dist[:room], count)
		} else {
			n = k.Emit(s.q, s.lo, s.hi, s.d, s.runs, s.t, out[:room], nil, count)
		}
		if !slices.Equal(out[:n], wantID) || squared && !slices.Equal(dist[:n], wantD2) {
			t.Fatalf("emit (squared %v) of [%d, %d) in %v within %g: got %d %g, want %d %g", squared, s.lo, s.hi, s.runs, s.t, out[:n], dist[:n], wantID, wantD2)
		}
		if !slices.Equal(count[:len(wantCount)], wantCount) {
			t.Fatalf("emit counts: got %d, want %d", count, wantCount)
		}
		if out[room] != 123456789 || dist[room] != 0.125 || count[len(wantCount)] != 77 {
			t.Fatal("emit wrote past the room")
		}
	}
}

func TestEmit(t *testing.T) {
	everyTier(t, func(t *testing.T, k *Funcs, dim int) {
		everyScene(dim, func(s *scene) { s.checkEmit(t, k) })
	})
}

// TestManyCandidates has queries with more candidates than one call of the
// assembly takes, in one run and in several.
func TestManyCandidates(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	d := fenced(2, 150_000, r.Float64)
	s := &scene{q: d, d: d, lo: 10, hi: 13, runs: []Run{{3, 140_001}, {140_010, 140_010}, {140_020, 150_000}}, t: 0.01}
	for _, k := range All() {
		t.Run(k.Name, func(t *testing.T) {
			s.checkCount(t, k)
			s.checkEmit(t, k)
		})
	}
}

func TestNonsensePanics(t *testing.T) {
	p := fenced(2, 20, func() float64 { return 1 })
	other := fenced(3, 20, func() float64 { return 1 })
	short := *p
	short.Data = p.Data[:len(p.Data)-6]
	bare := *p
	bare.ID = nil
	count, out, dist := make([]uint32, 20), make([]uint32, 1000), make([]float64, 1000)
	all := []Run{{0, 20}}
	for _, k := range All() {
		for name, f := range map[string]func(){
			"dimensions":  func() { k.Count(p, 0, 1, other, all, 1, count) },
			"queries":     func() { k.Count(p, 0, 21, p, all, 1, make([]uint32, 30)) },
			"order":       func() { k.Count(p, 2, 1, p, all, 1, count) },
			"run":         func() { k.Count(p, 0, 1, p, []Run{{0, 21}}, 1, count) },
			"backward":    func() { k.Count(p, 0, 1, p, []Run{{5, 4}}, 1, count) },
			"slack":       func() { k.Count(p, 0, 1, &short, all, 1, count) },
			"counts":      func() { k.Count(p, 0, 3, p, all, 1, count[:2]) },
			"room":        func() { k.Emit(p, 0, 2, p, all, 1, out[:40+Slack-1], nil, count) },
			"no ids":      func() { k.Emit(p, 0, 2, &bare, all, 1, out, nil, count) },
			"emit counts": func() { k.Emit(p, 0, 2, p, all, 1, out, nil, count[:1]) },
			"distances":   func() { k.Emit(p, 0, 2, p, all, 1, out, dist[:40], count) },
		} {
			t.Run(k.Name+"/"+name, func(t *testing.T) {
				defer func() {
					if recover() == nil {
						t.Error("did not panic")
					}
				}()
				f()
			})
		}
	}
}

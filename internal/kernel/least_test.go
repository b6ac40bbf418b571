package kernel

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// lists are what Least is given, drawn at random.
type lists struct {
	dist        []float64
	id          []uint32
	count, skip []uint32
}

// d2s are ways to draw d²: all different, many equal, many that differ in the
// last bits only, extremes.
var d2s = map[string]func(r *rand.Rand) float64{
	"even":  func(r *rand.Rand) float64 { return r.Float64() },
	"equal": func(r *rand.Rand) float64 { return float64(r.IntN(5)) },
	"close": func(r *rand.Rand) float64 { return math.Float64frombits(0x3ff0000000000000 + uint64(r.IntN(2000))) },
	"extreme": func(r *rand.Rand) float64 {
		return []float64{0, 5e-324, math.MaxFloat64, math.Inf(1), r.ExpFloat64()}[r.IntN(5)]
	},
}

func randomLists(r *rand.Rand, n, longest int, draw func(*rand.Rand) float64) *lists {
	l := &lists{}
	for range n {
		c := r.IntN(longest + 1)
		from := r.IntN(1000)
		skip := None
		for m, place := range r.Perm(c) {
			l.dist, l.id = append(l.dist, draw(r)), append(l.id, uint32(from+3*place))
			if m == 0 && r.IntN(2) == 0 {
				skip = l.id[len(l.id)-1]
			}
		}
		l.count, l.skip = append(l.count, uint32(c)), append(l.skip, skip)
	}
	return l
}

func (l *lists) check(t *testing.T, f *Funcs, k int, skip bool) {
	t.Helper()
	room := len(l.count)*k + Slack
	dist, id := make([]float64, room+1), make([]uint32, room+1)
	dist[room], id[room] = -1, 1
	skips, need := l.skip, k+1
	if !skip {
		skips, need = nil, k
	}
	f.Least(l.dist, l.id, l.count, skips, k, dist[:room], id[:room])
	if dist[room] != -1 || id[room] != 1 {
		t.Fatal("Least wrote past the room")
	}
	type candidate struct {
		d2 float64
		id uint32
	}
	at := 0
	for i, c := range l.count {
		var want []candidate
		for m := range int(c) {
			if id := l.id[at+m]; !skip || id != l.skip[i] {
				want = append(want, candidate{l.dist[at+m], id})
			}
		}
		at += int(c)
		if int(c) < need || int(c) > MostLeast(k) {
			continue
		}
		slices.SortFunc(want, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.d2, b.d2), cmp.Compare(a.id, b.id)) })
		for m := range k {
			if got := (candidate{dist[i*k+m], id[i*k+m]}); got != want[m] {
				t.Fatalf("list %d of %d candidates: %d of %d is %v, want %v", i, c, m, k, got, want[m])
			}
		}
	}
}

func TestLeast(t *testing.T) {
	for _, f := range All() {
		for name, draw := range d2s {
			t.Run(f.Name+"/"+name, func(t *testing.T) {
				r := rand.New(rand.NewPCG(3, 4))
				for _, k := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 256, 1000} {
					for _, longest := range []int{0, 3, 17, 33, 65, 129, 400, 1500, MaxLeast + 200} {
						if longest > MaxLeast && k < 256 {
							continue
						}
						for range 4 {
							randomLists(r, r.IntN(9), longest, draw).check(t, f, k, r.IntN(2) == 0)
						}
					}
				}
			})
		}
	}
}

// TestLeastLengths has lists of every length, of which all is asked for.
func TestLeastLengths(t *testing.T) {
	for _, f := range All() {
		r := rand.New(rand.NewPCG(5, 6))
		for n := 1; n <= MaxLeast; n += 1 + n/300*37 {
			l := randomLists(r, 1, 0, r64)
			l.count[0] = uint32(n)
			for m, place := range r.Perm(n) {
				l.dist, l.id = append(l.dist, float64(place/2)), append(l.id, uint32(m))
			}
			l.check(t, f, n, false)
			l.skip[0] = uint32(r.IntN(n))
			if n > 1 {
				l.check(t, f, n-1, true)
			}
		}
	}
}

func r64(r *rand.Rand) float64 { return r.Float64() }

func TestLeastPanics(t *testing.T) {
	dist, id := make([]float64, 100), make([]uint32, 100)
	for _, f := range All() {
		for name, call := range map[string]func(){
			"candidates": func() { f.Least(dist[:5], id, []uint32{3, 3}, nil, 1, dist, id) },
			"skip":       func() { f.Least(dist, id, []uint32{3, 3}, []uint32{1}, 1, dist, id) },
			"room":       func() { f.Least(dist, id, []uint32{3, 3}, nil, 3, dist[:6+Slack-1], id) },
			"k":          func() { f.Least(dist, id, []uint32{3, 3}, nil, 0, dist, id) },
		} {
			t.Run(fmt.Sprint(f.Name, "/", name), func(t *testing.T) {
				defer func() {
					if recover() == nil {
						t.Error("did not panic")
					}
				}()
				call()
			})
		}
	}
}

// BenchmarkLeast sorts lists as the joins make them: some more candidates than
// are asked for.
func BenchmarkLeast(b *testing.B) {
	for _, f := range All() {
		for _, k := range []int{8, 32, 64, 128, 256, 384, 1000} {
			b.Run(fmt.Sprintf("%s/k=%d", f.Name, k), func(b *testing.B) {
				r := rand.New(rand.NewPCG(7, 8))
				const n = 16
				l := &lists{}
				for i := range n {
					l.count = append(l.count, uint32(k+1+r.IntN(2+int(3*math.Sqrt(float64(k))))))
					l.skip = append(l.skip, uint32(1000*i))
					for m := range l.count[i] {
						l.dist, l.id = append(l.dist, r.Float64()), append(l.id, uint32(1000*i)+m)
					}
				}
				dist, id := make([]float64, n*k+Slack), make([]uint32, n*k+Slack)
				for b.Loop() {
					f.Least(l.dist, l.id, l.count, l.skip, k, dist, id)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/list")
			})
		}
	}
}

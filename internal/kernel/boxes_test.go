package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// boxed returns the runs of a scene with boxes around their points, some wider
// than they must be.
func (s *scene) boxed(r *rand.Rand) *Boxes {
	b := &Boxes{}
	for _, run := range s.runs {
		box := make([]float64, 2*s.d.Dim)
		for c := range s.d.Dim {
			least, most := math.Inf(1), math.Inf(-1)
			for j := run.Lo; j < run.Hi; j++ {
				x := s.d.Data[c*s.d.Stride+int(j)]
				least, most = min(least, x), max(most, x)
			}
			if r.IntN(4) == 0 {
				least, most = least-1, most+1
			}
			box[c], box[s.d.Dim+c] = least, most
		}
		b.Add(run, box)
	}
	return b
}

// finite reports whether boxes can hold the points.
func (p *Points) finite() bool {
	for c := range p.Dim {
		for _, x := range p.Data[c*p.Stride : c*p.Stride+p.N] {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return false
			}
		}
	}
	return true
}

func (s *scene) checkEmitNear(t *testing.T, k *Funcs, r *rand.Rand) {
	t.Helper()
	b := s.boxed(r)
	room := (s.hi-s.lo)*s.candidates() + Slack
	out, dist := make([]uint32, room+1), make([]float64, room+1)
	out[room], dist[room] = 123456789, 0.125
	count := make([]uint32, s.hi-s.lo+1)
	for i := range count {
		count[i] = 77
	}
	n := k.EmitNear(s.q, s.lo, s.hi, s.d, b.Runs, b.Box, s.t, out[:room], dist[:room], count)
	wantID, wantD2, wantCount := make([]uint32, room), make([]float64, room), make([]uint32, s.hi-s.lo)
	want := generic.EmitSquared(s.q, s.lo, s.hi, s.d, s.runs, s.t, wantID, wantD2, wantCount)
	if !slices.Equal(out[:n], wantID[:want]) || !slices.Equal(dist[:n], wantD2[:want]) || !slices.Equal(count[:len(wantCount)], wantCount) {
		t.Fatalf("EmitNear of [%d, %d) in %v within %g: got %d %g %d, want %d %g %d", s.lo, s.hi, s.runs, s.t, out[:n], dist[:n], count, wantID[:want], wantD2[:want], wantCount)
	}
	if out[room] != 123456789 || dist[room] != 0.125 || count[len(wantCount)] != 77 {
		t.Fatal("EmitNear wrote past the room")
	}
}

func TestEmitNear(t *testing.T) {
	everyTier(t, func(t *testing.T, k *Funcs, dim int) {
		r := rand.New(rand.NewPCG(12, uint64(dim)))
		everyScene(dim, func(s *scene) {
			if s.q.finite() && s.d.finite() {
				s.checkEmitNear(t, k, r)
			}
		})
	})
}

// TestEmitNearSkips counts on far boxes not being looked at: the points of
// theirs are within t, which only a kernel that looks can tell.
func TestEmitNearSkips(t *testing.T) {
	everyTier(t, func(t *testing.T, k *Funcs, dim int) {
		d := fenced(dim, 300, func() float64 { return 1 })
		b, near, far := &Boxes{}, make([]float64, 2*dim), make([]float64, 2*dim)
		for c := range dim {
			near[c], near[dim+c], far[c], far[dim+c] = 0, 2, 5, 6
		}
		want := uint32(0)
		for i := range 100 {
			run := Run{uint32(3 * i), uint32(3*i + 3)}
			if i%7 == 0 || i > 60 && i < 80 {
				b.Add(run, near)
				want += 3
			} else {
				b.Add(run, far)
			}
		}
		out, dist, count := make([]uint32, 2*300+Slack), make([]float64, 2*300+Slack), make([]uint32, 2)
		k.EmitNear(d, 10, 12, d, b.Runs, b.Box, 2, out, dist, count)
		if count[0] != want || count[1] != want {
			t.Errorf("found %d, want %d", count, want)
		}
	})
}

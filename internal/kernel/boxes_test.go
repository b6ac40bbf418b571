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

// checkEmitNear compares with the definition, in plain space or under periods.
func (s *scene) checkEmitNear(t *testing.T, k *Funcs, r *rand.Rand, periods []float64) {
	t.Helper()
	b, side := s.boxed(r), Sides(periods)
	room := (s.hi-s.lo)*s.candidates() + Slack
	out, dist := make([]uint32, room+1), make([]float64, room+1)
	out[room], dist[room] = 123456789, 0.125
	count := make([]uint32, s.hi-s.lo+1)
	for i := range count {
		count[i] = 77
	}
	n := k.EmitNear(s.q, s.lo, s.hi, s.d, b.Runs, b.Box, side, s.t, out[:room], dist[:room], count)
	var wantID []uint32
	var wantD2 []float64
	wantCount := make([]uint32, s.hi-s.lo)
	for i := s.lo; i < s.hi; i++ {
		for _, run := range s.runs {
			for j := int(run.Lo); j < int(run.Hi); j++ {
				if d2 := imageDistance(s.q, i, s.d, j, periods); d2 <= s.t {
					wantID, wantD2 = append(wantID, s.d.ID[j]), append(wantD2, d2)
					wantCount[i-s.lo]++
				}
			}
		}
	}
	if !slices.Equal(out[:n], wantID) || !slices.Equal(dist[:n], wantD2) || !slices.Equal(count[:len(wantCount)], wantCount) {
		t.Fatalf("EmitNear of [%d, %d) in %v within %g, periods %g: got %d %g %d, want %d %g %d", s.lo, s.hi, s.runs, s.t, periods, out[:n], dist[:n], count, wantID, wantD2, wantCount)
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
				s.checkEmitNear(t, k, r, nil)
			}
		})
	})
}

// imageDistance is d² to the nearest image, written out once more; a period of
// 0 is none.
func imageDistance(q *Points, i int, d *Points, j int, periods []float64) float64 {
	var sum float64
	for c := range q.Dim {
		x := q.Data[c*q.Stride+i] - d.Data[c*d.Stride+j]
		if periods != nil && periods[c] > 0 {
			x = math.Min(math.Abs(x), periods[c]-math.Abs(x))
		}
		sum += float64(x * x)
	}
	return sum
}

// TestEmitNearWraps has points between 0 and the sides, ends included, and axes
// with and without a period.
func TestEmitNearWraps(t *testing.T) {
	everyTier(t, func(t *testing.T, k *Funcs, dim int) {
		r := rand.New(rand.NewPCG(13, uint64(dim)))
		for range 400 {
			scale := []float64{1, 3, 0.7, 1e-160, 1e150}[r.IntN(5)]
			s := randomScene(r, dim, func(r *rand.Rand) float64 {
				if r.IntN(3) == 0 {
					return scale * float64(r.IntN(5)) / 4
				}
				return scale * r.Float64()
			})
			periods := make([]float64, dim)
			for c := range periods {
				if r.IntN(4) > 0 {
					periods[c] = scale * (1 + float64(r.IntN(2))*r.Float64())
					continue
				}
				for _, p := range []*Points{s.q, s.d} {
					for i := range p.N {
						if r.IntN(20) == 0 { // differences are infinite
							p.Data[c*p.Stride+i] = math.MaxFloat64 * float64(1-2*r.IntN(2))
						}
					}
				}
			}
			s.t *= scale * scale
			if s.d.N > 0 && r.IntN(3) > 0 {
				s.t = imageDistance(s.q, r.IntN(s.q.N), s.d, r.IntN(s.d.N), periods)
			}
			s.checkEmitNear(t, k, r, periods)
		}
	})
}

func TestSides(t *testing.T) {
	if s := Sides([]float64{0, 0}); s != nil {
		t.Errorf("no periods: %v", s)
	}
	if s := Sides([]float64{0, 5}); !slices.Equal(s, []float64{math.Inf(1), 5}) {
		t.Errorf("one period: %v", s)
	}
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
		// At the nearest images, far boxes are near in a small box.
		for _, side := range []struct {
			periods []float64
			want    uint32
		}{{nil, want}, {slices.Repeat([]float64{11}, dim), want}, {slices.Repeat([]float64{6}, dim), 300}} {
			k.EmitNear(d, 10, 12, d, b.Runs, b.Box, Sides(side.periods), float64(2*dim), out, dist, count)
			if count[0] != side.want || count[1] != side.want {
				t.Errorf("periods %v: found %d, want %d", side.periods, count, side.want)
			}
		}
	})
}

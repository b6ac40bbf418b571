package neighbors

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// orderedPairs flattens the stream and checks its form.
func orderedPairs(t *testing.T, p *Plan, j Joiner, limit int64, once bool) (pairs [][2]uint32, dist []float64) {
	t.Helper()
	next := uint32(0)
	for b, err := range Ordered(context.Background(), j, p, limit, once) {
		if err != nil {
			t.Fatal(err)
		}
		filled := 0
		for i := range b.Rows {
			filled += min(len(b.List(i)), 1)
		}
		if limit > 0 && filled > 1 && int64(len(b.Index)) > limit {
			t.Fatalf("a batch of %d lists has %d neighbours, the limit is %d", filled, len(b.Index), limit)
		}
		for i, r := range b.Rows {
			if r != next {
				t.Fatalf("row %d after row %d", r, next-1)
			}
			next++
			for k, q := range b.List(i) {
				pairs = append(pairs, [2]uint32{r, q})
				dist = append(dist, b.Dists(i)[k])
			}
		}
	}
	if int(next) != p.Len() {
		t.Fatalf("%d rows of %d", next, p.Len())
	}
	return pairs, dist
}

func TestOrdered(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	points := func(n int) *Points {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(r.IntN(30)), r.Float64()*30
		}
		p, err := NewPoints(Float64s(x), Float64s(y))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, b := points(700), points(300)
	ctx := context.Background()
	for _, in := range []Input{{Query: a}, {Query: a, Data: b}, {Query: b, Data: a}, {Query: points(1)}, {Query: points(0)}} {
		p, err := Prepare(ctx, in, Within{Radius: 1.5, Distance: true})
		if err != nil {
			t.Fatal(err)
		}
		table, err := Collect(ctx, Brute{}, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, once := range []bool{false, true} {
			if once && !p.Self() {
				continue
			}
			var want [][2]uint32
			var wantDist []float64
			for i := range table.Len() {
				for k, q := range table.List(i) {
					if !once || q > uint32(i) {
						want = append(want, [2]uint32{uint32(i), q})
						wantDist = append(wantDist, table.Dists(i)[k])
					}
				}
			}
			for _, j := range []Joiner{Brute{}, CPU{Threads: 1}, CPU{Threads: 3}} {
				for _, limit := range []int64{0, 1, 17, 1000, 1 << 40} {
					got, dist := orderedPairs(t, p, j, limit, once)
					if !slices.Equal(got, want) || !slices.Equal(dist, wantDist) {
						t.Errorf("%d rows, %T, limit %d, once %v: %d pairs, want %d", p.Len(), j, limit, once, len(got), len(want))
					}
				}
			}
		}
	}
}

func TestOrderedEnds(t *testing.T) {
	x := make([]float64, 500)
	points, err := NewPoints(Float64s(x))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(context.Background(), Input{Query: points, Data: points}, Within{Radius: 1})
	if err != nil {
		t.Fatal(err)
	}
	for b, err := range Ordered(context.Background(), CPU{}, p, 0, true) {
		if b != nil || !errors.Is(err, ErrRequest) {
			t.Errorf("pairs once of a join of two sets: %v, want ErrRequest", err)
		}
	}
	batches := 0
	for _, err := range Ordered(context.Background(), CPU{}, p, 600, false) {
		if err != nil {
			t.Fatal(err)
		}
		if batches++; batches == 2 {
			break
		}
	}
	if batches != 2 {
		t.Errorf("%d batches before the break, want 2", batches)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range Ordered(ctx, CPU{}, p, 600, false) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

package neighbors_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

func scattered(t *testing.T, n int, seed uint64) *neighbors.Points {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = r.Float64(), r.Float64()
	}
	p, err := neighbors.NewPoints(neighbors.Float64s(x), neighbors.Float64s(y))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Passes of any size, one row at a time included, give what Collect gives, in
// the order of rows.
func TestInOrder(t *testing.T) {
	ctx := context.Background()
	a, b := scattered(t, 400, 1), scattered(t, 300, 2)
	for name, in := range map[string]neighbors.Input{"self": {Query: a}, "cross": {Query: a, Data: b}} {
		for _, q := range []neighbors.Query{neighbors.Within{Radius: 0.1, Distance: true}, neighbors.Within{Radius: 0.07}, neighbors.Nearest{K: 3}} {
			p, err := neighbors.Prepare(ctx, in, q)
			if err != nil {
				t.Fatal(err)
			}
			joiner := neighbors.CPU{Threads: 3}
			want, err := neighbors.Collect(ctx, joiner, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, entries := range []int64{0, 1, 100, 5000} {
				row, done, passes := 0, int64(0), 0
				err := neighbors.InOrder(ctx, joiner, p, neighbors.Order{Entries: entries, Progress: counter(&done)}, func(got *neighbors.Batch) error {
					passes++
					if entries > 1 && int64(len(got.Index)) > entries {
						t.Errorf("a pass has %d neighbours, %d were allowed", len(got.Index), entries)
					}
					for i, r := range got.Rows {
						if int(r) != row || !slices.Equal(got.List(i), want.List(row)) || !slices.Equal(got.Dists(i), want.Dists(row)) {
							t.Fatalf("%s, %v, %d entries: list %d is %v, want %v", name, q, entries, r, got.List(i), want.List(row))
						}
						row++
					}
					return nil
				})
				if err != nil || row != a.Len() || done != int64(row) {
					t.Errorf("%s, %v, %d entries: %d rows, %d reported, %v", name, q, entries, row, done, err)
				}
				if entries == 100 && passes < 2 {
					t.Errorf("%s, %v: one pass of %d neighbours", name, q, len(want.Index))
				}
			}
		}
	}
}

// counter adds to sum; the test's joiner reports from several goroutines, so
// it sends the numbers through a channel of one.
func counter(sum *int64) func(int64) {
	lock := make(chan struct{}, 1)
	return func(n int64) {
		lock <- struct{}{}
		*sum += n
		<-lock
	}
}

func TestInOrderHalf(t *testing.T) {
	ctx := context.Background()
	a := scattered(t, 500, 3)
	periodic := neighbors.Periodic(1, 1)
	for _, c := range []struct {
		metric   neighbors.Metric
		distance bool
		threads  int
		entries  int64 // 0: all pairs fit one pass
	}{
		{neighbors.Euclidean(), true, 2, 300}, {neighbors.Euclidean(), false, 2, 300},
		{neighbors.Euclidean(), true, 1, 0}, {neighbors.Euclidean(), false, 2, 0}, {neighbors.Euclidean(), true, 7, 0},
		{periodic, true, 2, 0}, {neighbors.Sky(), true, 2, 0}, {neighbors.Sky(), true, 2, 300},
	} {
		distance := c.distance
		p, err := neighbors.Prepare(ctx, neighbors.Input{Query: a, Metric: c.metric}, neighbors.Within{Radius: 0.08, Distance: distance})
		if err != nil {
			t.Fatal(err)
		}
		want, err := neighbors.Collect(ctx, neighbors.CPU{}, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		var pairs int
		err = neighbors.InOrder(ctx, neighbors.CPU{Threads: c.threads}, p, neighbors.Order{Entries: c.entries, Half: true, Threads: 5}, func(got *neighbors.Batch) error {
			for i, r := range got.Rows {
				list := want.List(int(r))
				from, _ := slices.BinarySearch(list, r)
				if !slices.Equal(got.List(i), list[from:]) {
					t.Fatalf("row %d: %v, want %v", r, got.List(i), list[from:])
				}
				if distance && !slices.Equal(got.Dists(i), want.Dists(int(r))[from:]) {
					t.Fatalf("row %d: distances %v", r, got.Dists(i))
				}
				pairs += len(got.List(i))
			}
			return nil
		})
		if err != nil || pairs*2 != len(want.Index) {
			t.Errorf("%d pairs of %d neighbours, %v", pairs, len(want.Index), err)
		}
	}
	p, err := neighbors.Prepare(ctx, neighbors.Input{Query: a, Data: a}, neighbors.Within{Radius: 0.08})
	if err != nil {
		t.Fatal(err)
	}
	if err := neighbors.InOrder(ctx, neighbors.CPU{}, p, neighbors.Order{Half: true}, nil); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("half of a cross join: %v", err)
	}
}

func TestPartsOfPoints(t *testing.T) {
	p, err := neighbors.NewPoints(neighbors.Float64s([]float64{1, 2, 3, 4}), neighbors.Float32s([]float32{5, 6, 7, 8}))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		part *neighbors.Points
		want []float64
	}{"slice": {p.Slice(1, 3), []float64{2, 3, 6, 7}}, "subset": {p.Subset([]uint32{3, 0}), []float64{4, 1, 8, 5}}, "nothing": {p.Slice(4, 4), nil}} {
		var got []float64
		for j := range c.part.Dim() {
			for i := range c.part.Len() {
				got = append(got, c.part.Column(j).At(i))
			}
		}
		if !slices.Equal(got, c.want) || c.part.Dim() != 2 || c.part.Column(1).Float64 != nil {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

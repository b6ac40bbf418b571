package neighbors_test

import (
	"context"
	"errors"
	"testing"

	"skyjoin/neighbors"
)

// AtLeast says of every row what its count says, by halves or not.
func TestAtLeastIsCount(t *testing.T) {
	ctx := context.Background()
	a, b := scattered(t, 4000, 5), scattered(t, 300, 6)
	for _, in := range []neighbors.Input{{Query: a}, {Query: a, Metric: neighbors.Periodic(1, 1)}, {Query: a, Data: b}, {Query: scattered(t, 1, 7)}} {
		p, err := neighbors.Prepare(ctx, in, neighbors.Within{Radius: 0.03})
		if err != nil {
			t.Fatal(err)
		}
		want := make([]int64, p.Len())
		if err := neighbors.Count(ctx, neighbors.CPU{Algorithm: neighbors.KDTree}, p, p.Work(), want); err != nil {
			t.Fatal(err)
		}
		var sum int64
		for _, n := range want {
			sum += n
		}
		for _, j := range []neighbors.Joiner{neighbors.CPU{Threads: 1}, neighbors.CPU{Threads: 2}, neighbors.CPU{Threads: 7}, neighbors.CPU{Algorithm: neighbors.KDTree}} {
			for _, least := range []int64{-1, 0, 1, 11, 1 << 40} {
				enough := make([]bool, p.Len())
				total, err := neighbors.AtLeast(ctx, j, p, p.Work(), least, enough)
				if err != nil || total != sum {
					t.Fatalf("%+v: %d neighbours, want %d: %v", j, total, sum, err)
				}
				for row, n := range want {
					if enough[row] != (n >= least) {
						t.Fatalf("%+v: row %d has %d neighbours, at least %d: %v", j, row, n, least, enough[row])
					}
				}
			}
		}
		if _, err := neighbors.AtLeast(ctx, neighbors.CPU{}, p, p.Work(), 1, make([]bool, p.Len()+1)); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("room for too many: %v", err)
		}
	}
}

//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"skyjoin/neighbors"
)

// Of lists that one kernel makes, and that leave the card in many batches, those
// from the batch on that a visitor fails at go back, and no others.
func TestVisitorFailsAmongBatches(t *testing.T) {
	const batch = 200 // neighbours, of 25,000
	p := clumpPlan(t, 400)
	want, err := neighbors.Collect(context.Background(), neighbors.CPU{}, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	j, err := Open(Config{Batch: batch, Streams: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	failure := errors.New("no more")
	most := 0
	for i := range p.Len() {
		most = max(most, len(want.List(i)))
	}
	for _, fails := range []int{1, 2, 3, 5, 9, 40, math.MaxInt} {
		work := p.Work()
		seen := make([]int, p.Len())
		batches := 0
		var mu sync.Mutex
		err := j.Visit(context.Background(), p, work, func(_ int, b *neighbors.Batch) error {
			mu.Lock()
			defer mu.Unlock()
			if batches++; batches >= fails {
				return failure
			}
			for i, r := range b.Rows {
				seen[r]++
				got := slices.Sorted(slices.Values(b.List(i)))
				if !slices.Equal(got, want.List(int(r))) {
					t.Errorf("row %d: another list", r)
				}
			}
			return nil
		})
		switch {
		case fails < math.MaxInt && !errors.Is(err, failure):
			t.Errorf("error %v at batch %d, want that of the visitor", err, fails)
		case fails == math.MaxInt && err != nil:
			t.Fatal(err)
		}
		for rows := work.Take(math.MaxInt, 0); rows != nil; rows = work.Take(math.MaxInt, 0) {
			for _, r := range rows {
				seen[r]++
			}
		}
		for r, n := range seen {
			if n != 1 {
				t.Fatalf("batch %d fails: row %d is seen, or goes back, %d times", fails, r, n)
			}
		}
	}
	for _, l := range j.lanes {
		if n := len(l.pinned); n > underWay*max(batch, most) {
			t.Errorf("%d neighbours pinned for batches of %d, and rows of up to %d", n, batch, most)
		}
		if l.out.N < 4*batch {
			t.Errorf("a kernel has room for %d neighbours, want that of many batches", l.out.N)
		}
	}
}

//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"sync"
	"testing"

	"skyjoin/internal/jointest"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// A work of a few rows at a time, which do not follow each other.
type fewRows struct {
	neighbors.Work
	most  int
	taken [][]uint32
}

func (w *fewRows) Take(rows int, cost int64) []uint32 {
	got := w.Work.Take(min(rows, w.most), cost)
	if got != nil {
		w.taken = append(w.taken, got)
	}
	return got
}

// Of lists that one kernel makes, and that leave the card in many batches, those
// from the batch on that a visitor fails at go back, and no others; whether all
// rows are in hand or those that come next are put in hand meanwhile.
func TestVisitorFailsAmongBatches(t *testing.T) {
	t.Run("all in hand", func(t *testing.T) { visitorFails(t, 400) })
	t.Run("few in hand", func(t *testing.T) { visitorFails(t, 60) })
}

func visitorFails(t *testing.T, inHand int) {
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
		rows := make([]uint32, p.Len())
		for i := range rows {
			rows[i] = uint32((i*7 + 3) % len(rows))
		}
		work := &fewRows{Work: neighbors.NewWork(rows, nil), most: inHand}
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
		if n := len(work.taken); fails == math.MaxInt && n != (p.Len()+inHand-1)/inHand {
			t.Errorf("rows were taken %d times, %d at most", n, inHand)
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
		if inHand == p.Len() && l.out.N < 4*batch {
			t.Errorf("a kernel has room for %d neighbours, want that of many batches", l.out.N)
		}
	}
}

// A visitor that panics does so in the goroutine of the caller, and the joiner can be
// closed.
func TestVisitorPanics(t *testing.T) {
	p := clumpPlan(t, 400)
	for _, inHand := range []int{400, 60} {
		j, err := Open(Config{Batch: 200, Streams: 2})
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if v, ok := recover().(*par.Panic); !ok || v.Value != "visitor" {
					t.Errorf("recovered %v", v)
				}
			}()
			_ = j.Visit(t.Context(), p, &fewRows{Work: p.Work(), most: inHand}, func(int, *neighbors.Batch) error { panic("visitor") })
		}()
		j.Close()
	}
}

// A portioned joiner gets a few rows at a time.
type portioned struct{ *Joiner }

func (j portioned) Visit(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) error {
	return j.Joiner.Visit(ctx, p, &fewRows{Work: work, most: 1 + p.Len()/5}, visit)
}

func (j portioned) Join(ctx context.Context, p *neighbors.Plan, work neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	return neighbors.Stream(ctx, j, p, work)
}

func TestPortionsConform(t *testing.T) {
	j, err := Open(Config{Batch: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	jointest.RunFor(t, func() neighbors.Joiner { return portioned{j} }, func(p *neighbors.Plan) bool {
		return p.Within() != nil && supports(p) == nil && (querySpace(p).Dim() == 2 || !testing.Short())
	})
}

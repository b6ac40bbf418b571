//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"skyjoin/internal/cuda"
	"skyjoin/internal/space"
	"skyjoin/neighbors"
)

// Cards that need the same columns at the same time have them, whether they see
// each other or not, and whether or not a copy fails.
func TestColumnsSpread(t *testing.T) {
	const rows, dim, cards = 3000, 5, 4
	points := pairPoints(t, rand.New(rand.NewPCG(11, dim)), rows, dim, false)
	for _, c := range []struct{ peers, fail string }{{"1", ""}, {"0", ""}, {"1", "peer:1"}, {"1", "peer:3"}, {"1", "alloc:3"}} {
		t.Run(c.peers+c.fail, func(t *testing.T) {
			setenv(t, "EMULATOR_PEERS", c.peers)
			setenv(t, "EMULATOR_FAIL", c.fail)
			plan, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: points}, neighbors.Within{Radius: 1})
			if err != nil {
				t.Fatal(err)
			}
			var all [cards]*Joiner
			for i := range all {
				if all[i], err = Open(Config{Devices: []int{i % 2}}); err != nil {
					t.Fatal(err)
				}
				defer all[i].Close()
			}
			var failed [cards]error
			var wg sync.WaitGroup
			for i, j := range all {
				wg.Go(func() {
					failed[i] = j.prepare.Do(func() error { return hasColumns(j.prepare, querySpace(plan)) })
				})
			}
			wg.Wait()
			good := 0
			for _, err := range failed {
				switch {
				case err == nil:
					good++
				case !IsFailure(err):
					t.Error(err)
				}
			}
			if least := cards - 2*len(c.fail[:min(len(c.fail), 1)]); good < least { // two share what is lost
				t.Errorf("%d of %d have their columns, want %d: %v", good, cards, least, failed)
			}
			if n := len(spreadings.of); n > 0 {
				t.Errorf("%d sets of columns are still kept", n)
			}
		})
	}
}

// hasColumns spreads the columns of a space and compares what has come.
func hasColumns(st *cuda.Stream, side *space.Space) error {
	q := begin(st)
	defer q.end()
	x := spread(q, &q.memory, side)
	if q.err != nil {
		return q.err
	}
	for j, b := range x {
		got := make([]float64, side.Len())
		if err := firstError(cuda.Download(st, got, b), st.Sync()); err != nil {
			return err
		}
		if !slices.Equal(got, side.Columns[j].Float64) {
			return fmt.Errorf("column %d is another", j)
		}
	}
	return nil
}

// What one of two or three cards fails at the others do, whatever it is.
func TestOneOfSeveralCardsFails(t *testing.T) {
	emulatorOnly(t)
	for _, dim := range []int{2, 4} {
		points := pairPoints(t, rand.New(rand.NewPCG(13, uint64(dim))), 300, dim, false)
		plan := func() *neighbors.Plan {
			p, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: points}, neighbors.Within{Radius: 30})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		want, err := neighbors.Collect(context.Background(), neighbors.CPU{}, plan(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{"launch", "alloc", "peer"} {
			lost := 0
			for nth := 1; nth <= 100; nth += 1 + nth/3 {
				t.Run(fmt.Sprintf("%d dimensions, %s %d", dim, kind, nth), func(t *testing.T) {
					several := openSeveral(t, 2+nth%2)
					setenv(t, "EMULATOR_FAIL", fmt.Sprintf("%s:%d", kind, nth))
					p := plan()
					got, err := neighbors.Collect(context.Background(), several, p, 0)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Offset, want.Offset) {
						t.Fatal("another table")
					}
					for _, s := range several.Report().Sides {
						if s.Lost != "" {
							lost++
						}
					}
				})
				t.Run(fmt.Sprintf("%d dimensions, %s %d, counts", dim, kind, nth), func(t *testing.T) {
					several := openSeveral(t, 2+nth%2)
					setenv(t, "EMULATOR_FAIL", fmt.Sprintf("%s:%d", kind, nth))
					p := plan()
					count := make([]int64, p.Len())
					if err := several.Count(context.Background(), p, p.Work(), count); err != nil {
						t.Fatal(err)
					}
					for r, n := range count {
						if n != want.Offset[r+1]-want.Offset[r] {
							t.Fatalf("row %d has %d neighbours, want %d", r, n, want.Offset[r+1]-want.Offset[r])
						}
					}
				})
			}
			if lost == 0 && kind != "alloc" {
				t.Errorf("%d dimensions: no card was lost by a failed %s", dim, kind)
			}
		}
	}
}

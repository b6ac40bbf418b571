package hybrid

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"skyjoin/neighbors"
)

// Joiners that count together have the counts of the CPU, whichever of them
// fail on the way.
func TestTally(t *testing.T) {
	p := plan(t, cloud(t, 3000), neighbors.Within{Radius: 0.03})
	want := make([]int64, p.Len())
	if err := neighbors.Count(context.Background(), neighbors.CPU{}, p, p.Work(), want); err != nil {
		t.Fatal(err)
	}
	for gpus := 1; gpus <= 4; gpus++ {
		for _, cpu := range []bool{false, true} {
			if gpus == 1 && !cpu {
				continue // which nobody shares
			}
			for fail := range gpus + 1 {
				t.Run(fmt.Sprintf("%d GPUs, CPU %v, %d fail", gpus, cpu, fail), func(t *testing.T) {
					j := joiner(Adaptive, gpus, cpu, func(i int, s *standIn) {
						s.tallies = true
						if i < fail {
							s.failAfter = 1 + i
						}
					})
					count := make([]int64, p.Len())
					err := j.Count(context.Background(), p, p.Work(), count)
					if fail == gpus && !cpu {
						if !errors.Is(err, errDevice) {
							t.Fatalf("all are lost: %v", err)
						}
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					for r, n := range want {
						if count[r] != n {
							t.Fatalf("row %d: %d neighbours, want %d", r, count[r], n)
						}
					}
					told := 0
					for i, g := range j.GPUs {
						s, did := g.(*standIn), j.Report().Sides[i]
						if s.tallied.Load() > 0 {
							told++
						} else if i >= fail && !cpu && did.Batches > 0 { // one that comes late has nothing to do
							t.Errorf("GPU %d has taken rows, but has not been told of the sum: %v", i, did.Lost)
						}
					}
					if told == 0 && !cpu {
						t.Error("no GPU has been told of the sum")
					}
				})
			}
		}
	}
}

// Who waits for the counts of others is told when the run ends.
func TestTallyEnds(t *testing.T) {
	ty := newTally(10, 2)
	slow, quick := &side{}, &side{}
	for range ty.left {
		if _, _, err := ty.next(slow); err != nil {
			t.Fatal(err)
		}
	}
	over := errors.New("over")
	time.AfterFunc(10*time.Millisecond, func() { ty.end(over) })
	count := func(int, int) error { t.Error("all parts are taken"); return nil }
	if _, err := ty.run(quick, count, nil); !errors.Is(err, over) {
		t.Errorf("%v, want %v", err, over)
	}
}

// The parts of a tally follow each other and are all rows; all but the last keep a
// joiner busy, each joiner gets several, and of many rows they become small.
func TestTallyParts(t *testing.T) {
	for _, rows := range []int{1, 2, 100, 3000, 2_000_000, 10_000_000, 2_000_000_000} {
		for _, joiners := range []int{2, 3, 4, 8} {
			parts := newTally(rows, joiners).left
			at, least := 0, min(leastTally, rows/(leastOf*joiners))
			for i := len(parts) - 1; i >= 0; i-- {
				lo, hi := parts[i][0], parts[i][1]
				if lo != at || hi <= lo || i > 0 && hi-lo < least {
					t.Fatalf("%d rows, %d joiners: part [%d, %d) behind %d, at least %d are worth it", rows, joiners, lo, hi, at, least)
				}
				at = hi
			}
			if at != rows {
				t.Fatalf("%d rows, %d joiners: the parts end at %d", rows, joiners, at)
			}
			if n := len(parts); rows > 1000 && (n < 6*joiners || n > tallyParts*joiners) {
				t.Errorf("%d rows, %d joiners: %d parts", rows, joiners, n)
			}
			if largest := parts[len(parts)-1][1] - parts[len(parts)-1][0]; rows > 1_000_000_000 && largest < 10*(parts[1][1]-parts[1][0]) {
				t.Errorf("%d rows, %d joiners: from %d the parts fall to %d only", rows, joiners, largest, parts[1][1]-parts[1][0])
			}
		}
	}
}

//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// The published search finds what the CPU finds, and chooses a distance within
// which there are K neighbours on average.
func TestLinearSearch(t *testing.T) {
	j := opened(t, Config{Linear: true})
	r := rand.New(rand.NewPCG(4, 5))
	for _, expo := range []bool{false, true} {
		const n, k = 1500, 6
		points := pointsOf(t, n, 2, false, func(int, int) float64 {
			if expo {
				return r.ExpFloat64()
			}
			return r.Float64()
		})
		checkNearest(t, j, neighbors.Input{Query: points}, k)
		p := prepared(t, neighbors.Input{Query: points}, neighbors.Nearest{K: k})
		var epsilon float64
		withRun(t, j, p, func(r *nearestRun) (err error) { epsilon, err = r.epsilon(); return err })
		within := prepared(t, neighbors.Input{Query: points}, neighbors.Within{Radius: epsilon})
		counts := make([]int64, n)
		if err := neighbors.Count(context.Background(), neighbors.CPU{}, within, within.Work(), counts); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, c := range counts {
			sum += float64(c)
		}
		if mean := sum / n; math.Abs(mean/k-1) > 0.2 {
			t.Errorf("exponential %v: %v neighbours on average within %v, want %d", expo, mean, epsilon, k)
		}
	}
	if j.Reindexed() == 0 || !(j.Transferred() > 0) {
		t.Errorf("%d indexes built again, %v s of transfers", j.Reindexed(), j.Transferred())
	}
}

// GPU-ONLY: the first batch has all rows, and every other those that the one before has
// left, to the last. Otherwise too few for a batch are left to the CPU. A larger first
// distance leaves fewer rows.
func TestLinearSearchGoesToTheLast(t *testing.T) {
	const n, k = 900, 4
	g := rand.New(rand.NewPCG(7, 8))
	p := prepared(t, neighbors.Input{Query: pointsOf(t, n, 2, false, func(int, int) float64 { return g.ExpFloat64() })}, neighbors.Nearest{K: k})
	rounds := func(stretch float64, last bool) []int {
		j := opened(t, Config{Linear: true, Threads: 8})
		j.tune(stretch, last)
		found := 0
		if err := j.Visit(context.Background(), p, p.Work(), func(_ int, b *neighbors.Batch) error { found += len(b.Rows); return nil }); err != nil || found != n {
			t.Fatalf("%d rows found, error %v", found, err)
		}
		return j.rounds()
	}
	some, all, wider := rounds(0, false), rounds(0, true), rounds(3, true)
	if all[0] != n || !slices.IsSortedFunc(all, func(a, b int) int { return b - a }) || all[len(all)-1] > n/restShare || len(all) > maxLinear {
		t.Errorf("batches of %v rows", all)
	}
	if len(some) >= len(all) || !slices.Equal(some, all[:len(some)]) || some[len(some)-1] <= n/restShare {
		t.Errorf("batches of %v rows with the CPU, of %v without", some, all)
	}
	if wider[0] != n || len(wider) > 1 && wider[1] >= all[1] || len(wider) >= len(all) {
		t.Errorf("batches of %v rows from three times the distance, %v otherwise", wider, all)
	}
}

// Of what leaves the card together, and is passed on in several batches, those
// rows go back that have not been, and no others.
func TestVisitorFailsAmongRanked(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	p := prepared(t, neighbors.Input{Query: pointsOf(t, 3000, 2, false, func(int, int) float64 { return g.ExpFloat64() })}, neighbors.Nearest{K: 30})
	failure := errors.New("no more")
	for _, fails := range []int{1, 2, 3, 5} {
		j := opened(t, Config{Linear: true, Streams: 1})
		work := p.Work()
		seen, batches := make([]int, p.Len()), 0
		err := j.Visit(context.Background(), p, work, func(_ int, b *neighbors.Batch) error {
			if batches++; batches >= fails {
				return failure
			}
			for _, r := range b.Rows {
				seen[r]++
			}
			return nil
		})
		if !errors.Is(err, failure) {
			t.Errorf("batch %d fails: error %v", fails, err)
		}
		for rows := work.Take(math.MaxInt, 0); rows != nil; rows = work.Take(math.MaxInt, 0) {
			for _, r := range rows {
				seen[r]++
			}
		}
		if i := slices.IndexFunc(seen, func(n int) bool { return n != 1 }); i >= 0 {
			t.Errorf("batch %d fails: row %d was delivered, or went back, %d times", fails, i, seen[i])
		}
	}
}

// Rows that are far from all others are left to the CPU after some batches in
// vain, however far they are.
func TestLinearSearchEnds(t *testing.T) {
	j := opened(t, Config{Linear: true})
	r := rand.New(rand.NewPCG(4, 6))
	points := pointsOf(t, 300, 2, false, func(i, c int) float64 {
		if c == 0 && i%60 == 0 {
			return 1e4 * float64(i+1)
		}
		return r.Float64()
	})
	checkNearest(t, j, neighbors.Input{Query: points}, 3)
	if n := j.Reindexed(); n < maxVain-1 || n > 4*maxVain {
		t.Errorf("%d indexes built again, want those of %d batches in vain and a few more", n, maxVain)
	}
}

package jointest

import (
	"context"
	"errors"
	"fmt"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"skyjoin/neighbors"
)

// protocol checks what a joiner promises besides its answers.
func protocol(t *testing.T, newJoiner func() neighbors.Joiner, supports func(*neighbors.Plan) bool) {
	g := newGenerator(6)
	c := testCase{query: g.uniform(1200, 2, 0, 100), radii: []float64{5}}
	queries := []neighbors.Query{neighbors.Within{Radius: 5}, neighbors.Within{Radius: 5, Distance: true}, neighbors.Nearest{K: 5}}
	for _, q := range queries {
		p, err := neighbors.Prepare(context.Background(), c.input(), q)
		if err != nil {
			t.Fatal(err)
		}
		if !supports(p) {
			continue
		}
		t.Run("break", func(t *testing.T) { breakOut(t, newJoiner(), p) })
		t.Run("subset", func(t *testing.T) { subset(t, newJoiner(), p, g) })
		t.Run("cancel", func(t *testing.T) { cancelled(t, newJoiner(), p) })
		t.Run("visit", func(t *testing.T) { allSeen(t, visitAll(t, newJoiner(), p)) })
		t.Run("visit fails", func(t *testing.T) { visitFails(t, newJoiner(), p) })
	}
	t.Run("count", func(t *testing.T) { countSubset(t, newJoiner(), c) })
}

// breakOut leaves the stream early, several times, and goes on with the same
// work: no goroutine may be left, no row lost and none delivered twice.
func breakOut(t *testing.T, j neighbors.Joiner, p *neighbors.Plan) {
	work := p.Work()
	lists := make([]list, p.Len())
	for round := range 4 {
		watched(t, func() {
			n := 0
			for b, err := range j.Join(context.Background(), p, work) {
				if err != nil {
					t.Fatal(err)
				}
				keep(t, p, lists, b)
				if n++; n > round && round < 3 {
					break
				}
			}
		})
	}
	allSeen(t, lists)
}

func allSeen(t *testing.T, lists []list) {
	t.Helper()
	if i := slices.IndexFunc(lists, func(l list) bool { return !l.seen }); i >= 0 {
		t.Fatalf("row %d was lost", i)
	}
}

// watched calls f and checks that no goroutine started within it is left. It waits a
// little for goroutines that are ending. Other tests may run at the same time.
func watched(t *testing.T, f func()) {
	t.Helper()
	pprof.Do(context.Background(), pprof.Labels("test", t.Name()), func(context.Context) { f() })
	left := ""
	for range 100 {
		if left = goroutines(t, t.Name()); left == "" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("goroutines are left:\n%s", left)
}

// goroutines returns the stacks of the goroutines that have the label of a test,
// among others; "" if there is none.
func goroutines(t *testing.T, test string) string {
	var profile strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(profile.String(), fmt.Sprintf("%q:%q", "test", test)) {
		return ""
	}
	return profile.String()
}

// subset joins some rows only, in an order that is not that of the index, some
// of them after having been put back.
func subset(t *testing.T, j neighbors.Joiner, p *neighbors.Plan, g generator) {
	want := gatherAll(t, j, p, p.Work())
	var rows []uint32
	asked := make([]bool, p.Len())
	for _, i := range g.Perm(p.Len())[:p.Len()/3] {
		rows = append(rows, uint32(i))
		asked[i] = true
	}
	work := neighbors.NewWork(rows, p.Cost)
	taken := slices.Clone(work.Take(100, 0))
	work.Put(taken)
	for i, l := range gatherAll(t, j, p, work) {
		if l.seen != asked[i] {
			t.Fatalf("row %d: asked for %v, delivered %v", i, asked[i], l.seen)
		}
		if l.seen {
			w := want[i]
			if p.Within() != nil {
				l, w = sortedByRow(l), sortedByRow(w)
			}
			sameList(t, "among few rows", i, l, w)
		}
	}
	if rest := work.Take(1, 0); rest != nil {
		t.Fatalf("rows %v are left", rest)
	}
}

// cancelled cancels before a join, and during it.
func cancelled(t *testing.T, j neighbors.Joiner, p *neighbors.Plan) {
	watched(t, func() { cancelledAfter(t, j, p, 0) })
	watched(t, func() { cancelledAfter(t, j, p, 2) })
}

// cancelledAfter cancels after some batches.
func cancelledAfter(t *testing.T, j neighbors.Joiner, p *neighbors.Plan, after int) {
	ctx, cancel := context.WithCancel(context.Background())
	if after == 0 {
		cancel()
	}
	work := p.Work()
	lists := make([]list, p.Len())
	n := 0
	var failed error
	for b, err := range j.Join(ctx, p, work) {
		if failed != nil {
			t.Fatal("the stream goes on after an error")
		}
		if failed = err; err != nil {
			continue
		}
		keep(t, p, lists, b)
		if n++; n == after {
			cancel()
		}
	}
	cancel()
	delivered := 0
	for _, l := range lists {
		if l.seen {
			delivered++
		}
	}
	if failed == nil && delivered < p.Len() {
		t.Fatal("the stream ended early without an error")
	}
	if failed != nil && !errors.Is(failed, context.Canceled) {
		t.Fatalf("error %v, want context.Canceled", failed)
	}
}

// visitFails checks that an error of the visitor ends the join and is returned.
func visitFails(t *testing.T, j neighbors.Joiner, p *neighbors.Plan) {
	watched(t, func() {
		stop := errors.New("stop")
		err := neighbors.Visit(context.Background(), j, p, p.Work(), func(int, *neighbors.Batch) error { return stop })
		if !errors.Is(err, stop) {
			t.Fatalf("Visit returned %v", err)
		}
	})
}

// countSubset checks that Count leaves rows alone that it was not given.
func countSubset(t *testing.T, j neighbors.Joiner, c testCase) {
	p, err := neighbors.Prepare(context.Background(), c.input(), neighbors.Within{Radius: c.radii[0]})
	if err != nil {
		t.Fatal(err)
	}
	all, some := make([]int64, p.Len()), make([]int64, p.Len())
	if err := neighbors.Count(context.Background(), j, p, p.Work(), all); err != nil {
		t.Fatal(err)
	}
	rows := []uint32{1199, 5, 734, 7}
	for i := range some {
		some[i] = -1
	}
	if err := neighbors.Count(context.Background(), j, p, neighbors.NewWork(slices.Clone(rows), nil), some); err != nil {
		t.Fatal(err)
	}
	for i, n := range some {
		want := int64(-1)
		if slices.Contains(rows, uint32(i)) {
			want = all[i]
		}
		if n != want {
			t.Fatalf("count of row %d is %d, want %d", i, n, want)
		}
	}
}

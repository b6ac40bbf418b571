package jointest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

// A Failer reports failures: a *testing.T, or a property-based test that draws
// seeds.
type Failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// asked adds the request, and the joiner asked, to failures.
type asked struct {
	Failer
	what string
}

func (a asked) Fatalf(format string, args ...any) {
	a.Helper()
	a.Failer.Fatalf("%s: %s", a.what, fmt.Sprintf(format, args...))
}

// margin is how far positions on the sky may be from those of the reference,
// in radians.
const margin = 4e-15

// prepare returns the plan of a case, with the reference adjusted to it.
func prepare(t Failer, c testCase, ref *reference, q neighbors.Query) *neighbors.Plan {
	t.Helper()
	p, err := neighbors.Prepare(context.Background(), c.input(), q)
	if err != nil {
		t.Fatalf("Prepare %+v: %v", q, err)
	}
	if ref.sloppy() {
		if off := ref.adopt(p); off > margin {
			t.Fatalf("positions are off by %g", off)
		}
	}
	return p
}

// checkWithin asks for the neighbours within a radius, without distances and
// with them, and passes the expected answers to further checks.
func checkWithin(t Failer, j neighbors.Joiner, c testCase, ref *reference, radius float64, consumers ...func(Failer, neighbors.Joiner, *neighbors.Plan, []list)) {
	t.Helper()
	t = asked{t, fmt.Sprintf("radius %v", radius)}
	want := make([]list, ref.queries)
	for _, distance := range []bool{false, true} {
		p := prepare(t, c, ref, neighbors.Within{Radius: radius, Distance: distance})
		if !c.supports(p) {
			return
		}
		for i := range want {
			if !distance {
				want[i].index = ref.within(p, i, radius)
				continue
			}
			for _, row := range want[i].index {
				want[i].dist = append(want[i].dist, ref.distance(p, i, int(row)))
			}
		}
		sameLists(t, "Join", gatherAll(t, j, p, p.Work()), want)
		if distance {
			checkGather(t, j, p, want)
		}
		rows := each.Row(p.Len())
		for _, work := range []neighbors.Work{p.Work(), neighbors.NewWork(rows, nil)} {
			checkCount(t, j, p, work, want)
		}
		for _, check := range consumers {
			check(t, j, p, want)
		}
	}
}

// checkGather checks that whole tables hold the lists that a join gave, and
// tables of pairs each pair of them once.
func checkGather(t Failer, j neighbors.Joiner, p *neighbors.Plan, want []list) {
	t.Helper()
	batches, err := neighbors.Gather(context.Background(), j, p, 0)
	if err != nil {
		t.Fatalf("Gather: %v", err)
	}
	lists := make([]list, p.Len())
	for i := range batches {
		keep(t, p, lists, &batches[i])
	}
	sameLists(t, "Gather", lists, want)
	if !p.Self() {
		return
	}
	lists = make([]list, p.Len())
	if batches, err = neighbors.GatherPairs(context.Background(), j, p, 0); err != nil {
		t.Fatalf("GatherPairs: %v", err)
	}
	for i := range batches {
		keep(t, p, lists, &batches[i])
	}
	sameLists(t, "GatherPairs", bothWays(lists), want)
}

// bothWays adds to the lists of pairs, each in one direction, the other one.
func bothWays(lists []list) []list {
	both := make([]list, len(lists))
	for i, l := range lists {
		both[i].seen = true
		for k, row := range l.index {
			both[i].index = append(both[i].index, row)
			both[row].index = append(both[row].index, uint32(i))
			if l.dist != nil {
				both[i].dist = append(both[i].dist, l.dist[k])
				both[row].dist = append(both[row].dist, l.dist[k])
			}
		}
	}
	return both
}

func checkCount(t Failer, j neighbors.Joiner, p *neighbors.Plan, work neighbors.Work, want []list) {
	t.Helper()
	count := slices.Repeat([]int64{-1}, p.Len())
	if err := neighbors.Count(context.Background(), j, p, work, count); err != nil {
		t.Fatalf("Count: %v", err)
	}
	for i, n := range count {
		if n != int64(len(want[i].index)) {
			t.Fatalf("count of row %d is %d, want %d", i, n, len(want[i].index))
		}
	}
}

func checkNearest(t Failer, j neighbors.Joiner, c testCase, ref *reference) {
	t.Helper()
	there := ref.data
	if c.data == nil {
		there = max(there-1, 0)
	}
	ks := []int{1, 2, 9, 70, there}
	slices.Sort(ks)
	for _, k := range slices.Compact(ks) {
		if k >= 1 && (k <= there || ref.queries == 0) {
			checkK(t, j, c, ref, neighbors.Nearest{K: k})
		}
	}
	checkK(t, j, c, ref, neighbors.Nearest{K: there + 3, Pad: true})
}

func checkK(t Failer, j neighbors.Joiner, c testCase, ref *reference, q neighbors.Nearest) {
	t.Helper()
	t = asked{t, fmt.Sprintf("%+v", q)}
	p := prepare(t, c, ref, q)
	if !c.supports(p) {
		return
	}
	for i, l := range gatherAll(t, j, p, p.Work()) {
		nearestList(t, i, l, ref.nearest(i), q.K, func(other uint32) float64 { return ref.distance(p, i, int(other)) })
	}
}

// nearestList checks that a list has the first k rows of an order, and none
// beyond its end.
func nearestList(t Failer, row int, l list, order []uint32, k int, distance func(other uint32) float64) {
	t.Helper()
	want := list{index: slices.Clone(order[:min(k, len(order))])}
	for _, other := range want.index {
		want.dist = append(want.dist, distance(other))
	}
	for len(want.index) < k {
		want.index, want.dist = append(want.index, neighbors.None), append(want.dist, math.Inf(1))
	}
	if !l.seen {
		t.Fatalf("row %d was not delivered", row)
	}
	sameList(t, "Join", row, l, want)
}

// A list is what was delivered for one row.
type list struct {
	seen  bool
	index []uint32
	dist  []float64
}

// sameLists checks that every row was delivered, with the neighbours that are
// wanted in any order.
func sameLists(t Failer, what string, got, want []list) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d lists of %d rows", what, len(got), len(want))
	}
	for i, l := range got {
		if !l.seen {
			t.Fatalf("%s: row %d was not delivered", what, i)
		}
		sameList(t, what, i, sortedByRow(l), want[i])
	}
}

func sameList(t Failer, what string, row int, got, want list) {
	t.Helper()
	if !slices.Equal(got.index, want.index) || !slices.Equal(got.dist, want.dist) {
		t.Fatalf("%s: row %d has neighbours %v at %v, want %v at %v", what, row, got.index, got.dist, want.index, want.dist)
	}
}

// gatherAll carries out a join and returns the lists by row. It checks the form of
// the batches and that no row comes twice.
func gatherAll(t Failer, j neighbors.Joiner, p *neighbors.Plan, work neighbors.Work) []list {
	t.Helper()
	lists := make([]list, p.Len())
	for b, err := range j.Join(context.Background(), p, work) {
		if err != nil {
			t.Fatalf("Join: %v", err)
		}
		keep(t, p, lists, b)
	}
	return lists
}

// keep copies the lists of a batch.
func keep(t Failer, p *neighbors.Plan, lists []list, b *neighbors.Batch) {
	t.Helper()
	withDist := p.Nearest() != nil || p.Within().Distance
	if b.Len() != len(b.Rows) || len(b.Rows) == 0 {
		t.Fatalf("batch of %d rows has %d lists", len(b.Rows), b.Len())
	}
	if b.Offset[0] != 0 || b.Offset[b.Len()] != int64(len(b.Index)) {
		t.Fatalf("batch of %d neighbours has offsets from %d to %d", len(b.Index), b.Offset[0], b.Offset[b.Len()])
	}
	if withDist && len(b.Dist) != len(b.Index) {
		t.Fatalf("batch has %d neighbours but %d distances", len(b.Index), len(b.Dist))
	}
	for i, r := range b.Rows {
		if lists[r].seen {
			t.Fatalf("row %d was delivered twice", r)
		}
		l := list{seen: true, index: slices.Clone(b.List(i))}
		if withDist {
			l.dist = slices.Clone(b.Dists(i))
		}
		lists[r] = l
	}
}

// sortedByRow returns a list in the order of the neighbours' rows.
func sortedByRow(l list) list {
	order := each.To(len(l.index), func(i int) int { return i })
	slices.SortFunc(order, func(a, b int) int { return int(int64(l.index[a]) - int64(l.index[b])) })
	s := list{seen: l.seen}
	for _, o := range order {
		s.index = append(s.index, l.index[o])
		if l.dist != nil {
			s.dist = append(s.dist, l.dist[o])
		}
	}
	return s
}

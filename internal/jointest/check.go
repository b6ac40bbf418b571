package jointest

import (
	"context"
	"math"
	"slices"

	"skyjoin/neighbors"
)

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

func checkWithin(t Failer, j neighbors.Joiner, c testCase, ref *reference, radius float64) {
	t.Helper()
	want := make([][]uint32, ref.queries)
	for _, distance := range []bool{false, true} {
		p := prepare(t, c, ref, neighbors.Within{Radius: radius, Distance: distance})
		if !c.supports(p) {
			return
		}
		if !distance {
			for i := range want {
				want[i] = ref.within(p, i, radius)
			}
		}
		got := gatherAll(t, j, p, p.Work())
		for i, l := range got {
			if !l.seen {
				t.Fatalf("radius %v: row %d was not delivered", radius, i)
			}
			sortByRow(&l)
			if !slices.Equal(l.index, want[i]) {
				t.Fatalf("radius %v: row %d has neighbours %v, want %v", radius, i, l.index, want[i])
			}
			if !distance {
				continue
			}
			for k, row := range l.index {
				if d := ref.distance(p, i, int(row)); l.dist[k] != d {
					t.Fatalf("radius %v: distance of rows %d and %d is %v, want %v", radius, i, row, l.dist[k], d)
				}
			}
		}
		if distance {
			checkGather(t, j, p, got, radius)
		}
		rows := make([]uint32, p.Len())
		for i := range rows {
			rows[i] = uint32(i)
		}
		for _, work := range []neighbors.Work{p.Work(), neighbors.NewWork(rows, nil)} {
			checkCount(t, j, p, work, radius, want)
		}
	}
}

// checkGather checks that whole tables hold the lists that a join gave, and
// tables of pairs each pair of them once.
func checkGather(t Failer, j neighbors.Joiner, p *neighbors.Plan, want []list, radius float64) {
	t.Helper()
	sorted := slices.Clone(want)
	for i := range sorted {
		sortByRow(&sorted[i])
	}
	same := func(name string, got []list) {
		t.Helper()
		for i := range got {
			sortByRow(&got[i])
			if !slices.Equal(got[i].index, sorted[i].index) || !slices.Equal(got[i].dist, sorted[i].dist) {
				t.Fatalf("radius %v: %s: row %d has neighbours %v at %v, want %v at %v", radius, name, i, got[i].index, got[i].dist, sorted[i].index, sorted[i].dist)
			}
		}
	}
	lists := make([]list, p.Len())
	batches, err := neighbors.Gather(context.Background(), j, p, 0)
	if err != nil {
		t.Fatalf("radius %v: Gather: %v", radius, err)
	}
	for i := range batches {
		keep(t, p, lists, &batches[i])
	}
	for i, l := range lists {
		if !l.seen {
			t.Fatalf("radius %v: Gather: row %d is missing", radius, i)
		}
	}
	same("Gather", lists)
	if !p.Self() {
		return
	}
	lists = make([]list, p.Len())
	if batches, err = neighbors.GatherPairs(context.Background(), j, p, 0); err != nil {
		t.Fatalf("radius %v: GatherPairs: %v", radius, err)
	}
	for i := range batches {
		keep(t, p, lists, &batches[i])
	}
	same("GatherPairs", bothWays(lists))
}

// bothWays adds to the lists of pairs, each in one direction, the other one.
func bothWays(lists []list) []list {
	both := make([]list, len(lists))
	for i, l := range lists {
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

func checkCount(t Failer, j neighbors.Joiner, p *neighbors.Plan, work neighbors.Work, radius float64, want [][]uint32) {
	t.Helper()
	count := make([]int64, p.Len())
	for i := range count {
		count[i] = -1
	}
	if err := neighbors.Count(context.Background(), j, p, work, count); err != nil {
		t.Fatalf("radius %v: Count: %v", radius, err)
	}
	for i, n := range count {
		if n != int64(len(want[i])) {
			t.Fatalf("radius %v: count of row %d is %d, want %d", radius, i, n, len(want[i]))
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
	p := prepare(t, c, ref, q)
	if !c.supports(p) {
		return
	}
	for i, l := range gatherAll(t, j, p, p.Work()) {
		if !l.seen {
			t.Fatalf("%+v: row %d was not delivered", q, i)
		}
		want := ref.nearest(i)
		want = want[:min(q.K, len(want))]
		if len(l.index) != q.K || len(l.dist) != q.K {
			t.Fatalf("%+v: row %d has %d neighbours and %d distances", q, i, len(l.index), len(l.dist))
		}
		if got := l.index[:len(want)]; !slices.Equal(got, want) {
			t.Fatalf("%+v: row %d has neighbours %v, want %v", q, i, got, want)
		}
		for n, row := range l.index {
			d := math.Inf(1)
			if n < len(want) {
				d = ref.distance(p, i, int(row))
			} else if row != neighbors.None {
				t.Fatalf("%+v: row %d has neighbour %d where there is none", q, i, row)
			}
			if l.dist[n] != d {
				t.Fatalf("%+v: distance %d of row %d is %v, want %v", q, n, i, l.dist[n], d)
			}
		}
	}
}

// A list is what was delivered for one row.
type list struct {
	seen  bool
	index []uint32
	dist  []float64
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

// sortByRow orders a list by neighbour.
func sortByRow(l *list) {
	order := make([]int, len(l.index))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(int64(l.index[a]) - int64(l.index[b])) })
	s := list{seen: l.seen}
	for _, o := range order {
		s.index = append(s.index, l.index[o])
		if l.dist != nil {
			s.dist = append(s.dist, l.dist[o])
		}
	}
	*l = s
}

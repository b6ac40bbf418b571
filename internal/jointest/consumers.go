package jointest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"skyjoin/neighbors"
)

// consumers ask for the neighbours within a radius in every way that
// checkWithin does not.
var consumers = []func(Failer, neighbors.Joiner, *neighbors.Plan, []list){
	checkVisit, checkCollect, checkInOrder, checkAtLeast, checkPart,
	func(t Failer, _ neighbors.Joiner, p *neighbors.Plan, _ []list) { checkDeque(t, p) },
}

func checkVisit(t Failer, j neighbors.Joiner, p *neighbors.Plan, want []list) {
	t.Helper()
	sameLists(t, "Visit", visitAll(t, j, p), want)
}

// visitAll gathers the lists that Visit delivers. No two calls of one worker may
// overlap.
func visitAll(t Failer, j neighbors.Joiner, p *neighbors.Plan) []list {
	t.Helper()
	workers := neighbors.Workers(j)
	busy := make([]sync.Mutex, workers)
	var mu sync.Mutex
	lists := make([]list, p.Len())
	err := neighbors.Visit(context.Background(), j, p, p.Work(), func(w int, b *neighbors.Batch) error {
		if w < 0 || w >= workers || !busy[w].TryLock() {
			return fmt.Errorf("worker %d of %d is out of range or busy", w, workers)
		}
		defer busy[w].Unlock()
		mu.Lock()
		defer mu.Unlock()
		keep(t, p, lists, b)
		return nil
	})
	if err != nil {
		t.Fatalf("Visit: %v", err)
	}
	return lists
}

func checkCollect(t Failer, j neighbors.Joiner, p *neighbors.Plan, want []list) {
	t.Helper()
	table, err := neighbors.Collect(context.Background(), j, p, 0)
	if err != nil {
		t.Fatalf("Collect: %v", err)
	}
	if table.Len() != len(want) {
		t.Fatalf("Collect: %d lists of %d rows", table.Len(), len(want))
	}
	for i := range want {
		sameList(t, "Collect", i, listOf(table, i), want[i])
	}
}

// listOf returns a list of a table.
func listOf(t *neighbors.Table, i int) list { return list{true, t.List(i), t.Dists(i)} }

// checkInOrder goes through whole lists, and of a self-join the halves, in passes
// of few neighbours and of all.
func checkInOrder(t Failer, j neighbors.Joiner, p *neighbors.Plan, want []list) {
	t.Helper()
	for _, o := range []neighbors.Order{{}, {Entries: 7, Threads: 3}, {Half: true}, {Half: true, Entries: 7}} {
		if o.Half && !p.Self() {
			continue
		}
		row := 0
		err := neighbors.InOrder(context.Background(), j, p, o, func(b *neighbors.Batch) error {
			for i, r := range b.Rows {
				w := want[row]
				if o.Half {
					after, _ := slices.BinarySearch(w.index, r)
					if w.index = w.index[after:]; w.dist != nil {
						w.dist = w.dist[after:]
					}
				}
				if int(r) != row {
					t.Fatalf("InOrder: row %d after %d rows", r, row)
				}
				sameList(t, "InOrder", row, listOf(&b.Table, i), w)
				row++
			}
			return nil
		})
		if err != nil || row != len(want) {
			t.Fatalf("InOrder: %d of %d rows: %v", row, len(want), err)
		}
	}
}

func checkAtLeast(t Failer, j neighbors.Joiner, p *neighbors.Plan, want []list) {
	t.Helper()
	var pairs int64
	for _, l := range want {
		pairs += int64(len(l.index))
	}
	for _, least := range []int64{-1, 0, 1, 3, 1 << 40} {
		enough := make([]bool, p.Len())
		total, err := neighbors.AtLeast(context.Background(), j, p, p.Work(), least, enough)
		if err != nil || total != pairs {
			t.Fatalf("AtLeast: %d neighbours in all, want %d: %v", total, pairs, err)
		}
		for i, l := range want {
			if enough[i] != (int64(len(l.index)) >= least) {
				t.Fatalf("AtLeast: row %d with %d neighbours has %d: %v", i, len(l.index), least, enough[i])
			}
		}
	}
}

// checkDeque takes all rows from both ends of a deque.
func checkDeque(t Failer, p *neighbors.Plan) {
	t.Helper()
	for _, exact := range []bool{false, true} {
		seen := make([]bool, p.Len())
		d := dequeOf(p, indexOrder(p), exact)
		for n, left := 0, p.Len(); left > 0; n++ {
			end := d.Front()
			if n%2 == 1 {
				end = d.Back()
			}
			rows := end.Take(3, 100)
			if len(rows) == 0 {
				t.Fatalf("Deque: %d rows are left in it", left)
			}
			for _, row := range rows {
				if seen[row] {
					t.Fatalf("Deque: row %d comes twice", row)
				}
				seen[row] = true
			}
			left -= len(rows)
		}
	}
}

// checkPart joins some query rows with some data rows.
func checkPart(t Failer, j neighbors.Joiner, p *neighbors.Plan, want []list) {
	t.Helper()
	joinPart(t, j, p, math.MaxInt, func(row uint32) list {
		l := list{index: want[row].index, dist: want[row].dist}
		if p.Self() { // the row itself is one like the others
			at, _ := slices.BinarySearch(l.index, row)
			l.index = slices.Insert(slices.Clone(l.index), at, row)
			if p.Within().Distance {
				l.dist = slices.Insert(slices.Clone(l.dist), at, 0)
			}
		}
		return l
	})
}

// checkPartNearest joins some query rows with the nearest of some data rows.
func checkPartNearest(t Failer, j neighbors.Joiner, c testCase, ref *reference, k int) {
	t.Helper()
	p := prepare(t, c, ref, neighbors.Nearest{K: k, Pad: true})
	checkDeque(t, p)
	if p.Self() {
		k++ // the row itself is one like the others
	}
	joinPart(t, j, p, k, func(row uint32) list {
		l := list{index: ref.nearest(int(row))}
		if p.Self() {
			at, _ := slices.BinarySearchFunc(l.index, row, func(other, row uint32) int {
				return cmp.Or(cmp.Compare(ref.d2[row][other], 0), cmp.Compare(other, row))
			})
			l.index = slices.Insert(slices.Clone(l.index), at, row)
		}
		for _, other := range l.index {
			l.dist = append(l.dist, p.Distance(row, other))
		}
		return l
	})
}

// joinPart joins every second query row of a plan, the last first, with two of
// three data rows. all returns the neighbours that a row has among all data rows,
// in order; the first k that take part are wanted.
func joinPart(t Failer, j neighbors.Joiner, p *neighbors.Plan, k int, all func(row uint32) list) {
	t.Helper()
	var query, data []uint32
	for i := p.Len() - 1; i >= 0; i -= 2 {
		query = append(query, uint32(i))
	}
	place := map[uint32]uint32{} // of the data rows
	for i := range p.DataLen() {
		if i%3 > 0 {
			place[uint32(i)] = uint32(len(data))
			data = append(data, uint32(i))
		}
	}
	part, err := partOf(p, query, data)
	if err != nil {
		t.Fatalf("Part: %v", err)
	}
	table, err := neighbors.Collect(context.Background(), j, part, 0)
	if err != nil {
		t.Fatalf("Part: %v", err)
	}
	for i, row := range query {
		var want list
		l := all(row)
		for n, other := range l.index {
			if at, ok := place[other]; ok && len(want.index) < k {
				want.index = append(want.index, at)
				if l.dist != nil {
					want.dist = append(want.dist, l.dist[n])
				}
			}
		}
		for p.Nearest() != nil && len(want.index) < max(min(k, len(data)), 1) {
			want.index, want.dist = append(want.index, neighbors.None), append(want.dist, math.Inf(1))
		}
		sameList(t, "Part", int(row), listOf(table, i), want)
	}
}

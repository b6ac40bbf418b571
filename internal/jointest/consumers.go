package jointest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"skyjoin/neighbors"
)

// checkConsumers asks for the neighbours within a radius in every way that
// checkWithin does not.
func checkConsumers(t Failer, j neighbors.Joiner, c testCase, ref *reference, radius float64) {
	t.Helper()
	for _, distance := range []bool{false, true} {
		p := prepare(t, c, ref, neighbors.Within{Radius: radius, Distance: distance})
		want := make([]list, p.Len())
		for i := range want {
			want[i].index = ref.within(p, i, radius)
			if !distance {
				continue
			}
			for _, row := range want[i].index {
				want[i].dist = append(want[i].dist, ref.distance(p, i, int(row)))
			}
		}
		checkVisit(t, j, p, want)
		checkCollect(t, j, p, want)
		checkInOrder(t, j, p, want)
		checkAtLeast(t, j, p, want)
		checkPart(t, j, p, want)
		checkDeque(t, p)
	}
}

func sameList(t Failer, what string, row int, index []uint32, dist []float64, want list) {
	t.Helper()
	if !slices.Equal(index, want.index) || !slices.Equal(dist, want.dist) {
		t.Fatalf("%s: row %d has neighbours %v at %v, want %v at %v", what, row, index, dist, want.index, want.dist)
	}
}

func checkVisit(t Failer, j neighbors.Joiner, p *neighbors.Plan, want []list) {
	t.Helper()
	lists := make([]list, p.Len())
	var mu sync.Mutex
	err := neighbors.Visit(context.Background(), j, p, p.Work(), func(_ int, b *neighbors.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		for i, r := range b.Rows {
			lists[r] = list{seen: true, index: slices.Clone(b.List(i))}
			if p.Within().Distance {
				lists[r].dist = slices.Clone(b.Dists(i))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("Visit: %v", err)
	}
	for i, l := range lists {
		if !l.seen {
			t.Fatalf("Visit: row %d is missing", i)
		}
		sortByRow(&l)
		sameList(t, "Visit", i, l.index, l.dist, want[i])
	}
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
		sameList(t, "Collect", i, table.List(i), table.Dists(i), want[i])
	}
}

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
				sameList(t, "InOrder", row, b.List(i), b.Dists(i), w)
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

// someRows are every second query row of a plan, the last first, and two of three
// data rows, with their places among these.
func someRows(p *neighbors.Plan) (query, data []uint32, place map[uint32]uint32) {
	for i := p.Len() - 1; i >= 0; i -= 2 {
		query = append(query, uint32(i))
	}
	place = map[uint32]uint32{}
	for i := range p.DataLen() {
		if i%3 > 0 {
			place[uint32(i)] = uint32(len(data))
			data = append(data, uint32(i))
		}
	}
	return query, data, place
}

// joinPart joins these query rows with these data rows.
func joinPart(t Failer, j neighbors.Joiner, p *neighbors.Plan, query, data []uint32) *neighbors.Table {
	t.Helper()
	part, err := partOf(p, query, data)
	if err != nil {
		t.Fatalf("Part: %v", err)
	}
	table, err := neighbors.Collect(context.Background(), j, part, 0)
	if err != nil {
		t.Fatalf("Part: %v", err)
	}
	return table
}

// checkPartNearest joins some query rows with some data rows.
func checkPartNearest(t Failer, j neighbors.Joiner, c testCase, ref *reference, k int) {
	t.Helper()
	p := prepare(t, c, ref, neighbors.Nearest{K: k, Pad: true})
	checkDeque(t, p)
	query, data, place := someRows(p)
	table := joinPart(t, j, p, query, data)
	if p.Self() {
		k++ // the row itself is one like the others
	}
	for i, row := range query {
		order := ref.nearest(int(row))
		if p.Self() {
			at, _ := slices.BinarySearchFunc(order, row, func(other, row uint32) int {
				return cmp.Or(cmp.Compare(ref.d2[row][other], 0), cmp.Compare(other, row))
			})
			order = slices.Insert(slices.Clone(order), at, row)
		}
		var want list
		for _, other := range order {
			if at, ok := place[other]; ok && len(want.index) < k {
				want.index = append(want.index, at)
				want.dist = append(want.dist, p.Distance(row, other))
			}
		}
		for len(want.index) < max(min(k, len(data)), 1) {
			want.index, want.dist = append(want.index, neighbors.None), append(want.dist, math.Inf(1))
		}
		sameList(t, "Part", int(row), table.List(i), table.Dists(i), want)
	}
}

// checkPart joins some query rows with some data rows.
func checkPart(t Failer, j neighbors.Joiner, p *neighbors.Plan, want []list) {
	t.Helper()
	query, data, place := someRows(p)
	table := joinPart(t, j, p, query, data)
	for i, row := range query {
		w := list{index: slices.Clone(want[row].index), dist: slices.Clone(want[row].dist)}
		if p.Self() { // the row itself is one like the others
			at, _ := slices.BinarySearch(w.index, row)
			w.index = slices.Insert(w.index, at, row)
			if p.Within().Distance {
				w.dist = slices.Insert(w.dist, at, 0)
			}
		}
		kept := list{}
		for k, other := range w.index {
			if at, ok := place[other]; ok {
				kept.index = append(kept.index, at)
				if w.dist != nil {
					kept.dist = append(kept.dist, w.dist[k])
				}
			}
		}
		sameList(t, "Part", int(row), table.List(i), table.Dists(i), kept)
	}
}

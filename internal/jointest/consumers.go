package jointest

import (
	"context"
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

// checkPart joins every second query row, the last first, with two of three data
// rows.
func checkPart(t Failer, j neighbors.Joiner, p *neighbors.Plan, want []list) {
	t.Helper()
	var query, data []uint32
	for i := p.Len() - 1; i >= 0; i -= 2 {
		query = append(query, uint32(i))
	}
	place := map[uint32]uint32{}
	for i := range p.DataLen() {
		if i%3 > 0 {
			place[uint32(i)] = uint32(len(data))
			data = append(data, uint32(i))
		}
	}
	part, err := p.Part(query, data)
	if err != nil {
		t.Fatalf("Part: %v", err)
	}
	table, err := neighbors.Collect(context.Background(), j, part, 0)
	if err != nil {
		t.Fatalf("Part: %v", err)
	}
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

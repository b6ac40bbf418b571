package workq

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// costs are the work of rows 0, 1, 2, …
var costs = []int64{5, 100, 1, 0, 100, 7, 5, 64}

func cost(row uint32) int64 { return costs[row] }

func rowsOf(n int) []uint32 {
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i)
	}
	return rows
}

// byWork returns a deque of as many rows as there is work of.
func byWork(work []int64) *Deque {
	cost := func(row uint32) int64 { return work[row] }
	return Ordered(rowsOf(len(work)), cost, cost)
}

func TestOrderIsByFallingRankAndStable(t *testing.T) {
	if got, want := Ordered(rowsOf(8), cost, cost).TakeFront(100, 0), []uint32{1, 4, 7, 5, 0, 6, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("by work: %v, want %v", got, want)
	}
	even := func(uint32) int64 { return 0 }
	if got := Ordered([]uint32{7, 3, 5}, even, even).TakeFront(100, 0); !slices.Equal(got, []uint32{7, 3, 5}) {
		t.Errorf("without work: %v, want the order given", got)
	}
	if got := Ordered(nil, even, even).TakeFront(100, 0); got != nil {
		t.Errorf("no rows: %v", got)
	}
}

func TestGivenOrderStays(t *testing.T) {
	rows := []uint32{6, 0, 3, 1, 2}
	d := Given(rows)
	if got := d.Cost(); got != 5 {
		t.Errorf("a work of %d, want 5", got)
	}
	if got, work := d.Take(false, 10, 2); !slices.Equal(got, []uint32{6, 0}) || work != 2 {
		t.Errorf("rows of a work of 2 are %v, of %d, want 6 and 0", got, work)
	}
	if work := d.Remove(func(r uint32) bool { return r == 1 }); work != 1 || !slices.Equal(rows, []uint32{6, 0, 3, 1, 2}) {
		t.Errorf("a work of %d was removed, want 1; the rows given are now %v", work, rows)
	}
	if got, work := d.Take(true, 1, 0); !slices.Equal(got, []uint32{2}) || work != 1 || d.Cost() != 1 {
		t.Errorf("%v of %d from the back, want 2, and 1 is left, not %d", got, work, d.Cost())
	}
	if got := d.TakeBack(10, 0); !slices.Equal(got, []uint32{3}) {
		t.Errorf("%v is left, want 3", got)
	}
	if got := Given(nil).TakeFront(1, 0); got != nil {
		t.Errorf("%v of no rows", got)
	}
}

func TestTakeByRowsAndByWork(t *testing.T) {
	// By work: 100 100 64 7 5 5 1 1(0 counts as 1).
	for _, c := range []struct {
		back bool
		rows int
		cost int64
		want []uint32
	}{
		{false, 2, 0, []uint32{1, 4}},
		{false, 0, 0, []uint32{1}},
		{false, 100, 264, []uint32{1, 4, 7}},
		{false, 100, 263, []uint32{1, 4}},
		{false, 100, 1, []uint32{1}}, // one row whatever it costs
		{true, 2, 0, []uint32{2, 3}},
		{true, 100, 12, []uint32{0, 6, 2, 3}},
		{true, 100, 11, []uint32{6, 2, 3}},
		{true, 2, 11, []uint32{2, 3}},
		{true, 100, 283, rowsOfOrder()},
	} {
		d := Ordered(rowsOf(8), cost, cost)
		end := d.Front()
		if c.back {
			end = d.Back()
		}
		if got := end.Take(c.rows, c.cost); !slices.Equal(got, c.want) {
			t.Errorf("%+v: took %v", c, got)
		}
		if d.Len() != 8-len(c.want) {
			t.Errorf("%+v: %d rows left", c, d.Len())
		}
	}
}

func rowsOfOrder() []uint32 { return []uint32{1, 4, 7, 5, 0, 6, 2, 3} }

func TestPutBack(t *testing.T) {
	d := Ordered(rowsOf(8), cost, cost)
	front, back := d.Front(), d.Back()
	first := front.Take(3, 0)
	front.Put(first[:1])
	front.Failing().Put(first[1:]) // rows 4 and 7
	if d.Len() != 8 {
		t.Fatalf("%d rows left, want 8", d.Len())
	}
	if got := front.Take(5, 0); !slices.Equal(got, []uint32{1}) {
		t.Errorf("front got %v, want the returned row 1 first", got)
	}
	if got := back.Take(5, 120); !slices.Equal(got, []uint32{4}) {
		t.Errorf("back got %v, want row 4 of work 100", got)
	}
	if got := front.Take(100, 0); !slices.Equal(got, []uint32{5, 0, 6, 2, 3}) {
		t.Errorf("front got %v, want all but row 7, which is better left to the back", got)
	}
	if got := front.Take(5, 0); !slices.Equal(got, []uint32{7}) {
		t.Errorf("front got %v, want row 7 when nothing else is left", got)
	}
	if got := back.Take(1, 0); got != nil || d.Len() != 0 {
		t.Errorf("back got %v, %d rows left", got, d.Len())
	}
}

func TestHandedRowsAreReleased(t *testing.T) {
	d := Ordered(rowsOf(8), cost, cost)
	d.Hand(d.TakeFront(2, 0)) // rows 1 and 4
	if n, all := d.Handed(), d.Len(); n != 2 || all != 8 {
		t.Fatalf("%d of %d rows are for the back, want 2 of 8", n, all)
	}
	d.Release()
	if n, all := d.Handed(), d.Len(); n != 0 || all != 8 {
		t.Fatalf("%d of %d rows are for the back, want none of 8", n, all)
	}
	if got := d.TakeFront(2, 0); !slices.Equal(got, []uint32{1, 4}) {
		t.Errorf("front got %v, want the released rows 1 and 4 first", got)
	}
}

func TestCostIsThatOfTheRowsLeft(t *testing.T) {
	d := Ordered(rowsOf(8), cost, cost)
	if d.Cost() != 283 {
		t.Errorf("%d, want 283", d.Cost())
	}
	d.TakeFront(1, 0)
	d.TakeBack(2, 0)
	if d.Cost() != 181 {
		t.Errorf("%d, want 181", d.Cost())
	}
}

// Whatever is taken and put back at both ends at once, every row is done once.
func TestEveryRowOnce(t *testing.T) {
	for _, threads := range []int{1, 3} {
		t.Run(fmt.Sprint(threads), func(t *testing.T) {
			const n = 20_000
			work := make([]int64, n)
			r := rand.New(rand.NewPCG(1, 2))
			for i := range work {
				work[i] = r.Int64N(1000)
			}
			d := byWork(work)
			front := d.Front().Failing()
			var mu sync.Mutex
			by := make([]byte, n)
			done := func(rows []uint32, who byte) {
				mu.Lock()
				defer mu.Unlock()
				for _, r := range rows {
					if by[r] != 0 {
						t.Errorf("row %d was done twice", r)
					}
					by[r] = who
				}
			}
			var devices, gpu sync.WaitGroup
			gpu.Go(func() {
				for rows := front.Take(700, 50_000); rows != nil; rows = front.Take(700, 50_000) {
					good := len(rows) - len(rows)/7
					done(rows[:good], 'g')
					front.Put(rows[good:])
				}
			})
			for seed := range threads {
				devices.Go(func() {
					r := rand.New(rand.NewPCG(uint64(seed), 3))
					back := d.Back()
					for rows := back.Take(100, 0); rows != nil; rows = back.Take(100, 0) {
						good := len(rows) - r.IntN(2)*len(rows)/3
						done(rows[:good], 'c')
						back.Put(rows[good:])
					}
				})
			}
			gpu.Wait()
			devices.Wait()
			for rows := d.TakeBack(n, 0); rows != nil; rows = d.TakeBack(n, 0) {
				done(rows, 'c') // put back after the last look
			}
			if i := slices.Index(by, 0); i >= 0 {
				t.Errorf("row %d was lost", i)
			}
			if d.Len() != 0 {
				t.Errorf("%d rows left", d.Len())
			}
		})
	}
}

// A take by work never exceeds it, unless it is one row, and could not have
// been larger.
func TestTakeByWorkIsTheLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		work := rapid.SliceOfN(rapid.Int64Range(0, 50), 1, 60).Draw(t, "work")
		d := byWork(work)
		sum := func(rows []uint32) (s int64) {
			for _, r := range rows {
				s += max(1, work[r])
			}
			return s
		}
		for d.Len() > 0 {
			limit := rapid.Int64Range(1, 120).Draw(t, "limit")
			n := rapid.IntRange(1, 20).Draw(t, "rows")
			left := slices.Clone(d.rows[d.lo:d.hi])
			var rows, more []uint32
			if rapid.Bool().Draw(t, "back") {
				rows = d.TakeBack(n, limit)
				more = left[max(0, len(left)-len(rows)-1):]
			} else {
				rows = d.TakeFront(n, limit)
				more = left[:min(len(left), len(rows)+1)]
			}
			if len(rows) == 0 || len(rows) > n || len(rows) > 1 && sum(rows) > limit {
				t.Fatalf("took %v of work %d under %d rows and work %d", rows, sum(rows), n, limit)
			}
			if len(rows) < n && len(more) > len(rows) && sum(more) <= limit {
				t.Fatalf("took %v, but %v has only work %d of %d", rows, more, sum(more), limit)
			}
		}
	})
}

// What is removed is not handed out, what is left keeps its order and work.
func TestRemove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "rows")
		work := rapid.SliceOfN(rapid.Int64Range(1, 50), n, n).Draw(t, "work")
		gone := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "gone")
		first := rapid.IntRange(0, n).Draw(t, "taken before")
		d := byWork(work)
		if first > 0 {
			for _, r := range d.TakeFront(first, 0) {
				gone[r] = false // taken, not removed
				work[r] = 0
			}
		}
		var sum, left int64
		for r := range gone {
			if gone[r] {
				sum += work[r]
			} else {
				left += work[r]
			}
		}
		if got := d.Remove(func(row uint32) bool { return gone[row] }); got != sum || d.Cost() != left {
			t.Fatalf("removed work %d and left %d, want %d and %d", got, d.Cost(), sum, left)
		}
		last := int64(1 << 60)
		for taken, w := d.Take(false, 1, 0); taken != nil; taken, w = d.Take(false, 1, 0) {
			r := taken[0]
			if gone[r] || work[r] == 0 || w != work[r] || w > last {
				t.Fatalf("row %d of work %d comes with %d after %d", r, work[r], w, last)
			}
			last, work[r] = w, 0
			left -= w
		}
		if left != 0 {
			t.Fatalf("rows of work %d are lost", left)
		}
	})
}

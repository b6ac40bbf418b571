// Package workq is the work queue that devices of different kinds share: a
// double-ended queue of query rows ordered by their work. A device that needs
// much work at once, such as a GPU, takes the rows with the most work from the
// front, threads that do well with little take from the back, and they meet
// wherever their speeds make them meet.
//
// Source: Gallet and Gowanlock, HEGJoin, §4.1.
package workq

import (
	"slices"
	"sort"
	"sync"

	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
)

// A Deque hands out rows, each once, from the front (most work first) or from
// the back (least work first). It is safe for concurrent use.
//
// Rows that could not be done are put back, and handed out again before all
// others. While rows are taken that can still be put back, an empty deque is
// no proof that all is done: whoever drives the devices looks again when they
// have ended.
type Deque struct {
	mu     sync.Mutex
	rows   []uint32
	before []int64 // work of all rows before each of rows, and of all; nil: each row is 1
	lo, hi int     // rows[lo:hi] have not been taken
	cost   func(row uint32) int64

	returned []uint32 // for both ends
	handed   []uint32 // for the back, and for the front when nothing else is left
}

// Ordered returns a deque of rows by falling rank, rows of equal rank as they
// come. cost is the work of a row, at least 1 of which is counted.
func Ordered(rows []uint32, rank, cost func(row uint32) int64) *Deque {
	d := &Deque{rows: slices.Clone(rows), hi: len(rows), before: make([]int64, len(rows)+1)}
	d.cost = func(row uint32) int64 { return max(1, cost(row)) }
	costs, ranks := each(rows, d.cost), each(rows, rank)
	for i, from := range order(ranks) {
		d.rows[i] = rows[from]
		d.before[i+1] = d.before[i] + costs[from]
	}
	return d
}

// each returns f of all rows.
func each(rows []uint32, f func(row uint32) int64) []int64 {
	values := make([]int64, len(rows))
	par.Chunks(par.Threads(0), len(rows), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			values[i] = f(rows[i])
		}
	})
	return values
}

// Given returns a deque of rows in the order given, which they must keep, each of
// a work of 1: it takes no time.
func Given(rows []uint32) *Deque {
	return &Deque{rows: rows, hi: len(rows), cost: func(uint32) int64 { return 1 }}
}

// work is the work of all rows before a place.
func (d *Deque) work(place int) int64 {
	if d.before == nil {
		return int64(place)
	}
	return d.before[place]
}

// Remove takes out the rows that are gone by other ways, and returns their
// work. gone is called concurrently, and more than once.
func (d *Deque) Remove(gone func(row uint32) bool) (work int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	work = d.work(d.hi) - d.work(d.lo)
	rows := d.rows[d.lo:d.hi]
	threads := par.Threads(0)
	number, sums := make([]int, threads+1), make([]int64, threads+1)
	par.Chunks(threads, len(rows), func(chunk, lo, hi int) {
		n, sum := 0, int64(0)
		for i := lo; i < hi; i++ {
			if !gone(rows[i]) {
				n, sum = n+1, sum+d.work(d.lo+i+1)-d.work(d.lo+i)
			}
		}
		number[chunk+1], sums[chunk+1] = n, sum
	})
	for c := range threads {
		number[c+1] += number[c]
		sums[c+1] += sums[c]
	}
	left := make([]uint32, number[threads])
	var before []int64
	if d.before != nil {
		before = make([]int64, len(left)+1)
	}
	par.Chunks(threads, len(rows), func(chunk, lo, hi int) {
		n, sum := number[chunk], sums[chunk]
		for i := lo; i < hi; i++ {
			if gone(rows[i]) {
				continue
			}
			sum += d.work(d.lo+i+1) - d.work(d.lo+i)
			left[n] = rows[i]
			n++
			if before != nil {
				before[n] = sum
			}
		}
	})
	d.rows, d.before, d.lo, d.hi = left, before, 0, len(left)
	return work - sums[threads]
}

// order returns the places of ranks, which are not negative, the highest first.
func order(ranks []int64) []uint32 {
	if len(ranks) == 0 {
		return nil
	}
	places := make([]uint32, len(ranks)+kernel.Slack)
	keys, highest := make([]uint64, len(ranks)), uint64(slices.Max(ranks))
	for i, rank := range ranks {
		keys[i], places[i] = highest-uint64(rank), uint32(i)
	}
	_, places = grid.SortByKey(par.Threads(0), keys, places)
	return places[:len(ranks)]
}

// Len returns how many rows are left, those put back included.
func (d *Deque) Len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.hi - d.lo + len(d.returned) + len(d.handed)
}

// Cost returns the work of the rows that are left, those put back not
// included.
func (d *Deque) Cost() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.work(d.hi) - d.work(d.lo)
}

// Rows returns the rows that are left, those put back not included, from the front to
// the back. They must not be changed.
func (d *Deque) Rows() []uint32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rows[d.lo:d.hi:d.hi]
}

// Passed returns how many rows have been taken from the front, those put back
// included.
func (d *Deque) Passed() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lo
}

// Within returns how many of the rows that are left, from the front, have work that
// adds up to at most cost.
func (d *Deque) Within(cost int64) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.most(d.hi-d.lo, cost)
}

// most returns how many of the next n rows at the front have work of at most cost.
func (d *Deque) most(n int, cost int64) int {
	start := d.work(d.lo)
	return sort.Search(n, func(k int) bool { return d.work(d.lo+k+1)-start > cost })
}

// RowWork returns the work of a row.
func (d *Deque) RowWork(row uint32) int64 { return d.cost(row) }

// TakeFront removes and returns up to rows rows from the front, most work
// first, whose work adds up to at most cost, but at least one row while any is
// left for the front; nil if none is. cost ≤ 0 sets no limit.
func (d *Deque) TakeFront(rows int, cost int64) []uint32 {
	taken, _ := d.Take(false, rows, cost)
	return taken
}

// TakeBack is TakeFront from the back: the rows with the least work.
func (d *Deque) TakeBack(rows int, cost int64) []uint32 {
	taken, _ := d.Take(true, rows, cost)
	return taken
}

// Take is TakeBack or TakeFront, and returns the work of the rows as well.
func (d *Deque) Take(back bool, rows int, cost int64) (taken []uint32, work int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if back && len(d.handed) > 0 {
		return d.again(&d.handed, rows, cost)
	}
	if len(d.returned) > 0 {
		return d.again(&d.returned, rows, cost)
	}
	n := min(max(rows, 1), d.hi-d.lo)
	if n == 0 {
		if len(d.handed) > 0 { // better there than not at all
			return d.again(&d.handed, rows, cost)
		}
		return nil, 0
	}
	start, end := d.work(d.lo), d.work(d.hi)
	if back {
		if cost > 0 {
			n = max(1, sort.Search(n, func(k int) bool { return end-d.work(d.hi-k-1) > cost }))
		}
		d.hi -= n
		return d.rows[d.hi : d.hi+n : d.hi+n], end - d.work(d.hi)
	}
	if cost > 0 {
		n = max(1, d.most(n, cost))
	}
	d.lo += n
	return d.rows[d.lo-n : d.lo : d.lo], d.work(d.lo) - start
}

// again takes rows that have been put back.
func (d *Deque) again(from *[]uint32, rows int, cost int64) ([]uint32, int64) {
	all := *from
	n := min(max(rows, 1), len(all))
	sum := int64(0)
	for i, r := range all[:n] {
		c := d.cost(r)
		if cost > 0 && i > 0 && sum+c > cost {
			n = i
			break
		}
		sum += c
	}
	*from = all[n:]
	return all[:n:n], sum
}

// Handed returns how many of the rows that are left have been handed to the
// back.
func (d *Deque) Handed() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.handed)
}

// Release leaves the rows that have been handed to the back to either end.
func (d *Deque) Release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.returned, d.handed = append(d.returned, d.handed...), nil
}

// Put gives rows back, for either end.
func (d *Deque) Put(rows []uint32) { d.put(&d.returned, rows) }

// Hand gives rows back that the device at the front does badly: they are left
// to the back while there are others.
func (d *Deque) Hand(rows []uint32) { d.put(&d.handed, rows) }

func (d *Deque) put(to *[]uint32, rows []uint32) {
	if len(rows) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	*to = append(*to, rows...)
}

// An End is one end of a deque, as what joiners take their work from.
type End struct {
	d    *Deque
	back bool
	hand bool // rows that are put back are better left to the back
}

// Front returns the end with the most work. Rows put back there are for
// either end.
func (d *Deque) Front() End { return End{d: d} }

// Back returns the end with the least work.
func (d *Deque) Back() End { return End{d: d, back: true} }

// Failing returns the end, but with rows that are put back left to the back of
// the deque.
func (e End) Failing() End {
	e.hand = true
	return e
}

// Take removes and returns rows, see [Deque.TakeFront].
func (e End) Take(rows int, cost int64) []uint32 {
	if e.back {
		return e.d.TakeBack(rows, cost)
	}
	return e.d.TakeFront(rows, cost)
}

// Put gives rows back.
func (e End) Put(rows []uint32) {
	if e.hand {
		e.d.Hand(rows)
		return
	}
	e.d.Put(rows)
}

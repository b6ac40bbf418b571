package neighbors

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sort"
)

// Ordered streams the lists of a whole Within plan in the order of the query
// rows, each ordered by neighbour, in batches of consecutive rows that have at
// most limit neighbours together, unless one row has more. limit ≤ 0 makes one
// batch of all. A batch is valid until the next step.
//
// With once each pair of a self-join is there once: the list of a row has the
// neighbours after it only. Batches then hold fewer neighbours than limit.
//
// All rows are counted first. Every batch is a join of its own, whose query
// rows are taken in the order of the index.
func Ordered(ctx context.Context, j Joiner, p *Plan, limit int64, once bool) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		if p.within == nil || once && !p.self {
			yield(nil, fmt.Errorf("%w: ordered lists are of neighbours within a radius, pairs once of a self-join", ErrRequest))
			return
		}
		count := make([]int64, p.Len())
		if err := Count(ctx, j, p, p.Work(), count); err != nil {
			yield(nil, err)
			return
		}
		ends := cuts(count, limit)
		o := orderer{plan: p, joiner: j, once: once, sorters: make([]sorter, Workers(j))}
		for i, rows := range divide(p.order(), ends) {
			lo := 0
			if i > 0 {
				lo = ends[i-1]
			}
			b, err := o.batch(ctx, lo, rows, count[lo:ends[i]])
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// cuts divides rows into runs of at most limit neighbours and returns where
// each ends.
func cuts(count []int64, limit int64) (ends []int) {
	var sum int64
	for i, n := range count {
		if limit > 0 && sum > 0 && n > limit-sum {
			ends = append(ends, i)
			sum = 0
		}
		sum += n
	}
	if len(count) > 0 {
		ends = append(ends, len(count))
	}
	return ends
}

// divide sorts rows, all of them in some order, by the run that they are in,
// and keeps the order within each.
func divide(order []uint32, ends []int) [][]uint32 {
	if len(ends) <= 1 {
		return [][]uint32{order}[:len(ends)]
	}
	run := func(row uint32) int { return sort.SearchInts(ends, int(row)+1) }
	divided := make([][]uint32, len(ends))
	room := make([]uint32, len(order))
	lo := 0
	for i, hi := range ends {
		divided[i] = room[lo:lo:hi]
		lo = hi
	}
	for _, r := range order {
		i := run(r)
		divided[i] = append(divided[i], r)
	}
	return divided
}

// An orderer makes the batches of Ordered.
type orderer struct {
	plan    *Plan
	joiner  Joiner
	once    bool
	sorters []sorter
	b       Batch
	kept    []int64 // length of each list
}

// batch joins the rows, which are those from lo on in the order of the index.
func (o *orderer) batch(ctx context.Context, lo int, rows []uint32, count []int64) (*Batch, error) {
	b, n := &o.b, len(rows)
	b.Rows, b.Offset, o.kept = b.Rows[:0], append(b.Offset[:0], 0), slices.Grow(o.kept[:0], n)[:n]
	for i, c := range count {
		b.Rows = append(b.Rows, uint32(lo+i))
		b.Offset = append(b.Offset, b.Offset[i]+c)
	}
	total := int(b.Offset[n])
	b.Index = slices.Grow(b.Index[:0], total)[:total]
	if o.plan.within.Distance {
		b.Dist = slices.Grow(b.Dist[:0], total)[:total]
	}
	err := Visit(ctx, o.joiner, o.plan, NewWork(rows, o.plan.Cost), func(worker int, from *Batch) error {
		for k, r := range from.Rows {
			i := int(r) - lo
			list, dist := b.List(i), b.Dists(i)
			if got := from.Offset[k+1] - from.Offset[k]; got != int64(len(list)) {
				return fmt.Errorf("row %d has %d neighbours but was counted to have %d", r, got, len(list))
			}
			m := copy(list, from.List(k))
			copy(dist, from.Dists(k))
			if o.once {
				m = after(r, list, dist)
			}
			if dist != nil {
				dist = dist[:m]
			}
			o.sorters[worker].sort(list[:m], dist)
			o.kept[i] = int64(m)
		}
		return nil
	})
	if err == nil && o.once {
		o.close()
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// after keeps the neighbours after row and returns how many there are.
func after(row uint32, list []uint32, dist []float64) int {
	n := 0
	for i, q := range list {
		if q > row {
			list[n] = q
			if dist != nil {
				dist[n] = dist[i]
			}
			n++
		}
	}
	return n
}

// close moves lists that have become shorter together.
func (o *orderer) close() {
	b := &o.b
	var at int64
	for i, n := range o.kept {
		from := b.Offset[i]
		copy(b.Index[at:at+n], b.Index[from:from+n])
		if b.Dist != nil {
			copy(b.Dist[at:at+n], b.Dist[from:from+n])
		}
		b.Offset[i] = at
		at += n
	}
	b.Offset[len(o.kept)] = at
	b.Index = b.Index[:at]
	if b.Dist != nil {
		b.Dist = b.Dist[:at]
	}
}

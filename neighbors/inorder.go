package neighbors

import (
	"context"
	"errors"
	"fmt"
	"math"

	"skyjoin/internal/fresh"
	"skyjoin/internal/par"
)

// An Order says how InOrder proceeds. The zero value keeps whole lists and holds a
// moderate number of neighbours at a time.
type Order struct {
	// Entries is about how many neighbours are held at once; 0 is a moderate
	// default. A single list that is longer is held all the same.
	Entries int64
	// Half keeps, of a self-join, only neighbours of a higher row: each pair
	// once.
	Half bool
	// Threads, if they are more than the workers of the joiner, share the lists
	// of each batch; a GPU has few workers.
	Threads int
	// Progress, if set, is told how many more query rows are done.
	Progress func(rows int64)
}

// orderEntries is the default of Order.Entries.
const orderEntries = 1 << 23

// InOrder carries out the whole plan and passes the lists of all query rows to
// visit in ascending order of rows; lists are ordered as those of [Collect]. A
// batch is valid during the call.
//
// The plan is carried out in passes over ranges of rows, each of which gives
// one batch, so that memory holds part of the result only. Lists of a Within
// plan are counted first, unless each pair is kept once and all fit one pass.
func InOrder(ctx context.Context, j Joiner, p *Plan, o Order, visit func(*Batch) error) error {
	if o.Half && !p.self {
		return fmt.Errorf("%w: half of the pairs can be kept of a self-join only", ErrRequest)
	}
	if o.Entries <= 0 {
		o.Entries = orderEntries
	}
	if err := Index(ctx, j, p); err != nil {
		return err
	}
	if o.Half && gathersPairs(ctx, j, p) {
		// A pass holds each pair twice while it is filled.
		b, err := pairsInOrder(ctx, j, p, max(1, o.Entries/2))
		if err == nil {
			if o.Progress != nil {
				o.Progress(int64(p.Len()))
			}
			return visit(b)
		}
		if !errors.Is(err, ErrMemory) {
			return err
		}
	}
	counts, err := listLengths(ctx, j, p)
	if err != nil {
		return err
	}
	pass := pass{plan: p, order: o}
	for lo := 0; lo < p.Len(); {
		pass.begin(lo, counts)
		pass.reserve(1)
		if err := pass.run(ctx, j); err != nil {
			return err
		}
		if err := visit(&pass.Batch); err != nil {
			return err
		}
		lo += len(pass.Rows)
	}
	return nil
}

// listLengths returns the length of each list, nil if it is the same for all.
func listLengths(ctx context.Context, j Joiner, p *Plan) ([]int64, error) {
	if p.near != nil {
		return nil, nil
	}
	counts := make([]int64, p.Len())
	return counts, Count(ctx, j, p, p.Work(), counts)
}

// A pass is the lists of a range of query rows.
type pass struct {
	Batch
	plan   *Plan
	order  Order
	first  uint32
	length []int64 // of each list, at most as long as was reserved for it
}

// begin takes rows from lo on, as many as have room for their lists, and returns how
// many neighbours they have.
func (ps *pass) begin(lo int, counts []int64) int64 {
	p := ps.plan
	ps.first = uint32(lo)
	ps.Rows, ps.Offset = ps.Rows[:0], append(ps.Offset[:0], 0)
	for row := lo; row < p.Len(); row++ {
		var n int64
		if counts == nil {
			n = int64(p.near.K)
		} else {
			n = counts[row]
		}
		last := ps.Offset[len(ps.Offset)-1]
		if row > lo && last+n > ps.order.Entries {
			break
		}
		ps.Rows = append(ps.Rows, uint32(row))
		ps.Offset = append(ps.Offset, last+n)
	}
	return ps.Offset[len(ps.Rows)]
}

// reserve allocates memory for the lists, or takes that of the pass before if it is
// large enough.
func (ps *pass) reserve(threads int) {
	total := int(ps.Offset[len(ps.Rows)])
	ps.Index = resized(threads, ps.Index, total)
	if ps.plan.near != nil || ps.plan.within.Distance {
		ps.Dist = resized(threads, ps.Dist, total)
	}
	ps.length = resized(threads, ps.length, len(ps.Rows))
}

// resized returns a slice of n elements of unspecified values, in the memory of v if
// that is large enough.
func resized[T uint32 | int64 | float64](threads int, v []T, n int) []T {
	if v != nil && cap(v) >= n {
		return v[:n]
	}
	return fresh.Make[T](threads, n)
}

// queries returns the rows of the pass as Work, in the order of the index if the
// joiner has built it.
func (ps *pass) queries() Work {
	n := uint32(len(ps.Rows))
	if int(n) == ps.plan.Len() {
		return ps.plan.Work()
	}
	rows := make([]uint32, 0, n)
	order := ps.plan.builtOrder()
	if order == nil {
		for r := range n {
			rows = append(rows, ps.first+r)
		}
	}
	for _, r := range order {
		if r-ps.first < n { // wraps around for lower rows
			rows = append(rows, r)
		}
	}
	return NewWork(rows, ps.plan.Cost)
}

func (ps *pass) run(ctx context.Context, j Joiner) error {
	share := max(1, ps.order.Threads/Workers(j))
	sorters := make([]sorter, Workers(j)*share)
	err := Visit(ctx, j, ps.plan, ps.queries(), func(worker int, b *Batch) error {
		errs := make([]error, share)
		par.Chunks(share, len(b.Rows), func(k, lo, hi int) {
			s := &sorters[worker*share+k]
			for i := lo; i < hi && errs[k] == nil; i++ {
				errs[k] = ps.store(s, b.Rows[i], b.List(i), b.Dists(i))
			}
		})
		if err := errors.Join(errs...); err != nil {
			return err
		}
		if ps.order.Progress != nil {
			ps.order.Progress(int64(len(b.Rows)))
		}
		return nil
	})
	if err == nil && ps.order.Half {
		ps.compact()
	}
	return err
}

// store writes a list to its place.
func (ps *pass) store(s *sorter, row uint32, list []uint32, dist []float64) error {
	at := int(row - ps.first)
	index, dists := ps.List(at), ps.Dists(at)
	if len(list) != len(index) {
		return fmt.Errorf("row %d has %d neighbours but was counted to have %d", row, len(list), len(index))
	}
	n := len(list)
	if ps.plan.within == nil {
		copy(index, list)
		copy(dists, dist)
	} else {
		least := uint32(0)
		if ps.order.Half {
			least = row
		}
		n = s.order(index, dists, list, dist, least)
	}
	ps.length[at] = int64(n)
	return nil
}

// compact moves the lists together where they are shorter than what was reserved.
func (ps *pass) compact() {
	var end int64
	for i, n := range ps.length {
		from := ps.Offset[i]
		copy(ps.Index[end:], ps.Index[from:from+n])
		if ps.Dist != nil {
			copy(ps.Dist[end:], ps.Dist[from:from+n])
		}
		ps.Offset[i] = end
		end += n
	}
	ps.Offset[len(ps.length)] = end
	ps.Index = ps.Index[:end]
	if ps.Dist != nil {
		ps.Dist = ps.Dist[:end]
	}
}

// Collect carries out the whole plan and returns all lists, list i belonging
// to query row i, ordered by neighbour for Within and by (d², row) for
// Nearest. limit, if positive, bounds the number of neighbours held; a larger
// result is an error that wraps ErrMemory and names both numbers.
//
// The lists of a Within plan are counted first and written to their places
// then, so that memory holds them once.
func Collect(ctx context.Context, j Joiner, p *Plan, limit int64) (*Table, error) {
	counts, err := listLengths(ctx, j, p)
	if err != nil {
		return nil, err
	}
	ps := pass{plan: p, order: Order{Entries: math.MaxInt64}}
	if total := ps.begin(0, counts); limit > 0 && total > limit {
		return nil, fmt.Errorf("%w: there are %d neighbours, %d are allowed", ErrMemory, total, limit)
	}
	ps.reserve(Workers(j))
	if err := ps.run(ctx, j); err != nil {
		return nil, err
	}
	return &ps.Table, nil
}

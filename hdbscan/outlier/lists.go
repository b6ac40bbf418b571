package outlier

import (
	"context"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// lists are the nearest neighbours of all rows: k of each, and with ties more of
// those that have as near ones.
type lists struct {
	k      int
	table  *neighbors.Table
	length []uint32      // of the list of every row; nil: k
	long   map[int]*list // those that the table has no room for
}

type list struct {
	index []uint32
	dist  []float64
}

// spare is how many more than k neighbours are listed where ties count.
const spare = 4

func newLists(ctx context.Context, points *neighbors.Points, metric neighbors.Metric, k int, opt Options) (*lists, error) {
	joiner := opt.Joiner
	if joiner == nil {
		joiner = neighbors.CPU{Threads: opt.Threads, Memory: opt.Memory}
	}
	in := neighbors.Input{Query: points, Metric: metric, Threads: opt.Threads, Memory: opt.Memory}
	listed := k
	if opt.Ties && k > 0 {
		listed = max(k, min(k+spare, points.Len()-1))
	}
	limit := int64(0)
	if opt.Memory > 0 {
		limit = max(opt.Memory/12, 1)
	}
	plan, err := neighbors.Prepare(ctx, in, neighbors.Nearest{K: listed})
	if err != nil {
		return nil, err
	}
	l := &lists{k: k}
	if l.table, err = neighbors.Collect(ctx, joiner, plan, limit); err != nil || !opt.Ties {
		return l, err
	}
	l.length, l.long = make([]uint32, points.Len()), map[int]*list{}
	open := make([]bool, points.Len())
	par.Chunks(par.Threads(opt.Threads), points.Len(), func(_, lo, hi int) {
		for row := lo; row < hi; row++ {
			l.length[row], open[row] = tied(l.table.Dists(row), k)
		}
	})
	var left []uint32 // rows whose ties may go on
	for row, o := range open {
		if o && listed < points.Len()-1 {
			left = append(left, uint32(row))
		}
	}
	for more := 4 * listed; len(left) > 0; more *= 4 {
		in.Query, in.Data = points.Subset(left), points
		plan, err := neighbors.Prepare(ctx, in, neighbors.Nearest{K: min(more, points.Len())})
		if err != nil {
			return nil, err
		}
		t, err := neighbors.Collect(ctx, joiner, plan, limit)
		if err != nil {
			return nil, err
		}
		still := left[:0]
		for i, row := range left {
			if !l.lengthen(int(row), t.List(i), t.Dists(i)) && more < points.Len() {
				still = append(still, row)
			}
		}
		left = still
	}
	return l, nil
}

// tied returns how many neighbours are as near as the k-th, and whether there
// may be others that are not listed.
func tied(dist []float64, k int) (n uint32, open bool) {
	at := k
	for at < len(dist) && dist[at] == dist[k-1] {
		at++
	}
	return uint32(at), at == len(dist)
}

// lengthen makes the list of a row of one that has the row itself, and reports
// whether all ties are in it.
func (l *lists) lengthen(row int, index []uint32, dist []float64) bool {
	o := &list{}
	for i, q := range index {
		if q != uint32(row) {
			o.index, o.dist = append(o.index, q), append(o.dist, dist[i])
		}
	}
	n, open := tied(o.dist, l.k)
	o.index, o.dist = o.index[:n:n], o.dist[:n:n]
	l.long[row] = o
	return !open
}

// of returns the neighbours of a row.
func (l *lists) of(row int) ([]uint32, []float64) {
	index, dist := l.table.List(row), l.table.Dists(row)
	if l.length == nil {
		return index, dist
	}
	if o := l.long[row]; o != nil {
		return o.index, o.dist
	}
	return index[:l.length[row]], dist[:l.length[row]]
}

// Options say how LOF runs. The zero value counts exactly k neighbours, on all
// cores.
type Options struct {
	// Ties counts all rows that are as near as the k-th neighbour, as Breunig et
	// al. do; else ties go to the lowest rows.
	Ties bool

	// Joiner finds the nearest neighbours; nil is neighbors.CPU with the
	// Threads and Memory below.
	Joiner neighbors.Joiner

	// Threads and Memory are for the index and the lists; 0 is all cores and no
	// cap. Lists take 12·k bytes a row.
	Threads int
	Memory  int64
}

package validity

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"skyjoin/neighbors"
)

const (
	testNeighbor = 10  // whose distance measures the density
	fieldLeast   = 100 // rows of the field that a test needs
	fieldMost    = 500 // and has
)

// TestOptions say how Significance runs. The zero value uses all cores.
type TestOptions struct {
	Joiner  neighbors.Joiner // nil: neighbors.CPU with the following
	Threads int
	Memory  int64
}

// A Test is how a cluster stands out from its surroundings.
type Test struct {
	Sigma float64 // as many standard deviations of a normal distribution; NaN where there is too little to compare
	P     float64 // probability of this or more by chance; 0 where it is too small for a float64
	Field int     // rows of the field that the members are compared with
}

// Significance tests each cluster of labels against the field around it: the
// cluster significance test of the censuses of open clusters (Hunt & Reffert 2021,
// A&A 646, A104, section 3.4). Negative labels are the field; clusters are numbered
// from 0.
//
// The distances of members to their 10th neighbour among the members, or to the
// last one of fewer, are compared with those of the 500 rows of the field that are
// nearest to a member, among the rows of the field. Ties go to the lower rows; a
// field of fewer than 100 rows, or a cluster of one, has no test. The comparison is
// the one-sided test of Mann & Whitney (1947), ties having their mean rank: exact
// where one side has at most 8 rows and there are no ties, else by the normal
// approximation with corrections for ties and continuity.
//
// Errors wrap neighbors.ErrRequest, ErrCoordinate or ErrMemory.
func Significance(ctx context.Context, points *neighbors.Points, metric neighbors.Metric, labels []int32, opt TestOptions) ([]Test, error) {
	if points == nil || len(labels) != points.Len() {
		return nil, fmt.Errorf("%w: %d labels, there must be one for each row", neighbors.ErrRequest, len(labels))
	}
	if opt.Joiner == nil {
		opt.Joiner = neighbors.CPU{Threads: opt.Threads, Memory: opt.Memory}
	}
	var members, field []uint32
	sizes := []int{}
	for row, l := range labels {
		if l < 0 {
			field = append(field, uint32(row))
			continue
		}
		for int(l) >= len(sizes) {
			if len(sizes) > points.Len() {
				return nil, fmt.Errorf("%w: row %d has label %d of %d rows, clusters are numbered from 0", neighbors.ErrRequest, row, l, points.Len())
			}
			sizes = append(sizes, 0)
		}
		sizes[l]++
		members = append(members, uint32(row))
	}
	tests := make([]Test, len(sizes))
	for i := range tests {
		tests[i] = Test{Sigma: math.NaN(), P: math.NaN()}
	}
	if len(field) < fieldLeast || len(members) == 0 {
		return tests, nil
	}
	s := &surroundings{opt: opt, metric: metric, field: points.Subset(field)}
	groups := make([][]uint32, len(sizes))
	for _, row := range members {
		groups[labels[row]] = append(groups[labels[row]], row)
	}
	near, err := s.near(ctx, points, members, labels, len(sizes))
	if err != nil {
		return nil, err
	}
	among, err := s.among(ctx, near)
	if err != nil {
		return nil, err
	}
	for l, rows := range groups {
		k := min(testNeighbor, len(rows)-1)
		if k < 1 {
			continue
		}
		own, err := s.kth(ctx, points.Subset(rows), k)
		if err != nil {
			return nil, err
		}
		others := make([]float64, len(near[l]))
		for i, row := range near[l] {
			others[i] = among[row][k] // the row itself is the nearest
		}
		tests[l].Sigma, tests[l].P = mannWhitney(own, others)
		tests[l].Field = len(others)
	}
	return tests, nil
}

// surroundings are the rows of no cluster.
type surroundings struct {
	opt    TestOptions
	metric neighbors.Metric
	field  *neighbors.Points
}

func (s *surroundings) visit(ctx context.Context, query, data *neighbors.Points, k int, visit func(row uint32, list []uint32, dist []float64)) error {
	in := neighbors.Input{Query: query, Data: data, Metric: s.metric, Threads: s.opt.Threads, Memory: s.opt.Memory}
	p, err := neighbors.Prepare(ctx, in, neighbors.Nearest{K: k})
	if err != nil {
		return err
	}
	return neighbors.Visit(ctx, s.opt.Joiner, p, p.Work(), func(_ int, b *neighbors.Batch) error {
		for i, row := range b.Rows {
			visit(row, b.List(i), b.Dists(i))
		}
		return nil
	})
}

// near returns the rows of the field that are nearest to a member of each cluster,
// in order. Such a row is among as many nearest of the member that it is near to.
func (s *surroundings) near(ctx context.Context, points *neighbors.Points, members []uint32, labels []int32, clusters int) ([][]uint32, error) {
	k := min(fieldMost, s.field.Len())
	found := make([]nearest, clusters)
	err := s.visit(ctx, points.Subset(members), s.field, k, func(row uint32, list []uint32, dist []float64) {
		found[labels[members[row]]].add(list, dist)
	})
	rows := make([][]uint32, clusters)
	for l := range found {
		rows[l] = found[l].rows()
	}
	return rows, err
}

// nearest keeps the rows of least distance to any of several.
type nearest struct {
	mu   sync.Mutex
	dist map[uint32]float64
}

func (n *nearest) add(list []uint32, dist []float64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.dist == nil {
		n.dist = make(map[uint32]float64)
	}
	for i, row := range list {
		if d, ok := n.dist[row]; !ok || dist[i] < d {
			n.dist[row] = dist[i]
		}
	}
	if len(n.dist) > 8*fieldMost {
		kept := make(map[uint32]float64, fieldMost)
		for _, row := range n.rows() {
			kept[row] = n.dist[row]
		}
		n.dist = kept
	}
}

// rows returns the nearest by (distance, row).
func (n *nearest) rows() []uint32 {
	rows := make([]uint32, 0, len(n.dist))
	for row := range n.dist {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b uint32) int {
		switch x, y := n.dist[a], n.dist[b]; {
		case x != y:
			if x < y {
				return -1
			}
			return 1
		}
		return int(int64(a) - int64(b))
	})
	return rows[:min(len(rows), fieldMost)]
}

// among returns, for rows of the field that are near a cluster, the distances to
// their nearest rows of the field, themselves first.
func (s *surroundings) among(ctx context.Context, near [][]uint32) (map[uint32][]float64, error) {
	rows := slices.Concat(near...)
	slices.Sort(rows)
	rows = slices.Compact(rows)
	lists := make([][]float64, len(rows))
	err := s.visit(ctx, s.field.Subset(rows), s.field, testNeighbor+1, func(row uint32, _ []uint32, dist []float64) {
		lists[row] = slices.Clone(dist)
	})
	among := make(map[uint32][]float64, len(rows))
	for i, row := range rows {
		among[row] = lists[i]
	}
	return among, err
}

// kth returns the distances of rows to their kth neighbour.
func (s *surroundings) kth(ctx context.Context, points *neighbors.Points, k int) ([]float64, error) {
	dist := make([]float64, points.Len())
	return dist, s.visit(ctx, points, nil, k, func(row uint32, _ []uint32, d []float64) { dist[row] = d[k-1] })
}

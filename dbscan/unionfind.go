package dbscan

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"skyjoin/neighbors"
)

// A forest holds the sets of core rows that are known to be connected, one
// tree per set. Rows that are not known to be core are outside. All its
// methods but labels may be called concurrently.
//
// parent[i] is outside, or the parent of core row i, which is i itself for a
// root. Parents never have higher rows than their children: the root is the
// lowest row of its set, whatever the order of the unions.
//
// Both ends of a pair report it, and a row enters the forest before its
// neighbours are looked at. So of two rows that are both core, the one that
// looks later sees the other inside, and no union is missed although core rows
// are still being found.
type forest struct {
	parent []int32 // row numbers as uint32 bits; becomes the labels in the end
}

const outside = math.MaxUint32

func newForest(n int) *forest {
	f := &forest{parent: make([]int32, n)}
	for i := range f.parent {
		f.parent[i] = -1 // the bits of outside, and the label Noise
	}
	return f
}

func (f *forest) at(i uint32) uint32 { return uint32(atomic.LoadInt32(&f.parent[i])) }

func (f *forest) swap(i, old, new uint32) bool {
	return atomic.CompareAndSwapInt32(&f.parent[i], int32(old), int32(new))
}

// enter makes row i, which must be outside, a set of its own.
func (f *forest) enter(i uint32) { atomic.StoreInt32(&f.parent[i], int32(i)) }

// root returns the root of row i, which must be inside, and shortens the path
// to it by half.
func (f *forest) root(i uint32) uint32 {
	for {
		up := f.at(i)
		if up == i {
			return i
		}
		over := f.at(up)
		if over == up {
			return up
		}
		f.swap(i, up, over) // a failure means that another goroutine has done it
		i = over
	}
}

// uniteAll joins row i, which must be inside, with all rows of list that are
// inside.
func (f *forest) uniteAll(i uint32, list []uint32) {
	root := f.root(i)
	for _, j := range list {
		// Most rows of a list hang from the same root already.
		if up := f.at(j); up != outside && up != root {
			root = f.unite(root, j)
		}
	}
}

// unite joins the sets of rows i and j and returns the root.
func (f *forest) unite(i, j uint32) uint32 {
	for {
		i, j = f.root(i), f.root(j)
		if i == j {
			return i
		}
		if i > j {
			i, j = j, i
		}
		if f.swap(j, j, i) {
			return i
		}
	}
}

// labels ends the forest: it returns the cluster of each row, Noise for rows
// outside, and the number of core rows of each cluster. Clusters are numbered
// by their lowest row. core, unless nil, is set for the rows inside.
func (f *forest) labels(core []bool) (labels []int32, sizes []int64, err error) {
	// In ascending order, so that a parent has its label before its children.
	for i := range f.parent {
		up := uint32(f.parent[i])
		switch {
		case up == outside:
			continue
		case up == uint32(i):
			if len(sizes) > math.MaxInt32 {
				return nil, nil, errors.New("more than 2147483648 clusters: labels are 32-bit integers")
			}
			f.parent[i] = int32(len(sizes))
			sizes = append(sizes, 0)
		default:
			f.parent[i] = f.parent[up]
		}
		if core != nil {
			core[i] = true
		}
		sizes[f.parent[i]]++
	}
	return f.parent, sizes, nil
}

// runUnionFind streams the neighbours of all rows, and those of the rows that
// are not core once more.
func (r *Result) runUnionFind(ctx context.Context, plan *neighbors.Plan, opt *Options) error {
	start := time.Now()
	f, err := r.join(ctx, plan, opt)
	if err != nil {
		return err
	}
	r.Join = time.Since(start)

	start = time.Now()
	r.Core = make([]bool, plan.Len())
	if r.Labels, r.Sizes, err = f.labels(r.Core); err != nil {
		return err
	}
	for _, n := range r.Sizes {
		r.CoreCount += n
	}
	r.Cluster = time.Since(start)

	if !opt.Star && r.CoreCount > 0 {
		start = time.Now()
		if err := r.attach(ctx, plan, opt); err != nil {
			return err
		}
		r.Join += time.Since(start)
	}
	r.NoiseCount = int64(plan.Len()) - r.CoreCount - r.BorderCount
	return nil
}

// join streams the neighbours of all rows once: it counts them, finds the core
// rows and connects them.
func (r *Result) join(ctx context.Context, plan *neighbors.Plan, opt *Options) (*forest, error) {
	j := opt.joiner()
	f := newForest(plan.Len())
	t := newThreshold(opt)
	if opt.Counts {
		r.Counts = make([]int64, plan.Len())
	}
	found := make([]counter, neighbors.Workers(j)) // ordered pairs, per worker
	done := newMeter(opt.Progress, StageJoin, int64(len(opt.rows(plan))))
	err := neighbors.Visit(ctx, j, plan, opt.work(plan), func(worker int, b *neighbors.Batch) error {
		found[worker].n += b.Offset[len(b.Rows)] - b.Offset[0]
		for i, row := range b.Rows {
			list := b.List(i)
			if r.Counts != nil {
				r.Counts[row] = int64(len(list)) + 1
			}
			if t.core(row, list) {
				f.enter(row)
				f.uniteAll(row, list)
			}
		}
		done.add(len(b.Rows))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.found = total(found)
	r.Pairs = r.found / 2
	return f, nil
}

// A counter is the count of one worker, on a cache line of its own.
type counter struct {
	n int64
	_ [56]byte
}

func total(counters []counter) int64 {
	var sum int64
	for _, c := range counters {
		sum += c.n
	}
	return sum
}

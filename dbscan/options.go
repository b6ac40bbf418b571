package dbscan

import (
	"context"
	"fmt"
	"math"

	"skyjoin/internal/named"
	"skyjoin/neighbors"
)

// Noise is the label of rows that are in no cluster.
const Noise int32 = -1

// A Border is the rule by which a row that is not core, but has core
// neighbours, chooses among their clusters.
type Border uint8

const (
	// BorderFirst takes the lowest-numbered cluster, as scikit-learn does.
	BorderFirst Border = iota
	// BorderNearest takes the cluster of the core neighbour with the smallest
	// d², and of several such the one with the lowest row.
	BorderNearest
)

// borders are the names of the rules.
var borders = []string{BorderFirst: "first", BorderNearest: "nearest"}

// String returns "first" or "nearest".
func (b Border) String() string { return borders[b] }

// ParseBorder returns the rule of the given name.
func ParseBorder(name string) (Border, error) {
	return named.Index[Border](neighbors.ErrRequest, "border rule", borders, name)
}

// An Algorithm is a way to find the clusters. All give the same result, value for
// value; [Result] says which was used.
type Algorithm string

const (
	// Auto takes the first of the following that supports the Options.
	Auto Algorithm = ""

	// Device leaves everything to a Joiner that is a [Clusterer], such as that of a
	// GPU: union-find on the device, cell by cell. It does not support weights or
	// BorderNearest.
	Device Algorithm = "device"

	// Cells is DBSCAN on a grid (Gunawan, 2013; Gan & Tao, SIGMOD 2015): whole cells
	// are known to be core or not, or to be in one cluster, and a point is compared
	// with others only until it is known to be core. It does not support weights or
	// periodic metrics, and needs a Joiner that is a neighbors.Counter, which counts
	// the neighbours first if Counts or Pairs are wanted.
	Cells Algorithm = "cells"

	// UnionFind streams the neighbours of all rows once and unites core rows in a
	// concurrent union-find on the way (as FDBSCAN of Prokopenko, Lebrun-Grandié &
	// Arndt, ICPP 2023), and then streams the neighbours of rows that are not core a
	// second time, for border rows. It supports all options.
	UnionFind Algorithm = "union-find"
)

// Options say how Run clusters. Only MinPoints has to be set.
type Options struct {
	// MinPoints makes a row core: the number of rows in its ball, itself
	// included, or with Weights their sum, must reach it. At least 1, or
	// positive with Weights.
	MinPoints float64

	// Weights has one finite weight per row; nil counts every row once.
	// Negative weights are allowed: they can keep rows from being core. Sums
	// are exact, see package comment of internal/exact.
	Weights []float64

	// Star leaves border rows noise: DBSCAN* of Campello, Moulavi & Sander
	// (PAKDD 2013).
	Star bool

	// Border is the rule for border rows.
	Border Border

	// Counts asks for Result.Counts.
	Counts bool

	// SkipPairs leaves out Result.Pairs, which is then -1, where that saves time:
	// unless Counts asks for all counts, the CPU or a Joiner that is a [Clusterer]
	// need not look at all neighbours of a core row.
	SkipPairs bool

	// Algorithm is the algorithm to use; Auto chooses one.
	Algorithm Algorithm

	// Joiner carries out the join; nil is neighbors.CPU with the Threads and
	// Memory below.
	Joiner neighbors.Joiner

	// Threads and Memory are for the index, see neighbors.Input; 0 is all
	// cores and no cap.
	Threads int
	Memory  int64

	// Progress, if set, is told about the rows done.
	Progress Progress

	own     []uint32 // the rows to cluster, in the order of the index; nil: all
	largest float64  // the largest magnitude of a weight in the whole catalog, of which these may be a part; 0: that of Weights
}

// rows returns the rows to cluster, in the order of the index.
func (o *Options) rows(plan *neighbors.Plan) []uint32 {
	if o.own != nil {
		return o.own
	}
	return plan.Work().Take(plan.Len(), 0)
}

// work returns the rows to cluster as Work.
func (o *Options) work(plan *neighbors.Plan) neighbors.Work {
	if o.own != nil {
		return neighbors.NewWork(o.own, plan.Cost)
	}
	return plan.Work()
}

// A Join says where and how the join of Predict, KDistances or Summarize runs. The zero value uses all cores. Its fields are those of
// Options.
type Join struct {
	Joiner   neighbors.Joiner
	Threads  int
	Memory   int64
	Progress Progress
}

// visit carries out the join of points with data, or with each other if that is
// nil, and tells Progress.
func (j Join) visit(ctx context.Context, in neighbors.Input, q neighbors.Query, visit func(p *neighbors.Plan, b *neighbors.Batch)) error {
	in.Threads, in.Memory = j.Threads, j.Memory
	plan, err := neighbors.Prepare(ctx, in, q)
	if err != nil {
		return err
	}
	o := Options{Joiner: j.Joiner, Threads: j.Threads, Memory: j.Memory}
	done := newMeter(j.Progress, StageJoin, int64(plan.Len()))
	return neighbors.Visit(ctx, o.joiner(), plan, plan.Work(), func(_ int, b *neighbors.Batch) error {
		visit(plan, b)
		done.add(len(b.Rows))
		return nil
	})
}

func (o *Options) joiner() neighbors.Joiner {
	if o.Joiner == nil {
		return neighbors.CPU{Threads: o.Threads, Memory: o.Memory}
	}
	return o.Joiner
}

// check validates the options for n rows.
func (o *Options) check(n int) error {
	if math.IsNaN(o.MinPoints) || math.IsInf(o.MinPoints, 0) {
		return fmt.Errorf("%w: min-points %v, it must be finite", neighbors.ErrRequest, o.MinPoints)
	}
	if o.Border > BorderNearest {
		return fmt.Errorf("%w: border rule %d, it must be BorderFirst or BorderNearest", neighbors.ErrRequest, o.Border)
	}
	if o.Weights == nil {
		if o.MinPoints < 1 {
			return fmt.Errorf("%w: min-points %v, it must be at least 1: a point counts itself", neighbors.ErrRequest, o.MinPoints)
		}
		return nil
	}
	if o.MinPoints <= 0 {
		return fmt.Errorf("%w: min-points %v, a sum of weights must be positive", neighbors.ErrRequest, o.MinPoints)
	}
	if len(o.Weights) != n {
		return fmt.Errorf("%w: %d weights for %d points", neighbors.ErrRequest, len(o.Weights), n)
	}
	for i, w := range o.Weights {
		if w-w != 0 { // NaN for NaN and for infinities
			return fmt.Errorf("%w: the weight of row %d is %v, it must be finite", neighbors.ErrRequest, i, w)
		}
	}
	return nil
}

package dbscan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"skyjoin/neighbors"
)

// A Part is the clustering of some of the rows of a set, as far as they and
// the rows near them can tell: what the answer for all rows is put together
// from. Its clusters are connected sets of own core rows, numbered from 0 by
// their lowest rows; clusters of several parts may be one.
type Part struct {
	// Labels has, for each point, the cluster of an own row that is core, or
	// that is a border row of this cluster and cannot be of another. All other
	// rows have Noise.
	Labels []int32
	Core   []bool  // whether each point is an own row and core
	Counts []int64 // rows in the ball of each own row, itself included; nil unless asked for

	Lowest []uint32 // lowest row of each cluster
	Found  int64    // ordered pairs of an own row and any other within ε

	// Shared are the own core rows with a row of another part in their ball,
	// ascending: those that other parts ask about.
	Shared []uint32
	// Links are rows of other parts that belong to clusters of this one if they
	// are core, each pair once, ordered by row and cluster.
	Links []Link
	// Choices are own rows that are not core and may belong to several
	// clusters, with all clusters that they may belong to, ordered by row.
	Choices []Choice
}

// A Link says that a row of another part, if it is core, is in a cluster.
type Link struct {
	Row     uint32
	Cluster int32
}

// A Choice is a core row that an own row may join the cluster of, or a row of
// another part that may be core.
type Choice struct {
	Row     uint32
	Near    uint32
	Cluster int32   // of Near; Noise for a row of another part
	D2      float64 // the squared distance, for BorderNearest; else 0
}

// RunPart clusters the own rows among the points, which have to include every
// row within ε of an own row: whether an own row is core is then as certain as
// of all rows. largest is the largest weight of all rows in magnitude, as
// weights are rounded to multiples that depend on it; 0 without weights.
//
// It counts, or streams, the neighbours of own rows as Run does, and streams
// those of the other rows once.
func RunPart(ctx context.Context, points *neighbors.Points, own []bool, metric neighbors.Metric, eps, largest float64, opt Options) (*Part, error) {
	switch {
	case points == nil:
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	case len(own) != points.Len():
		return nil, fmt.Errorf("%w: %d rows are told to be own or not, there are %d", neighbors.ErrRequest, len(own), points.Len())
	}
	if err := opt.check(points.Len()); err != nil {
		return nil, err
	}
	plan, err := neighbors.Prepare(ctx, neighbors.Input{Query: points, Metric: metric, Threads: opt.Threads, Memory: opt.Memory}, neighbors.Within{Radius: eps})
	if err != nil {
		return nil, err
	}
	// Rows in the order of the index, which it has to be there for: in their own
	// order each would be looked for all over the grid.
	if err := neighbors.Index(ctx, opt.joiner(), plan); err != nil {
		return nil, err
	}
	opt.largest = largest
	rows := plan.Work().Take(plan.Len(), 0)
	var foreign []uint32
	opt.own = make([]uint32, 0, len(rows))
	for _, row := range rows {
		if own[row] {
			opt.own = append(opt.own, row)
		} else {
			foreign = append(foreign, row)
		}
	}
	r := &Result{}
	cells, err := r.part(ctx, plan, &opt, own)
	if err != nil {
		return nil, err
	}
	p := &Part{Core: r.Core, Labels: r.Labels, Counts: r.Counts, Found: r.found}
	for row, label := range p.Labels {
		if int(label) == len(p.Lowest) {
			p.Lowest = append(p.Lowest, uint32(row))
		}
	}
	foreignPairs, err := p.link(ctx, plan, foreign, &opt)
	if err != nil {
		return nil, err
	}
	if cells != nil && p.Found > 0 {
		p.Found -= foreignPairs
	}
	if opt.Star {
		return p, nil
	}
	left, err := p.undecided(ctx, cells, &opt)
	if err != nil {
		return nil, err
	}
	return p, p.border(ctx, plan, own, left, &opt)
}

// part finds which of the own rows are core, and the clusters that they form
// without the help of others. Where it goes by cells it returns them, and counts
// the neighbours of all rows.
func (r *Result) part(ctx context.Context, plan *neighbors.Plan, opt *Options, own []bool) (*cellRun, error) {
	if !opt.byCells(plan) {
		f, err := r.join(ctx, plan, opt)
		if err != nil {
			return nil, err
		}
		r.Core = make([]bool, plan.Len())
		r.Labels, _, err = f.labels(r.Core)
		return nil, err
	}
	minRows, n := newThreshold(opt).minRows, int64(plan.Len())
	enough, err := r.enoughFirst(ctx, plan, opt, minRows)
	if err != nil {
		return nil, err
	}
	r.found = max(0, 2*r.Pairs) // unless they are not counted
	if r.Counts != nil {
		for row := range r.Counts {
			if !own[row] {
				r.Counts[row] = 0
			}
		}
	}
	c := newCellRun(plan, minRows, neighbors.Workers(opt.joiner()), enough)
	c.own = own
	if err := c.cores(ctx, newMeter(opt.Progress, StageCore, n)); err != nil {
		return nil, err
	}
	if err := c.unite(ctx, newMeter(opt.Progress, StageConnect, n)); err != nil {
		return nil, err
	}
	byPosition, _, err := c.label()
	if err != nil {
		return nil, err
	}
	r.Labels, r.Core = c.byRow(byPosition)
	return c, nil
}

// link looks at the rows of other parts: their core neighbours are shared, and
// they connect the clusters of those if they are core. It returns how many
// neighbours they have.
func (p *Part) link(ctx context.Context, plan *neighbors.Plan, foreign []uint32, opt *Options) (found int64, err error) {
	j := opt.joiner()
	shared := make([]uint32, (plan.Len()+31)/32) // a bit for each row
	links := make([][]Link, neighbors.Workers(j))
	pairs := make([]counter, neighbors.Workers(j))
	err = neighbors.Visit(ctx, j, plan, neighbors.NewWork(foreign, plan.Cost), func(worker int, b *neighbors.Batch) error {
		pairs[worker].n += b.Offset[len(b.Rows)] - b.Offset[0]
		for i, row := range b.Rows {
			first := len(links[worker])
			for _, near := range b.List(i) {
				if !p.Core[near] {
					continue
				}
				if bit := uint32(1) << (near % 32); atomic.LoadUint32(&shared[near/32])&bit == 0 {
					atomic.OrUint32(&shared[near/32], bit)
				}
				l := Link{row, p.Labels[near]}
				if !slices.Contains(links[worker][first:], l) {
					links[worker] = append(links[worker], l)
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	p.Links = slices.Concat(links...)
	slices.SortFunc(p.Links, func(a, b Link) int { return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Cluster, b.Cluster)) })
	for row := range p.Core {
		if shared[row/32]&(1<<(row%32)) != 0 {
			p.Shared = append(p.Shared, uint32(row))
		}
	}
	return total(pairs), nil
}

// undecided returns the own rows that are not core and may be in a cluster, in
// the order of the index: by cells, where there are some, without those that have
// neither core rows nor rows of other parts near.
func (p *Part) undecided(ctx context.Context, cells *cellRun, opt *Options) (left []uint32, err error) {
	if cells == nil {
		for _, row := range opt.own {
			if !p.Core[row] {
				left = append(left, row)
			}
		}
		return left, nil
	}
	if err := cells.markNear(ctx); err != nil {
		return nil, err
	}
	for cell, of := range cells.of {
		if of == noCore {
			continue
		}
		lo, hi := cells.bounds(cell)
		for i, row := range cells.grid.Rows()[lo:hi] {
			if cells.own[row] && cells.kind[lo+i] == other {
				left = append(left, row)
			}
		}
	}
	return left, nil
}

// border looks at own rows that are not core.
func (p *Part) border(ctx context.Context, plan *neighbors.Plan, own []bool, left []uint32, opt *Options) error {
	j := opt.joiner()
	choices := make([][]Choice, neighbors.Workers(j))
	done := newMeter(opt.Progress, StageBorder, int64(len(left)))
	// Labels of core rows are only read and those of others are only written,
	// each by the one worker that has the row.
	err := neighbors.Visit(ctx, j, plan, neighbors.NewWork(left, plan.Cost), func(worker int, b *neighbors.Batch) error {
		var some []Choice
		for i, row := range b.Rows {
			some = opt.Border.among(some[:0], plan, row, b.List(i), p, own)
			if len(some) == 1 && some[0].Cluster != Noise {
				p.Labels[row] = some[0].Cluster
				continue
			}
			choices[worker] = append(choices[worker], some...)
		}
		done.add(len(b.Rows))
		return nil
	})
	if err != nil {
		return err
	}
	p.Choices = slices.Concat(choices...)
	slices.SortFunc(p.Choices, func(a, b Choice) int { return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Near, b.Near)) })
	return nil
}

// among appends what a row that is not core may join, given its neighbours: of
// the own core rows one of each cluster or, by BorderNearest, the nearest, and
// those rows of other parts that would be chosen before them.
func (b Border) among(some []Choice, plan *neighbors.Plan, row uint32, list []uint32, p *Part, own []bool) []Choice {
	if b == BorderFirst {
		for _, near := range list {
			switch {
			case !own[near]:
				some = append(some, Choice{Row: row, Near: near, Cluster: Noise})
			case p.Core[near]:
				i := slices.IndexFunc(some, func(c Choice) bool { return c.Cluster == p.Labels[near] })
				if i < 0 {
					some = append(some, Choice{Row: row, Near: near, Cluster: p.Labels[near]})
				} else {
					some[i].Near = min(some[i].Near, near) // one answer whatever the order of the list
				}
			}
		}
		return some
	}
	best := Choice{Cluster: Noise}
	for _, near := range list {
		if own[near] && p.Core[near] {
			c := Choice{row, near, p.Labels[near], plan.SquaredDistance(row, near)}
			if best.Cluster == Noise || c.nearer(best) {
				best = c
			}
		}
	}
	for _, near := range list {
		if !own[near] {
			c := Choice{row, near, Noise, plan.SquaredDistance(row, near)}
			if best.Cluster == Noise || c.nearer(best) {
				some = append(some, c)
			}
		}
	}
	if best.Cluster != Noise {
		some = append(some, best)
	}
	return some
}

// nearer reports whether BorderNearest takes c before d.
func (c Choice) nearer(d Choice) bool { return c.D2 < d.D2 || c.D2 == d.D2 && c.Near < d.Near }

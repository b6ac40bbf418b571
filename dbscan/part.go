package dbscan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"skyjoin/internal/hook"
	"skyjoin/internal/piece"
	"skyjoin/neighbors"
)

// The clustering of one tile is for package tiles and not part of the public API.
func init() { hook.Provide("dbscan.RunPart", runPart) }

// A part is an unfinished clustering of the own rows of a tile.
type part struct{ piece.Local }

// runPart clusters the own rows among the points, which must include every row within ε
// of an own row, so that whether an own row is core is as certain as in a run over all
// rows. largest is the largest weight of all rows in magnitude, as weights are rounded
// to multiples that depend on it; 0 without weights.
//
// It counts, or streams, the neighbours of own rows as [Run] does, and streams
// those of the other rows once.
func runPart(ctx context.Context, points *neighbors.Points, own []bool, metric neighbors.Metric, eps, largest float64, opt Options) (*piece.Local, error) {
	switch {
	case points == nil:
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	case len(own) != points.Len():
		return nil, fmt.Errorf("%w: %d rows are marked as own or not, there are %d", neighbors.ErrRequest, len(own), points.Len())
	}
	if err := opt.check(points.Len()); err != nil {
		return nil, err
	}
	plan, err := neighbors.Prepare(ctx, neighbors.Input{Query: points, Metric: metric, Threads: opt.Threads, Memory: opt.Memory}, neighbors.Within{Radius: eps})
	if err != nil {
		return nil, err
	}
	// The index must exist, for its order: in their own order, rows would be
	// scattered over the grid.
	if err := neighbors.Index(ctx, opt.joiner(), plan); err != nil {
		return nil, err
	}
	if opt.largest = largest; opt.Algorithm == Device {
		opt.Algorithm = Auto
	}
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
	p := &part{piece.Local{Core: r.Core, Labels: r.Labels, Counts: r.Counts, Found: r.found}}
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
		return &p.Local, nil
	}
	left, err := p.undecided(ctx, cells, &opt)
	if err != nil {
		return nil, err
	}
	return &p.Local, p.border(ctx, plan, own, left, &opt)
}

// part finds which of the own rows are core, and the clusters that they form among
// themselves. If it works cell by cell it returns the cells, and counts the
// neighbours of all rows.
func (r *Result) part(ctx context.Context, plan *neighbors.Plan, opt *Options, own []bool) (*cellRun, error) {
	a, err := opt.choose(algorithms[1:], plan) // a device clusters only whole sets
	if err != nil {
		return nil, err
	}
	if a.name == UnionFind {
		f, err := r.join(ctx, plan, opt)
		if err != nil {
			return nil, err
		}
		r.Core = make([]bool, plan.Len())
		r.Labels, _, err = f.labels(r.Core)
		return nil, err
	}
	c, err := r.joinCells(ctx, plan, opt, own)
	if err != nil {
		return nil, err
	}
	r.found = max(0, 2*r.Pairs) // 0 if they are not counted
	if r.Counts != nil {
		for row := range r.Counts {
			if !own[row] {
				r.Counts[row] = 0
			}
		}
	}
	byPosition, _, err := c.label()
	if err != nil {
		return nil, err
	}
	r.Labels, r.Core = c.byRow(byPosition)
	return c, nil
}

// link visits the rows of other tiles: their core neighbours are shared, and they
// connect the clusters of these if they are core themselves. It returns their number
// of neighbours.
func (p *part) link(ctx context.Context, plan *neighbors.Plan, foreign []uint32, opt *Options) (found int64, err error) {
	j := opt.joiner()
	shared := make([]uint32, (plan.Len()+31)/32) // a bit for each row
	links := make([][]piece.LocalLink, neighbors.Workers(j))
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
				l := piece.LocalLink{Row: row, Cluster: p.Labels[near]}
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
	slices.SortFunc(p.Links, func(a, b piece.LocalLink) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Cluster, b.Cluster))
	})
	for row := range p.Core {
		if shared[row/32]&(1<<(row%32)) != 0 {
			p.Shared = append(p.Shared, uint32(row))
		}
	}
	return total(pairs), nil
}

// undecided returns the own rows that are not core and may be in a cluster, in the
// order of the index; with cells, it leaves out rows that have neither core rows nor
// rows of other tiles nearby.
func (p *part) undecided(ctx context.Context, cells *cellRun, opt *Options) (left []uint32, err error) {
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

// border visits the own rows that are not core.
func (p *part) border(ctx context.Context, plan *neighbors.Plan, own []bool, left []uint32, opt *Options) error {
	j := opt.joiner()
	choices := make([][]piece.LocalChoice, neighbors.Workers(j))
	done := newMeter(opt.Progress, StageBorder, int64(len(left)))
	// Labels of core rows are only read here; those of other rows are only written,
	// each by the one worker that has the row.
	err := neighbors.Visit(ctx, j, plan, neighbors.NewWork(left, plan.Cost), func(worker int, b *neighbors.Batch) error {
		var some []piece.LocalChoice
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
	slices.SortFunc(p.Choices, func(a, b piece.LocalChoice) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Near, b.Near))
	})
	return nil
}

// among appends what a row that is not core may join, given its neighbours: one own
// core row per cluster or, with BorderNearest, the nearest, and the rows of other
// tiles that would take precedence over them.
func (b Border) among(some []piece.LocalChoice, plan *neighbors.Plan, row uint32, list []uint32, p *part, own []bool) []piece.LocalChoice {
	if b == BorderFirst {
		for _, near := range list {
			switch {
			case !own[near]:
				some = append(some, piece.LocalChoice{Row: row, Near: near, Cluster: Noise})
			case p.Core[near]:
				i := slices.IndexFunc(some, func(c piece.LocalChoice) bool { return c.Cluster == p.Labels[near] })
				if i < 0 {
					some = append(some, piece.LocalChoice{Row: row, Near: near, Cluster: p.Labels[near]})
				} else {
					some[i].Near = min(some[i].Near, near) // the same answer for any order of the list
				}
			}
		}
		return some
	}
	best := piece.LocalChoice{Cluster: Noise}
	for _, near := range list {
		if own[near] && p.Core[near] {
			c := piece.LocalChoice{Row: row, Near: near, Cluster: p.Labels[near], D2: plan.SquaredDistance(row, near)}
			if best.Cluster == Noise || c.Nearer(best) {
				best = c
			}
		}
	}
	for _, near := range list {
		if !own[near] {
			c := piece.LocalChoice{Row: row, Near: near, Cluster: Noise, D2: plan.SquaredDistance(row, near)}
			if best.Cluster == Noise || c.Nearer(best) {
				some = append(some, c)
			}
		}
	}
	if best.Cluster != Noise {
		some = append(some, best)
	}
	return some
}

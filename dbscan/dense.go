package dbscan

import (
	"context"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// Where balls hold many rows, most of the lists say nothing new. Then it is
// faster to count the neighbours of all rows, which needs no lists, and to
// look at the lists of a few core rows per compact cell only: those that it
// takes until all cells around are known to be in one cluster, or known to be
// out of reach. The answer is the same.

// sampleRows is the number of rows that the mean length of a list is taken of.
const sampleRows = 1 << 10

// A countingRule says when counting first pays.
type countingRule struct {
	rows   int     // fewer rows are quickly listed
	list   float64 // shorter lists, on average, are as quickly read as counted
	lookup float64 // neighbours in a list that cost as much as a look at a cell
}

var usualRule = countingRule{rows: 1 << 13, list: 128, lookup: 20}

func (o *Options) rule() *countingRule {
	if o.counting == nil {
		return &usualRule
	}
	return o.counting
}

// sample returns room for the counts of all rows if they should be counted
// first, and nil otherwise.
func (o *Options) sample(ctx context.Context, plan *neighbors.Plan) ([]int64, error) {
	rule := o.rule()
	_, can := o.joiner().(neighbors.Counter)
	if !can || o.Weights != nil || len(o.rows(plan)) < rule.rows || plan.QuerySpace().Dim() > maxCompactDim || plan.Periodic() {
		return nil, nil
	}
	all := o.rows(plan)
	rows := make([]uint32, min(sampleRows, len(all)))
	for i := range rows {
		rows[i] = all[uint64(i)*uint64(len(all))/uint64(len(rows))]
	}
	count := make([]int64, plan.Len())
	if err := neighbors.Count(ctx, o.joiner(), plan, neighbors.NewWork(rows, plan.Cost), count); err != nil {
		return nil, err
	}
	var sum int64
	for _, row := range rows {
		sum += count[row]
	}
	if float64(sum) < rule.list*float64(len(rows)) {
		return nil, nil
	}
	return count, nil
}

// joinDense does what join does by counting first.
func (r *Result) joinDense(ctx context.Context, plan *neighbors.Plan, opt *Options, count []int64) (*forest, error) {
	rows := opt.rows(plan)
	done := newMeter(opt.Progress, StageJoin, int64(len(rows)))
	if err := neighbors.Count(ctx, opt.joiner(), plan, metered{opt.work(plan), done}, count); err != nil {
		return nil, err
	}
	f := newForest(plan.Len())
	t := newThreshold(opt)
	var found, cores int64
	for _, row := range rows {
		found += count[row]
		count[row]++ // the row itself
		if count[row] >= t.minRows {
			f.enter(row)
			cores++
		}
	}
	r.found, r.Pairs = found, found/2
	if opt.Counts {
		r.Counts = count
	}
	return f, connect(ctx, plan, opt, f, cores, float64(found)/float64(len(rows)))
}

// connect unites the core rows of a forest. list is the mean length of a list.
func connect(ctx context.Context, plan *neighbors.Plan, opt *Options, f *forest, cores int64, list float64) error {
	points := &plan.Grid().Points
	slots := make([]uint32, 0, cores) // positions of the core rows still to be looked at
	for i, row := range points.ID[:points.N] {
		if f.at(row) != outside {
			slots = append(slots, uint32(i))
		}
	}
	cells, cellOf := divide(plan, slots, f, list/opt.rule().lookup)
	done := newMeter(opt.Progress, StageConnect, cores)
	var used []uint32
	if cells != nil {
		used = make([]uint32, len(cells.key))
	}
	// The quota per cell grows from round to round: most cells are done after
	// the first, and the others should not need many rounds.
	for quota := uint32(1); len(slots) > 0; quota = max(quota, 2*quota) {
		var rows []uint32
		kept := 0
		for i, slot := range slots {
			if cells == nil {
				rows = append(rows, points.ID[slot])
				continue
			}
			switch cell := cellOf[i]; {
			case cells.done[cell]:
				done.add(1)
			case used[cell] < quota:
				used[cell]++
				rows = append(rows, points.ID[slot])
			default:
				slots[kept], cellOf[kept] = slot, cell
				kept++
			}
		}
		slots = slots[:kept]
		err := neighbors.Visit(ctx, opt.joiner(), plan, neighbors.NewWork(rows, plan.Cost), func(_ int, b *neighbors.Batch) error {
			for i, row := range b.Rows {
				f.uniteAll(row, b.List(i))
			}
			done.add(len(b.Rows))
			return nil
		})
		if err != nil {
			return err
		}
		if cells != nil {
			cells.finish(f, par.Threads(opt.Threads))
		}
	}
	return nil
}

// divide puts core rows into compact cells, unites those of each and returns
// the cell of each position. It returns nil where this would not pay, given the
// number of looks at cells that cost as much as a list.
func divide(plan *neighbors.Plan, slots []uint32, f *forest, looks float64) (*compact, []uint32) {
	cells := newCompact(&plan.Grid().Points, plan.SquaredRadius())
	if cells == nil {
		return nil, nil
	}
	cellOf := make([]uint32, len(slots))
	for i, slot := range slots {
		cellOf[i] = cells.add(slot)
		if len(cells.key) > 1<<16 && len(cells.key) > i/2 {
			return nil, nil // hardly more rows than cells
		}
	}
	others := float64(len(slots))/float64(max(len(cells.key), 1)) - 1
	if others*looks < cells.cellsAround() {
		return nil, nil
	}
	cells.close()
	for i, slot := range slots {
		if cell := cellOf[i]; cells.one[cell] {
			f.unite(cells.row[cell], cells.points.ID[slot])
		}
	}
	return cells, cellOf
}

// metered is a Work that tells a meter about the rows it hands out.
type metered struct {
	neighbors.Work
	meter *meter
}

func (m metered) Take(rows int, cost int64) []uint32 {
	taken := m.Work.Take(rows, cost)
	m.meter.add(len(taken))
	return taken
}

func (m metered) Put(rows []uint32) {
	m.meter.add(-len(rows))
	m.Work.Put(rows)
}

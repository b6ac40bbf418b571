package hybrid

import (
	"context"
	"iter"
	"maps"
	"slices"

	"skyjoin/neighbors"
)

// A limited joiner can hold a limited number of points.
type limited interface {
	// Room returns how many points of a plan, on both sides together, the device can
	// hold; 0 if unknown.
	Room(p *neighbors.Plan) int
}

// fits reports whether a joiner can hold a plan; if not, room is how many points it
// can hold.
func fits(j neighbors.Joiner, p *neighbors.Plan) (ok bool, room int) {
	l, is := j.(limited)
	if !is {
		return true, 0
	}
	room = l.Room(p)
	return room == 0 || points(p) <= room, room
}

// A split carries out Within plans slab by slab, with a joiner that cannot hold them
// whole. It implements neighbors.Visitor and Counter.
type split struct {
	neighbors.Joiner
	slabs *slabs
	trim  []neighbors.Batch // by worker
	kept  int               // the slab whose data rows are loaded; -1: none
	data  []uint32
}

// splitUp replaces joiners that cannot hold the plan. Devices that share a join
// share the slabs, so that each holds those whose rows it takes.
func splitUp(p *neighbors.Plan, sides []*side) {
	if p.Len() == 0 || p.DataLen() == 0 {
		return // there is nothing to find, and no space to divide
	}
	least := 0
	for _, s := range sides {
		if ok, room := fits(s.joiner, p); !ok && (least == 0 || room < least) {
			least = room
		}
	}
	if least == 0 {
		return
	}
	with, err := splitter(p, least)
	for _, s := range sides {
		ok, _ := fits(s.joiner, p)
		switch {
		case ok:
		case err != nil:
			s.lost, s.stats.Lost = err, err.Error()
		default:
			s.joiner = with(s)
		}
	}
}

// splitter returns a function that wraps a side's joiner so that it carries out the
// plan in slabs of at most room points.
func splitter(p *neighbors.Plan, room int) (with func(s *side) neighbors.Joiner, err error) {
	if p.Nearest() != nil {
		cut, err := newNearSlabs(p, room)
		return func(s *side) neighbors.Joiner {
			return &nearSplit{Joiner: s.joiner, slabs: cut, workers: make([]nearWorker, s.workers)}
		}, err
	}
	cut, err := newSlabs(p, room)
	return func(s *side) neighbors.Joiner {
		return &split{Joiner: s.joiner, slabs: cut, trim: make([]neighbors.Batch, s.workers), kept: -1}
	}, err
}

// unsplit returns the joiner that carries out the slabs of another one, or the
// joiner itself.
func unsplit(j neighbors.Joiner) neighbors.Joiner {
	switch s := j.(type) {
	case *split:
		return s.Joiner
	case *nearSplit:
		return s.Joiner
	}
	return j
}

func (s *split) Workers() int { return len(s.trim) }

func (s *split) Join(ctx context.Context, p *neighbors.Plan, work neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	return neighbors.Stream(ctx, s, p, work)
}

func (s *split) Visit(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(int, *neighbors.Batch) error) error {
	return s.each(p, work, func(part *neighbors.Plan, own neighbors.Work, query []uint32) error {
		return neighbors.Visit(ctx, s.Joiner, part, own, func(w int, b *neighbors.Batch) error {
			return visit(w, s.translate(w, b, query, p.Self()))
		})
	})
}

func (s *split) Count(ctx context.Context, p *neighbors.Plan, work neighbors.Work, count []int64) error {
	return s.each(p, work, func(part *neighbors.Plan, own neighbors.Work, query []uint32) error {
		found := make([]int64, part.Len())
		err := neighbors.Count(ctx, s.Joiner, part, own, found)
		// Counts of rows that are left mean nothing, because others count them;
		// those counted before a failure are valid.
		for i, r := range query {
			count[r] = found[i]
			if p.Self() {
				count[r]--
			}
		}
		return err
	})
}

// each calls f for the rows of every slab that are handed out together. Rows that f
// leaves, and those of later slabs when it fails, are put back.
func (s *split) each(p *neighbors.Plan, work neighbors.Work, f func(part *neighbors.Plan, own neighbors.Work, query []uint32) error) error {
	return eachPortion(work, s.slabs.order, func(rows []uint32) (undone []uint32, err error) {
		by := s.slabs.bySlab(rows)
		for _, slab := range slices.Sorted(maps.Keys(by)) {
			query := by[slab]
			if err != nil || len(undone) > 0 {
				undone = append(undone, query...)
				continue
			}
			if slab != s.kept {
				s.kept, s.data = slab, s.slabs.data(slab)
			}
			own := neighbors.NewWork(places(len(query)), nil)
			var part *neighbors.Plan
			if part, err = partOf(p, query, s.data); err == nil {
				err = f(part, own, query)
			}
			for _, i := range takeAll(own) {
				undone = append(undone, query[i])
			}
		}
		return undone, err
	})
}

// translate turns the indexes of a part into rows, and drops a row's own index in a
// self-join.
func (s *split) translate(worker int, b *neighbors.Batch, query []uint32, self bool) *neighbors.Batch {
	t := &s.trim[worker]
	t.Rows, t.Offset, t.Index, t.Dist = t.Rows[:0], append(t.Offset[:0], 0), t.Index[:0], t.Dist[:0]
	for i, r := range b.Rows {
		row := query[r]
		dist := b.Dists(i)
		for k, q := range b.List(i) {
			other := s.data[q]
			if self && other == row {
				continue
			}
			t.Index = append(t.Index, other)
			if dist != nil {
				t.Dist = append(t.Dist, dist[k])
			}
		}
		t.Rows, t.Offset = append(t.Rows, row), append(t.Offset, int64(len(t.Index)))
	}
	if b.Dist == nil {
		t.Dist = nil
	}
	return t
}

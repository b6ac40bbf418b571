package tiles

import (
	"context"

	"skyjoin/internal/each"
	"skyjoin/internal/piece"
	"skyjoin/stats2b"
)

// pairCounter counts the pairs of the rows of a tile.
type pairCounter struct {
	plan     *Plan
	sets     []*rows
	binning  stats2b.Binning
	patching *stats2b.Patching // nil: no patches
	piece    *Piece
	opt      *Options
}

// sample returns the rows of a set that pick selects.
func (c *pairCounter) sample(set int, pick func(own bool) bool) (*stats2b.Sample, error) {
	r := c.sets[set]
	all, err := r.points()
	if err != nil {
		return nil, err
	}
	s := &stats2b.Sample{Largest: c.plan.Sets[set].Largest}
	some := each.Which(len(r.own), func(i int) bool { return pick(r.own[i]) })
	s.Points, s.Weights = all.Subset(some), each.At(r.weights, some)
	if c.patching != nil {
		s.Patch, err = c.patching.Assign(s.Points, c.opt.Threads)
	}
	return s, err
}

func ownRows(own bool) bool  { return own }
func nearRows(own bool) bool { return !own }
func allRows(bool) bool      { return true }

// count counts the pairs of the rows of set a, or of set a with set b, and writes
// them to the folder under a name.
func (c *pairCounter) count(ctx context.Context, dir, name string, a, b int) error {
	cross := a != b
	own, err := c.sample(a, ownRows)
	if err != nil {
		return err
	}
	pick := nearRows
	if cross {
		pick = allRows
	}
	near, err := c.sample(b, pick)
	if err != nil {
		return err
	}
	o := stats2b.Options{Joiner: c.opt.Joiner, Threads: c.opt.Threads, Memory: c.opt.Memory}
	if c.opt.Progress != nil {
		o.Progress = func(done, total int64) { c.opt.Progress(name, done, total) }
	}
	patches := 0
	if c.patching != nil {
		patches = c.patching.Len()
	}
	var s *piece.Pairs
	if cross {
		var ownB *stats2b.Sample
		if ownB, err = c.sample(b, ownRows); err != nil {
			return err
		}
		s, err = countCrossPiece(ctx, own, near, ownB, c.plan.metric(), c.binning, patches, o)
	} else {
		s, err = countPiece(ctx, own, near, c.plan.metric(), c.binning, patches, o)
	}
	if err != nil {
		return err
	}
	slots := c.binning.Cells() + 1
	for i, n := range s.Pairs {
		if i%slots > 0 {
			c.piece.Found += int64(n)
		}
	}
	return writePairs(ctx, dir, name, s)
}

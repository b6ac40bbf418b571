package hybrid

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"skyjoin/neighbors"
)

var errDevice = errors.New("the device has failed")

// A standIn is a CPU joiner in the place of a GPU: it takes all it is given at
// once, works on it with a few threads, and can fail.
type standIn struct {
	neighbors.CPU
	failAfter int           // batches, or takes where it counts; 0: never
	atOnce    bool          // fails before it takes anything
	slow      time.Duration // for every take
	room      int           // points that fit; 0: all
	near      int           // likewise, of Nearest plans; 0: as many
	misses    bool          // gives some queries back the first time they come
	searches  bool          // for the nearest within a distance, as published
	tallies   bool          // counts together with others, and fails at that
	tallied   atomic.Int64  // how often it got a sum

	missed map[uint32]bool
	search linearSearch
}

func (s *standIn) Room(p *neighbors.Plan) int {
	if p.Nearest() != nil && s.near > 0 {
		return s.near
	}
	return s.room
}

func (s *standIn) Join(ctx context.Context, p *neighbors.Plan, work neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	return neighbors.Stream(ctx, s, p, work)
}

// each calls f with every portion, until it fails.
func (s *standIn) each(p *neighbors.Plan, work neighbors.Work, f func(own neighbors.Work) error) error {
	if s.atOnce {
		return errDevice
	}
	if w, shared := work.(sideWork); shared && s.tallies {
		if err := s.tally(p, w); err != nil {
			return err
		}
	}
	for takes := 1; ; takes++ {
		rows := work.Take(math.MaxInt, 0)
		if rows == nil {
			return nil
		}
		time.Sleep(s.slow)
		if s.misses {
			rows = s.miss(rows, work)
		}
		if w, shared := work.(sideWork); shared && s.searches && p.Nearest() != nil {
			rows = s.search.found(p, rows, w)
		}
		own := neighbors.NewWork(rows, nil)
		err := f(own)
		if err == nil && s.failAfter > 0 && takes > s.failAfter {
			err = errDevice
		}
		for left := own.Take(math.MaxInt, 0); left != nil; left = own.Take(math.MaxInt, 0) {
			work.Put(left)
		}
		if err != nil {
			return err
		}
	}
}

// miss gives every third row back that it sees for the first time.
func (s *standIn) miss(rows []uint32, work neighbors.Work) []uint32 {
	if s.missed == nil {
		s.missed = map[uint32]bool{}
	}
	var found, failed []uint32
	for _, r := range rows {
		if r%3 == 0 && !s.missed[r] {
			s.missed[r] = true
			failed = append(failed, r)
		} else {
			found = append(found, r)
		}
	}
	work.Put(failed)
	return found
}

func (s *standIn) Visit(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(int, *neighbors.Batch) error) error {
	var batches atomic.Int64
	return s.each(p, work, func(own neighbors.Work) error {
		return s.CPU.Visit(ctx, p, own, func(w int, b *neighbors.Batch) error {
			if s.failAfter > 0 && batches.Add(1) > int64(s.failAfter) {
				return errDevice
			}
			return visit(w, b)
		})
	})
}

func (s *standIn) Count(ctx context.Context, p *neighbors.Plan, work neighbors.Work, count []int64) error {
	return s.each(p, work, func(own neighbors.Work) error { return s.CPU.Count(ctx, p, own, count) })
}

// tally counts pairs together with others, and fails if what comes back is not
// what the CPU counts.
func (s *standIn) tally(p *neighbors.Plan, w sideWork) error {
	n, parts := p.Len(), 0
	own := make([]uint32, n)
	found, err := w.Tally(true, func(lo, hi int) error {
		if parts++; s.failAfter > 0 && parts > s.failAfter {
			return errDevice
		}
		rows := places(n)[lo:hi]
		return neighbors.Visit(context.Background(), neighbors.CPU{Threads: 1}, p, neighbors.NewWork(rows, nil), func(_ int, b *neighbors.Batch) error {
			for i, r := range b.Rows {
				for _, q := range b.List(i) {
					if q > r {
						own[r]++
						own[q]++
					}
				}
			}
			return nil
		})
	}, func() ([]uint32, error) {
		found := slices.Clone(own)
		clear(own)
		return found, nil
	})
	if err != nil || found == nil {
		return err
	}
	sum := make([]uint32, n)
	for _, part := range found {
		for r, c := range part {
			sum[r] += c
		}
	}
	want := make([]int64, n)
	if err := neighbors.Count(context.Background(), neighbors.CPU{Threads: 1}, p, p.Work(), want); err != nil {
		return err
	}
	for r, c := range want {
		if int64(sum[r]) != c {
			return fmt.Errorf("row %d has %d neighbours, %d were counted", r, c, sum[r])
		}
	}
	s.tallied.Add(1)
	return nil
}

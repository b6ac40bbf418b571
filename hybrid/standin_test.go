package hybrid

import (
	"context"
	"errors"
	"iter"
	"math"
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
	misses    bool          // gives some queries back the first time they come

	missed map[uint32]bool
}

func (s *standIn) Room(*neighbors.Plan) int { return s.room }

func (s *standIn) Join(ctx context.Context, p *neighbors.Plan, work neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	return neighbors.Stream(ctx, s, p, work)
}

// each calls f with every portion, until it fails.
func (s *standIn) each(p *neighbors.Plan, work neighbors.Work, f func(own neighbors.Work) error) error {
	if s.atOnce {
		return errDevice
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

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"skyjoin/hybrid"
	"skyjoin/neighbors"
)

// A bench measures joins until its time is over.
type bench struct {
	end       time.Time
	scale     float64
	repeat    int
	only      string
	cpu       neighbors.CPU
	gpus      []neighbors.Joiner
	published neighbors.Joiner // the first GPU, searching as HYBRIDKNN-JOIN does
}

// late reports whether a case is not to be measured, and says so if that is
// because the time is over.
func (b *bench) late(what string) bool {
	if !strings.Contains(what, b.only) {
		return true
	}
	if time.Now().Before(b.end) {
		return false
	}
	fmt.Printf("%s: left out, the time is over\n", what)
	return true
}

// A subject is a data set in memory and what is asked of it.
type subject struct {
	points *neighbors.Points
	metric neighbors.Metric
	query  neighbors.Query
	found  int64 // neighbours; 0: not known yet
}

func (b *bench) subject(d dataset, q neighbors.Query) (*subject, error) {
	d.rows = int(float64(d.rows) * b.scale)
	p, m, err := d.points()
	return &subject{points: p, metric: m, query: q}, err
}

func (s *subject) plan(ctx context.Context) (*neighbors.Plan, error) {
	return neighbors.Prepare(ctx, neighbors.Input{Query: s.points, Metric: s.metric}, s.query)
}

// work is what a join takes its rows from; nil is that of the plan.
type work func(p *neighbors.Plan) neighbors.Work

// longest is how long the runs of a join may take together.
const longest = 20 * time.Second

// time returns the median seconds of the join, +Inf if it takes too long, and
// the report of a hybrid one.
func (b *bench) time(s *subject, j neighbors.Joiner, w work) (float64, hybrid.Report, error) {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	var seconds []float64
	var reports []hybrid.Report
	for len(seconds) < max(b.repeat, 1) {
		p, err := s.plan(ctx)
		if err != nil {
			return 0, hybrid.Report{}, err
		}
		h, _ := j.(*hybrid.Joiner)
		if h != nil {
			h.Reset()
		}
		rows := p.Work()
		if w != nil {
			rows = w(p)
		}
		var found atomic.Int64
		start := time.Now()
		err = neighbors.Visit(ctx, j, p, rows, func(_ int, b *neighbors.Batch) error {
			found.Add(int64(len(b.Index)))
			return nil
		})
		t := time.Since(start).Seconds()
		if errors.Is(err, context.DeadlineExceeded) {
			return math.Inf(1), hybrid.Report{}, nil
		}
		if err != nil {
			return 0, hybrid.Report{}, err
		}
		if s.found == 0 {
			s.found = found.Load()
		}
		if found.Load() != s.found {
			return 0, hybrid.Report{}, fmt.Errorf("%T found %d neighbours, another %d", j, found.Load(), s.found)
		}
		seconds = append(seconds, t)
		var r hybrid.Report
		if h != nil {
			r = h.Report()
		}
		reports = append(reports, r)
		if t > 2 {
			break
		}
	}
	order := make([]int, len(seconds))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int {
		if seconds[x] < seconds[y] {
			return -1
		}
		return 1
	})
	at := order[len(order)/2]
	return seconds[at], reports[at], nil
}

// roundRobin deals the rows out to the threads without a queue that knows
// their work: CPU-ONLY-RR.
func (b *bench) roundRobin(p *neighbors.Plan) neighbors.Work {
	threads := b.cpu.Workers()
	rows := make([]uint32, 0, p.Len())
	for first := range threads {
		for r := first; r < p.Len(); r += threads {
			rows = append(rows, uint32(r))
		}
	}
	return neighbors.NewWork(rows, nil)
}

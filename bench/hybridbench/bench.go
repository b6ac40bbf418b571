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
	limit     time.Duration // of one run; longer ones are estimated
	only      string
	adaptive  bool // no other partition
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
	fmt.Printf("| %s | left out, the time is over |\n", what)
	return true
}

// A subject is a data set in memory and what is asked of it.
type subject struct {
	points *neighbors.Points
	metric neighbors.Metric
	query  neighbors.Query
	counts bool  // neighbours are counted, not listed
	found  int64 // neighbours; 0: not known yet
	about  int64 // likewise, estimated
}

func (b *bench) subject(d dataset, q neighbors.Query) (*subject, error) {
	d.rows = int(float64(d.rows) * b.scale)
	p, m, err := d.points()
	return &subject{points: p, metric: m, query: q}, err
}

// neighbours returns how many there are, as far as that is known.
func (s *subject) neighbours() int64 {
	if s.found > 0 {
		return s.found
	}
	return s.about
}

func (s *subject) plan(ctx context.Context) (*neighbors.Plan, error) {
	return neighbors.Prepare(ctx, neighbors.Input{Query: s.points, Metric: s.metric}, s.query)
}

// work is what a join takes its rows from; nil is that of the plan.
type work func(p *neighbors.Plan) neighbors.Work

// A result is what a join took. Seconds are NaN if it was not run.
type result struct {
	seconds float64
	about   bool // estimated from a part of the rows
	report  hybrid.Report
}

var notRun = result{seconds: math.NaN()}

func (r result) String() string {
	switch {
	case math.IsNaN(r.seconds):
		return "–"
	case r.about:
		return fmt.Sprintf("≈ %.3g", r.seconds)
	}
	return fmt.Sprintf("%.3f", r.seconds)
}

const (
	// part is how many rows there are for one of those that a run is estimated
	// by.
	part = 32
	// ample is time for a run that is not estimated.
	ample = 20 * time.Second
	// enough is how long the runs of one join need to take together.
	enough = 2 * time.Second
)

// time returns the median of the runs of a join, or an estimate if one would
// take longer than the limit. A part of the rows says nothing of what GPUs take
// for all of them, nor of what both sides do: these are run.
func (b *bench) time(s *subject, j neighbors.Joiner, w work) (result, error) {
	h, shared := j.(*hybrid.Joiner)
	_, alone := j.(neighbors.CPU)
	if !alone && (!shared || h.Partition == "" || h.Partition == hybrid.Adaptive) {
		return b.median(s, j, w)
	}
	some, found, err := b.run(s, j, thinned(part))
	// What a join of hardly any row takes is its index.
	index := result{}
	if err == nil && some.seconds > b.limit.Seconds()/part {
		index, _, err = b.run(s, j, thinned(part*part*part))
		if !alone && err == nil {
			some, found, err = b.run(s, j, thinned(part)) // without what only a first run pays
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return result{seconds: part * b.limit.Seconds(), about: true}, nil
	}
	if err != nil {
		return notRun, err
	}
	if t := index.seconds + part*max(some.seconds-index.seconds, 0); t > b.limit.Seconds() {
		if s.about == 0 {
			s.about = part * found
		}
		return result{seconds: t, about: true}, nil
	}
	return b.median(s, j, w)
}

// median returns the median of the runs of a join.
func (b *bench) median(s *subject, j neighbors.Joiner, w work) (result, error) {
	var all []result
	for start := time.Now(); len(all) == 0 || len(all) < b.repeat && time.Since(start) < enough; {
		r, found, err := b.run(s, j, w)
		if errors.Is(err, context.DeadlineExceeded) {
			return result{seconds: max(2*b.limit, ample).Seconds(), about: true}, nil
		}
		if err != nil {
			return notRun, err
		}
		if s.found == 0 {
			s.found = found
		}
		if found != s.found {
			return notRun, fmt.Errorf("%T found %d neighbours, another %d", j, found, s.found)
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(x, y result) int {
		if x.seconds < y.seconds {
			return -1
		}
		return 1
	})
	return all[len(all)/2], nil
}

// run carries out a join once and returns how many neighbours it found.
func (b *bench) run(s *subject, j neighbors.Joiner, w work) (result, int64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), max(2*b.limit, ample))
	defer cancel()
	p, err := s.plan(ctx)
	if err != nil {
		return notRun, 0, err
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
	count := make([]int64, p.Len())
	start := time.Now()
	if s.counts {
		err = neighbors.Count(ctx, j, p, rows, count)
	} else {
		err = neighbors.Visit(ctx, j, p, rows, func(_ int, b *neighbors.Batch) error {
			found.Add(int64(len(b.Index)))
			return nil
		})
	}
	r := result{seconds: time.Since(start).Seconds()}
	for _, n := range count {
		found.Add(n)
	}
	if h != nil {
		r.report = h.Report()
	}
	return r, found.Load(), err
}

// thinned is one in so many of the rows, evenly apart.
func thinned(every int) work {
	return func(p *neighbors.Plan) neighbors.Work {
		var rows []uint32
		for r := 0; r < p.Len(); r += every {
			rows = append(rows, uint32(r))
		}
		return neighbors.NewWork(rows, nil)
	}
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

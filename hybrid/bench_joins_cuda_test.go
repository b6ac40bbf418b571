//go:build cuda && linux

package hybrid_test

import (
	"context"
	"fmt"
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
	rounds    int           // of the runs of a case, while there is time for them
	patience  time.Duration // for the rounds of a case
	limit     time.Duration // of one run; longer ones of the CPU are estimated
	only      []string
	cpu       neighbors.CPU
	gpus      []neighbors.Joiner
	published neighbors.Joiner // the first GPU, searching as HYBRIDKNN-JOIN does
	lbjoin    neighbors.Joiner // the first GPU, joining as LBJOIN in HEGJOIN does
}

// late reports whether a case is not to be measured, and says so if that is
// because the time is over.
func (b *bench) late(what string) bool {
	wanted := false
	for _, o := range b.only {
		wanted = wanted || strings.Contains(what, o)
	}
	if !wanted {
		return true
	}
	if b.left() > 0 {
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
}

func (b *bench) subject(d dataset, q neighbors.Query) (*subject, error) {
	d.rows = int(float64(d.rows) * b.scale)
	p, m, err := d.points()
	return &subject{points: p, metric: m, query: q}, err
}

// mean is the mean number of neighbours, K of the nearest.
func (s *subject) mean() int64 { return s.found / max(int64(s.points.Len()), 1) }

func (s *subject) plan(ctx context.Context) (*neighbors.Plan, error) {
	return neighbors.Prepare(ctx, neighbors.Input{Query: s.points, Metric: s.metric}, s.query)
}

// work is what a join takes its rows from; nil is that of the plan.
type work func(p *neighbors.Plan) neighbors.Work

// A result is one run of a join.
type result struct {
	seconds float64
	report  hybrid.Report
}

// ample is the least time that a run is given before it is broken off.
const ample = 20 * time.Second

// left is how much time there is, and grace how long a run may take that begins
// now: a case that has begun may end a bit later.
func (b *bench) left() time.Duration  { return time.Until(b.end) }
func (b *bench) grace() time.Duration { return max(b.left()+4*time.Second, time.Second) }

// run carries out a join once. The plan is new, so that no index is left from
// another run.
func (b *bench) run(s *subject, r rival) (result, error) {
	ctx, cancel := context.WithTimeout(context.Background(), min(max(2*b.limit, ample), b.grace()))
	defer cancel()
	p, err := s.plan(ctx)
	if err != nil {
		return result{}, err
	}
	h, _ := r.joiner.(*hybrid.Joiner)
	if h != nil {
		h.Reset()
	}
	rows := p.Work()
	if r.work != nil {
		rows = r.work(p)
	}
	var total atomic.Int64
	count := make([]int64, p.Len())
	start := time.Now()
	if s.counts {
		err = neighbors.Count(ctx, r.joiner, p, rows, count)
	} else {
		err = neighbors.Visit(ctx, r.joiner, p, rows, func(_ int, b *neighbors.Batch) error {
			total.Add(int64(len(b.Index)))
			return nil
		})
	}
	seconds := time.Since(start).Seconds()
	if err != nil {
		return result{}, err
	}
	for _, n := range count {
		total.Add(n)
	}
	if found := total.Load(); s.found == 0 {
		s.found = found
	} else if found != s.found {
		return result{}, fmt.Errorf("%s found %d neighbours, another %d", r.name, found, s.found)
	}
	done := result{seconds: seconds}
	if h != nil {
		done.report = h.Report()
	}
	return done, nil
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
